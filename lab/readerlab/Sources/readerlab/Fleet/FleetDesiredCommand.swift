// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BackEnd
import Commands
import Crypto
import Fleet
import Glibc
import JSON
import System

/// `readerlab fleet desired`.
struct FleetDesiredCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "desired",
        abstract: "Sign a reader's blacklist and settings, leave them at the broker, and wait until they are in force.",
        discussion: """
              readerlab fleet desired --state state.json --reader "Front door" \\
                --site site.json --command-key desk/command-key.pem \\
                --broker mqtt.example --ca ca.pem --certificate desk.pem \\
                --key desk-key.pem

            state.json, each part of which may be missing:

              {"blacklist": [{"credential": "A1B2", "end": "2027-01-31 18:00"},
                             {"credential": "C3"}],
               "settings": {"door.pulse-s": 5,
                            "credentials.groups": ["7 mon-fri 08:00-18:00"]}}

            The exit code is 0 if the state is in force and on the reader's disk, 1 if the reader refuses it or has \
            not taken it in time, 2 for wrong use. A reader that is not connected takes it when it is.
            """)

    @Option(help: ArgumentHelp("The state, JSON.", valueName: "file"))
    var state: String

    @Option(help: ArgumentHelp("The time in which a reader may take it, up to 366.", valueName: "days"))
    var valid: UInt64 = 30

    @Option(help: ArgumentHelp("The time to wait for the reader.", valueName: "seconds"))
    var wait = 60

    @OptionGroup var desk: FleetDeskOptions

    func validate() throws {
        guard (1...DesiredManifest.lifeSeconds / 86_400).contains(valid) else {
            throw ValidationError("--valid \(valid): write 1 to \(DesiredManifest.lifeSeconds / 86_400)")
        }
        try FleetDeskOptions.check(wait: wait)
    }

    func run() throws {
        let signer = try desk.signer()
        let chunks = try chunks()
        let code = try FleetDesiredProgram(
            try desk.access(), signer, chunks, wait: wait, days: valid, json: desk.json
        ).run()
        if code != 0 { throw ExitCode(code) }
    }

    private func chunks() throws(CommandError) -> [[UInt8]] {
        let octets: [UInt8]
        do throws(PrivateFileFault) {
            guard let content = try PrivateFile(path: state, limit: Self.fileLimit, mayBeShared: true).load() else {
                throw PrivateFileFault("\(state): no such file")
            }
            octets = content
        } catch {
            throw .misuse(error.description)
        }
        do throws(JSONPlaceFault) {
            let file = try DesiredFile(octets)
            do throws(DesiredChunk.FormFault) { return try file.chunks() } catch {
                throw JSONPlaceFault(
                    line: 1, path: "", "is too long for a reader: about 3400 credentials, and 1500 octets of settings")
            }
        } catch {
            throw .misuse("\(state):\(error)")
        }
    }

    /// The maximum length of the file in octets: the maximum number of credentials, each with an end and some spaces.
    private static let fileLimit = 1 << 20
}
