import ArgumentParser
import FoundationEssentials
import Glibc
import HostLoop
import Peripheral
import Provisioning

/// `readerlab emulate nordic-wifi`.
struct EmulateNordicCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nordic-wifi",
        abstract: "Play a Wi-Fi chip that Nordic's apps provision over BLE, until SIGINT or SIGTERM.",
        discussion: """
            It has the service of the nRF Connect SDK's provisioning sample, on simulated Wi-Fi: docs/nordic-wifi.md.

              readerlab emulate nordic-wifi --hci hci-socket:0
              readerlab emulate nordic-wifi --hci hci-socket:0 --wifi-sim home.json --profile gateway --state state

            With --profile nordic-exact, the default, it is the sample's firmware octet for octet, with all that apps
            have to cope with there. With gateway it is as helpful as the protocol allows.

            Exit code 0 when a signal ends it, 1 when the controller is lost or cannot be reached, 2 when a file has a
            fault.
            """)

    /// How it behaves, as options name it.
    enum Profile: String, ExpressibleByArgument, CaseIterable {
        case exact = "nordic-exact"
        case gateway

        var profile: NordicProfile { self == .exact ? .exact : .gateway }
    }

    @Option(
        help: ArgumentHelp(
            "The controller: hci-socket:N, serial:DEVICE,BAUD[,rtscts], tcp-client:HOST:PORT or unix:PATH.",
            valueName: "NAME"))
    var hci: String

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

    @Option(help: ArgumentHelp("Its name, in place of PV and the last digits of its Wi-Fi address.", valueName: "TEXT"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Its random static address; a new one each time if not given.", valueName: "C0:11:22:33:44:55"))
    var address: String?

    @Flag(help: "Repeat the flags of the service data where the stock app for iOS looks for them.")
    var iosFlags = false

    @Option(help: ArgumentHelp("A capture of all HCI packets, for Wireshark (mode 0600).", valueName: "FILE"))
    var btsnoop: String?

    @Flag(help: "One JSON object a line.")
    var json = false

    func validate() throws {
        do throws(TransportNameError) {
            _ = try TransportName(hci)
        } catch .onlyInLab {
            throw ValidationError("--hci: the virtual air is only in the demo; name a controller, as hci-socket:0")
        } catch {
            throw ValidationError("--hci: \(error)")
        }
        if let name, !(1...DatabaseBuilder.maximumNameCount).contains(name.utf8.count) {
            throw ValidationError("--name has 1 to \(DatabaseBuilder.maximumNameCount) octets as UTF-8")
        }
        if let address, EmulationAddress.parse(address) == nil {
            throw ValidationError(
                "--address \(address.debugDescription) is no random static address: write six octets, the first from "
                    + "C0 to FF, as C0:11:22:33:44:55")
        }
    }

    var settings: NordicSettings {
        var settings = NordicSettings(profile: profile.profile)
        settings.name = name
        settings.repeatsFlags = iosFlags
        return settings
    }

    func run() throws {
        do {
            try emulate()
        } catch let error as EmulationError {
            throw error.told
        } catch {
            throw EmulationError(code: 1, "\(error)").told
        }
    }

    private func emulate() throws {
        let simulation =
            try self.simulation.map { path throws(EmulationError) in try NordicWorld.load(path) }
            ?? NordicWorld.usual
        let file = try state.map { directory throws(EmulationError) in try NordicStateFile(directory: directory) }
        var stored = settings.emptyStore
        try file?.load(into: &stored)
        let capture = try btsnoop.map { path throws(BTSnoopFileError) in try BTSnoopFile(path: path) }
        let keys = EmulationKeys(address: address.flatMap { EmulationAddress.parse($0) })
        let device = try NordicEmulation(settings, simulation: simulation, stored: stored, keys: keys)
        let loop = try HostLoop(device, on: TransportName(hci), capture: capture)
        let output = NordicOutput(json: json)
        output.begin(settings, simulation, address: keys.identity.address)
        try loop.run { device in
            while let notice = device.nextNotice() { output.tell(notice) }
            guard let networks = device.takeUnsaved(), let file else { return }
            do throws(EmulationError) {
                try file.save(networks)
            } catch {
                output.notSaved(error)
            }
        }
    }
}

/// What is around an emulated Wi-Fi chip.
enum NordicWorld {
    /// Two networks to begin with.
    static var usual: WiFiSimulation {
        let text = """
            {"networks": [
              {"ssid": "Home", "bssid": "02:00:00:00:00:01", "channel": 6, "security": "wpa2-psk", "rssi": -50,
               "passphrase": "open sesame"},
              {"ssid": "Guests", "bssid": "02:00:00:00:00:02", "channel": 36, "band": "5", "rssi": -65}]}
            """
        return (try? WiFiSimulation(json: Array(text.utf8))) ?? WiFiSimulation()
    }

    /// The networks of a file.
    static func load(_ path: String) throws(EmulationError) -> WiFiSimulation {
        let octets = try EmulationFile.octets(
            path, maximum: WiFiSimulation.maximumFileCount, "a file of networks (docs/nordic-wifi.md)")
        do {
            return try WiFiSimulation(json: octets)
        } catch {
            throw EmulationError(code: 2, "\(path):\(error)")
        }
    }
}

/// The lines of an emulated Wi-Fi chip as they come, on standard output.
struct NordicOutput {
    private let encoder: JSONEncoder?

    init(json: Bool) {
        encoder = json ? JSONEncoder() : nil
        encoder?.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// What is played.
    func begin(_ settings: NordicSettings, _ simulation: WiFiSimulation, address: BluetoothAddress) {
        var line = NordicLine("device")
        line.name = settings.name ?? NordicProvisioning.usualName(simulation.address)
        line.address = "\(address)"
        line.text = "\(settings.profile.rawValue), \(simulation.accessPoints.count) access points around it"
        show(line)
    }

    /// What happened.
    func tell(_ notice: NordicEmulation.Notice) {
        switch notice {
        case .host(let event): if let line = NordicLine(event) { show(line) }
        case .device(let notice): show(NordicLine(notice))
        }
    }

    /// The networks could not be written; the device goes on with what it has in memory.
    func notSaved(_ error: EmulationError) {
        EmulationOutput.write("readerlab: \(error.text)", to: STDERR_FILENO)
    }

    private func show(_ line: NordicLine) {
        guard let encoder else { return EmulationOutput.write(line.sentence, to: STDOUT_FILENO) }
        guard let octets = try? encoder.encode(line) else { return }
        EmulationOutput.write(String(decoding: octets, as: UTF8.self), to: STDOUT_FILENO)
    }
}
