// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import OSDP
import OSDPTools

/// `readerlab osdp sniff`.
struct OSDPSniffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sniff",
        abstract: "Explain what panel and devices say on an OSDP line, frame by frame.",
        discussion: """
            From a serial device that hears both directions, or from a file or standard input: octets as they were on \
            the line, or a capture in the format OSDPCAP (one JSON object a line):

              readerlab osdp sniff --line /dev/ttyUSB0 --speed 9600
              readerlab osdp sniff --file capture.bin --key door.key
              readerlab osdp sniff --file door.osdpcap

            With a device's key it follows the secure channel from its handshake on and decrypts. SCBK-D, and keys \
            that are set in sessions under it, it knows by itself, as does everybody on the line. It never sends.

            Lines with ! are warnings: wrong checks and MACs, replays, SCBK-D, credentials in clear.

            Exit code 0 at the end of the octets or by a signal, 1 when the line cannot be used, 2 when a file has a \
            fault or no frame in it.
            """)

    @Option(help: ArgumentHelp("The serial device to listen on.", valueName: "PATH"))
    var line: String?

    @Option(help: ArgumentHelp("The speed of --line in bit/s.", valueName: "SPEED"))
    var speed: UInt32 = 9600

    @Option(
        help: ArgumentHelp(
            "A file of octets of both directions, or a capture; - for standard input.", valueName: "FILE"))
    var file: String?

    @Option(
        help: ArgumentHelp(
            "The file of a device's key: 32 hexadecimal digits, mode 0600. May be repeated.", valueName: "FILE"))
    var key: [String] = []

    @Flag(help: "One JSON object a line.")
    var json = false

    func validate() throws {
        guard (line == nil) != (file == nil) else { throw ValidationError("give --line or --file") }
        guard OSDPLine.speeds.contains(speed) else {
            throw ValidationError("--speed is one of " + OSDPLine.speeds.map { "\($0)" }.joined(separator: ", "))
        }
    }

    func run() throws {
        let source = line.map { OSDPSniffProgram.Source.line(path: $0, speed: speed) } ?? .file(path: file ?? "-")
        try OSDPSniffProgram(source, keyPaths: key, json: json).run()
    }
}
