// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BackEnd
import Commands
import Fleet
import Glibc
import MQTT

/// `readerlab fleet ca`.
struct FleetAuthorityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca", abstract: "The site's own authority for the certificates of readers' links.",
        subcommands: [Make.self])

    /// `readerlab fleet ca init`.
    struct Make: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init", abstract: "Make the authority: ca.pem for the broker, and its key.",
            discussion: """
                  readerlab fleet ca init --directory ca

                Keep ca-key.pem where no broker and no reader is: it says who is a reader.
                """)

        @Option(help: ArgumentHelp("The authority's directory; created if missing.", valueName: "directory"))
        var directory: String

        @Option(help: "The authority's name.")
        var name = "readerd fleet"

        func run() throws {
            let authority = FleetAuthority(directory: directory)
            try authority.make(name: name)
            ConsoleOutput.write("\(authority.certificatePath): valid for 10 years", to: STDOUT_FILENO)
        }
    }
}

/// `readerlab fleet enrol`.
struct FleetEnrolCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrol",
        abstract: "Issue a certificate for the link of a site's reader: 90 days, for clients only.",
        discussion: """
              readerd-link enrol --device wa0y1YwS --key reader-key.pem --csr reader.csr
              readerlab fleet enrol "Front door" --csr reader.csr --out reader.pem \\
                --directory ca --site site.json

            The request has to be for the identifier of this reader in topics, with a key on P-256.
            """)

    @Argument(help: "The reader's name at the site.")
    var reader: String

    @Option(help: ArgumentHelp("The request of readerd-link enrol, PEM.", valueName: "file"))
    var csr: String

    @Option(help: ArgumentHelp("The certificate to be written, PEM.", valueName: "file"))
    var out: String

    @Option(help: ArgumentHelp("The authority of readerlab fleet ca init.", valueName: "directory"))
    var directory: String

    @Option(help: ArgumentHelp("The site with its readers: readerlab credentials.", valueName: "file"))
    var site: String

    func run() throws {
        let device = try FleetEnrolCommand.device(of: reader, at: site)
        let certificate = try FleetAuthority(directory: directory).issue(csr, name: device)
        try CommandError.create(out, with: certificate)
        ConsoleOutput.write("\(out): for \(device), \(Enrolment.clientDays) days", to: STDOUT_FILENO)
    }

    private static func device(of name: String, at path: String) throws(CommandError) -> String {
        do throws(CredentialError) {
            let site = try CredentialStore.site(path)
            guard let id = site.readers[try site.index(of: name)].deviceID else {
                throw CredentialError("\(path): \(name) is not provisioned; see: readerlab credentials reader add")
            }
            return FleetTopics(deviceID: id).device
        } catch {
            throw .misuse(error.description)
        }
    }
}
