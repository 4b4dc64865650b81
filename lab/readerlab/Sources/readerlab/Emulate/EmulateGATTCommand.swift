// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Console
import DevicePrograms
import Emulation
import GATTDevice
import Glibc
import HostLoop
import JSON
import Peripheral

/// `readerlab emulate gatt`.
struct EmulateGATTCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatt",
        abstract: "Play any GATT device from a file or a capture, until SIGINT or SIGTERM.",
        discussion: """
            The file names services and characteristics, or lists attributes with their handles: \
            docs/emulators/gatt-device.md. \
            lab/Examples/heart-rate.json is one to begin with. Several devices share the radio when --table is given for \
            each; a phone finds them under their own names and addresses.

              readerlab emulate gatt --table lab/Examples/heart-rate.json --hci hci-socket:0
              readerlab emulate gatt --from phone.log --write sensor.json --hci hci-socket:0
              readerlab emulate gatt --table lock.json --hci hci-socket:0 \\
                --io display-yes-no --mitm --answer yes

            What happens is told line by line; with --json for programs. Where a characteristic asks for security, \
            clients have to pair: the lines show a passkey that the device displays, and what --answer answers.

            A file that changes is read again, and clients are told of it. A controller that is lost is opened again.

            Faults can be typed while it runs, such as "fault delay read 2000" and "values storm": help lists them. At the \
            end it says what the app got wrong.

            Exit code 0 when a signal ends it, 1 when the controller cannot be reached at first, 2 when the file has a \
            fault, 3 with --fail-on-findings when the app got something wrong.
            """)

    @OptionGroup(title: "Devices")
    var source: DeviceSourceOptions

    @OptionGroup
    var radio: EmulationRadioOptions

    @Option(help: ArgumentHelp("Its name, instead of the file's. For one device.", valueName: "TEXT"))
    var name: String?

    @Option(help: ArgumentHelp("How many clients may be connected at once, 1 to 64.", valueName: "COUNT"))
    var links = HostConfiguration().links

    @Option(
        help: ArgumentHelp(
            "A credit-based channel that sends back what comes on it. Several may be given, 0x0080 to 0x00FF.",
            valueName: "SPSM"))
    var echoChannel: [String] = []

    @OptionGroup(title: "Pairing")
    var pairing: PairingOptions

    @Flag(help: "Report clients' reads too.")
    var showReads = false

    @Option(help: ArgumentHelp("The faults, and their times (docs/emulators/emulation.md).", valueName: "FILE"))
    var scenario: String?

    @OptionGroup
    var output: EmulationOutputOptions

    func validate() throws {
        if let name, !(1...DeviceTable.maximumNameCount).contains(name.utf8.count) {
            throw ValidationError("--name has 1 to \(DeviceTable.maximumNameCount) octets as UTF-8")
        }
        if name != nil, source.count > 1 { throw ValidationError("--name is for one device; leave it to the files") }
        guard (1...EmulateGATTCommand.mostLinks).contains(links) else {
            throw ValidationError("--links is 1 to \(EmulateGATTCommand.mostLinks)")
        }
        _ = try echoChannels()
    }

    private func keys() throws(CommandError) -> EmulationKeys {
        guard let path = pairing.bonds else { return EmulationKeys(address: radio.firstAddress) }
        return try EmulationKeys(bonds: path, address: radio.firstAddress)
    }

    /// Parses the SPSMs of `--echo-channel`, such as `0x0080` or `128`.
    func echoChannels() throws -> [UInt16] {
        try echoChannel.map { text in
            let number = text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
            guard let number, DeviceTable.channelNumbers.contains(number) else {
                throw ValidationError("--echo-channel \(text.debugDescription): write 0x0080 to 0x00FF")
            }
            return UInt16(truncatingIfNeeded: number)
        }
    }

    /// The capacity of a host's table (`HostConfiguration.links`).
    private static let mostLinks = 64

    private func table(_ path: String) throws(CommandError) -> DeviceTable {
        try EmulationFile.load(path, name: name, tellsOfChanges: tellsOfChanges)
    }

    private var tellsOfChanges: Bool { !pairing.refusesPairing && !pairing.keepsNoBonds }

    /// Replaces a device when its file has changed. A fault of the file is reported, and the device remains.
    private func follow(_ loop: HostLoop<EmulatedDevice>) throws(CommandError) {
        var changes = try FileChanges(source.tables)
        _ = loop.watch(changes.descriptor) { device, now in
            for index in changes.drain() {
                do throws(CommandError) {
                    device.replace(index, with: try table(source.tables[index]), at: now)
                } catch {
                    ConsoleOutput.write("readerlab: \(error.text)", to: STDERR_FILENO)
                }
            }
            return true
        }
    }

    private func scenario(_ steps: [EmulatedStep]) throws(CommandError) -> EmulationScenario {
        guard let scenario else { return EmulationScenario() }
        return try InputFile.load(
            scenario, maximum: EmulationScenario.maximumFileCount, "a scenario (docs/emulators/emulation.md)"
        ) { octets throws(JSONPlaceFault) in try EmulationScenario(json: octets, steps: steps) }
    }

    func run() throws {
        let tables = try source.load(name: name, tellsOfChanges: tellsOfChanges)
        let steps = DeviceStep.steps(of: tables)
        let scenario = try scenario(steps)
        do {
            var settings = EmulationSettings()
            settings.host.links = links
            settings.echoChannels = try echoChannels()
            settings.maximumMTU = scenario.mtu
            try pairing.apply(to: &settings)
            let keys = try keys()
            let devices = tables.enumerated().map {
                PlayedDevice($1, address: EmulationAddress.next(after: keys.identity.address, $0))
            }
            let program = GATTProgram(EmulationOutput(output, devices, showsReads: showReads), steps)
            try program.check()
            let device = EmulatedDevice(
                devices, settings: settings, security: keys.setup, faults: DeviceFaults(scenario))
            let loop = try radio.loop(device)
            try follow(loop)
            try program.run(loop)
        } catch {
            throw CommandError(error)
        }
    }
}
