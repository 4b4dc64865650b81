// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import OSDP
import Octets
import OSDPTools

/// `readerlab osdp device`.
struct OSDPDeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Play an OSDP peripheral device that a panel polls, until SIGINT or SIGTERM.",
        discussion: """
            A reader with lights, a buzzer, a display, inputs and outputs, on a serial line, or on a pseudo-terminal \
            for a panel on this machine:

              readerlab osdp device --line /dev/ttyUSB0 --address 1 --key door.key
              readerlab osdp device --line pty:/tmp/osdp --key door.key --install 60

            Type card 26 17 4711, key 1234#, tamper on or input 1 on to report; help lists the rest.

            Without --key it takes orders in clear. With it, only in a secure session under the key in that file, 32 \
            hexadecimal digits. A key that the panel sets replaces the file's.

            Exit code 0 when a signal or quit ends it, 1 when the line cannot be used, 2 when a file has a fault.
            """)

    @Option(help: ArgumentHelp("The line: a serial device, or pty:PATH for a new one.", valueName: "PATH"))
    var line: String

    @Option(
        help: ArgumentHelp(
            "Bit/s at the start: \(OSDPLine.speeds.map { "\($0)" }.joined(separator: ", ")).", valueName: "SPEED"))
    var speed: UInt32 = 9600

    @Option(help: ArgumentHelp("The address at the start, 0 to 126.", valueName: "NUMBER"))
    var address: UInt8 = 0

    @Option(
        help: ArgumentHelp(
            "The file of the key (mode 0600). With --install it need not exist yet.", valueName: "FILE"))
    var key: String?

    @Option(
        help: ArgumentHelp(
            "Open the installation window for so long: the published default key, SCBK-D, begins a session.",
            valueName: "SECONDS"))
    var install: UInt16?

    @Option(help: ArgumentHelp("The vendor code, six hexadecimal digits.", valueName: "CODE"))
    var vendor = "000000"

    @Option(help: ArgumentHelp("The number of inputs, 0 to 64.", valueName: "COUNT"))
    var inputs = 2

    @Option(help: ArgumentHelp("The number of outputs, 0 to 64.", valueName: "COUNT"))
    var outputs = 2

    @Flag(help: "One JSON object a line.")
    var json = false

    func validate() throws {
        guard OSDPLine(address: address, speed: speed).isValid else {
            throw ValidationError(
                "--address is 0 to 126, and --speed one of "
                    + OSDPLine.speeds.map { "\($0)" }.joined(separator: ", "))
        }
        guard Hexadecimal.octets(vendor)?.count == 3 else {
            throw ValidationError("--vendor \(vendor.debugDescription): write six hexadecimal digits")
        }
        let counts = 0...OSDPConfiguration.countLimit
        guard counts.contains(inputs), counts.contains(outputs) else {
            throw ValidationError("--inputs and --outputs are 0 to \(OSDPConfiguration.countLimit)")
        }
        guard install == nil || key != nil else {
            throw ValidationError("--install needs --key, the file for the key that the panel sets")
        }
    }

    func run() throws {
        try OSDPDeviceProgram(configured, line: line, keyPath: key, install: install, json: json).run()
    }

    /// The device that the options describe.
    var configured: OSDPConfiguration {
        let identity = OSDPIdentity(
            vendor: Hexadecimal.octets(vendor) ?? [], model: 1, version: 1, serial: 1, firmware: [1, 0, 0])
        var configuration = OSDPConfiguration(
            line: OSDPLine(address: address, speed: speed), identity: identity, inputs: inputs, outputs: outputs)
        configuration.hasDisplay = true
        configuration.manufacturerOperations = Set(UInt8.min...UInt8.max)
        return configuration
    }
}
