// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import Emulation
import HostLoop
import Peripheral
import Devices
package import NordicProvisioning
import WiFi
import WiFiStation

/// `readerlab emulate nordic-wifi`.
package struct EmulateNordicCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "nordic-wifi",
        abstract: "Play a Wi-Fi chip that Nordic's apps provision over BLE, until SIGINT or SIGTERM.",
        discussion: """
            It has the service of the nRF Connect SDK's provisioning sample, on simulated Wi-Fi: \
            docs/emulators/nordic-wifi.md.

              readerlab emulate nordic-wifi --hci hci-socket:0
              readerlab emulate nordic-wifi --hci hci-socket:0 --wifi-sim home.json \\
                --profile gateway --state state

            With --profile nordic-exact, the default, it is the sample's firmware octet for octet, with all that apps \
            have to cope with there, and one link. With gateway it is as helpful as the protocol allows.

            While it runs, what happens is told line by line, and faults can be typed: help lists them. At the end it \
            says what the app got wrong. Exit code 0 when a signal ends it, 1 when the controller cannot be \
            reached at first, 2 when a file has a fault.
            """)

    @OptionGroup(title: "Chip")
    var chip: NordicOptions

    @OptionGroup(title: "Run")
    var options: EmulationRunOptions

    package init() {}

    package func validate() throws {
        if chip.profile == .exact, let links = options.links, links != 1 {
            throw ValidationError(
                "--links \(links): the chip that nordic-exact plays has one; take --profile gateway for more")
        }
    }

    package func run() throws {
        try EmulationRun(units: [chip.unit(0, of: 1)], options: options).run()
    }
}

/// Options of an emulated Wi-Fi chip.
package struct NordicOptions: EmulatedKind {
    package static var command: any ParsableCommand.Type { EmulateNordicCommand.self }
    package static var steps: [EmulatedStep] { EmulatedNordic.steps }

    /// The profiles of the chip's behaviour, as options.
    package enum Profile: String, ExpressibleByArgument, CaseIterable {
        case exact = "nordic-exact"
        case gateway

        package var profile: NordicProfile { self == .exact ? .exact : .gateway }
    }

    @Option(
        name: .customLong("wifi-sim"),
        help: ArgumentHelp(
            "The networks around it. Without, there are two: Home, passphrase \"open sesame\", and the open Guests.",
            valueName: "FILE"))
    var simulation: String?

    @Option(help: ArgumentHelp("How it behaves: nordic-exact or gateway.", valueName: "PROFILE"))
    var profile = Profile.exact

    @Option(
        help: ArgumentHelp(
            "Keep its networks in this directory (mode 0600), made if it is missing. Without, they end with the process.",
            valueName: "DIR"))
    var state: String?

    @Option(help: ArgumentHelp("Its name, instead of PV and the last digits of its Wi-Fi address.", valueName: "TEXT"))
    var name: String?

    @Flag(help: "Repeat the flags of the service data where the stock app for iOS looks for them.")
    var iosFlags = false

    @Option(
        help: ArgumentHelp(
            "The service of a product that has its own. Its characteristics have 1, 2 and 3 more in the first eight "
                + "digits if not given.", valueName: "UUID"))
    var service: String?

    @Option(help: ArgumentHelp("Information, the version.", valueName: "UUID"))
    var information: String?

    @Option(help: ArgumentHelp("The Operation Control Point.", valueName: "UUID"))
    var controlPoint: String?

    @Option(help: ArgumentHelp("Data Out.", valueName: "UUID"))
    var dataOut: String?

    @Option(help: ArgumentHelp("The protocol's version: 2, or 1 as before nRF Connect SDK 3.1.", valueName: "1|2"))
    var protocolVersion: UInt8 = NordicSettings().version

    package init() {}

    package func validate() throws {
        guard (1...2).contains(protocolVersion) else { throw ValidationError("--protocol-version is 1 or 2") }
        let uuids = try uuids()
        let all = [uuids.service, uuids.information, uuids.controlPoint, uuids.dataOut]
        guard Set(all).count == all.count else {
            throw ValidationError("--service and the characteristics need different UUIDs")
        }
        if let name, !(1...DatabaseBuilder.maximumNameCount).contains(name.utf8.count) {
            throw ValidationError("--name has 1 to \(DatabaseBuilder.maximumNameCount) octets as UTF-8")
        }
    }

    /// The UUIDs from the options.
    private func uuids() throws -> NordicUUIDs {
        var uuids =
            try service.map { NordicUUIDs(service: try BluetoothUUID(option: "--service", $0)) } ?? NordicUUIDs()
        if let information { uuids.information = try BluetoothUUID(option: "--information", information) }
        if let controlPoint { uuids.controlPoint = try BluetoothUUID(option: "--control-point", controlPoint) }
        if let dataOut { uuids.dataOut = try BluetoothUUID(option: "--data-out", dataOut) }
        return uuids
    }

    /// The settings from the options.
    func settings() throws -> NordicSettings {
        var settings = NordicSettings(profile: profile.profile)
        settings.uuids = try uuids()
        settings.version = protocolVersion
        settings.name = name
        settings.repeatsFlags = iosFlags
        return settings
    }

    package func unit(_ number: Int, of count: Int) throws -> any EmulatedUnit {
        let settings = try settings()
        let simulation = try NordicWorld.load(simulation)
        var stored = settings.emptyStore
        var file: NordicStateFile?
        if let state {
            let found = try NordicStateFile(directory: state)
            try found.load(into: &stored)
            file = found
        }
        return EmulatedNordic(settings, simulation, stored: stored, file: file)
    }
}
