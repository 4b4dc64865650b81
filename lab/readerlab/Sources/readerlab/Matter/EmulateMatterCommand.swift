// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DevicePrograms
import Devices
import MatterCredentials
import MatterNode
import MatterTLV
import Peripheral

extension MatterDeviceKind: ExpressibleByArgument {}
extension MatterNetworkKind: ExpressibleByArgument {}

/// `readerlab emulate matter`.
struct EmulateMatterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matter",
        abstract: "Play a Matter device that apps commission and control, until SIGINT or SIGTERM.",
        discussion: """
            A lock, a light, a plug or a contact sensor, over IP, and over BLE with --hci: docs/emulators/matter.md.

              readerlab emulate matter --device lock --state-dir lock
              readerlab emulate matter --device light --hci hci-socket:0 --network wifi

            It prints its setup codes. While it runs, what happens is told line by line; faults and movements by hand \
            can be typed: help lists them. At the end it says what the app got wrong.

            Exit code 0 when a signal ends it, 1 when a port or the controller cannot be used, 2 when a file has a fault.
            """)

    @OptionGroup(title: "Device")
    var product: MatterProductOptions

    @Option(
        help: ArgumentHelp(
            "The network that apps configure, ethernet for none. wifi and thread need --hci; wifi if that is "
                + "given, else ethernet, if not given.", valueName: "wifi|thread|ethernet"))
    var network: MatterNetworkKind?

    @Option(
        name: .customLong("wifi-sim"),
        help: ArgumentHelp(
            "The Wi-Fi around it. Without, there are two networks: Home, passphrase \"open sesame\", and the open Guests.",
            valueName: "FILE"))
    var simulation: String?

    @Option(
        help: ArgumentHelp(
            "The Bluetooth controller: hci-socket:N, serial:DEVICE,BAUD[,rtscts], tcp-client:HOST:PORT, unix:PATH "
                + "or netsim[:INSTANCE]. Without, there is no BLE.", valueName: "NAME"))
    var hci: String?

    @Option(help: ArgumentHelp("The network interface to be found on; all if not given.", valueName: "NAME"))
    var interface: String?

    @Option(help: ArgumentHelp("The UDP port; 0 for any.", valueName: "PORT"))
    var port = MatterProgram.Options().port

    @Option(
        help: ArgumentHelp(
            "Keep fabrics and keys in this directory (mode 0700), made if it is missing. Without, they end with the "
                + "process.", valueName: "DIR"))
    var stateDir: String?

    @Option(help: ArgumentHelp("Draw the QR code into this file, as SVG.", valueName: "FILE"))
    var qrSvg: String?

    @Option(help: ArgumentHelp("Commands at their times (docs/emulators/matter.md).", valueName: "FILE"))
    var scenario: String?

    @Option(help: ArgumentHelp("A capture of all HCI packets, for Wireshark (mode 0600).", valueName: "FILE"))
    var btsnoop: String?

    @Flag(help: "List the attestation sets, and end.")
    var listAttestation = false

    @OptionGroup
    var output: EmulationOutputOptions

    /// The network that apps configure.
    var networkKind: MatterNetworkKind { network ?? (hci == nil ? .ethernet : .wifi) }

    func validate() throws {
        if let hci { try EmulationRadio.check(hci: hci, address: nil) }
        if hci == nil {
            guard networkKind == .ethernet else {
                throw ValidationError("--network \(networkKind.rawValue) is configured over BLE: give --hci")
            }
            guard btsnoop == nil else { throw ValidationError("--btsnoop needs --hci") }
        }
        guard simulation == nil || networkKind == .wifi else {
            throw ValidationError("--wifi-sim needs --network wifi")
        }
    }

    func run() throws {
        if listAttestation { return MatterProgram.listAttestation() }
        try MatterProgram(configured(), EmulationView(output)).run()
    }

    /// The options for the program.
    func configured() throws -> MatterProgram.Options {
        var options = MatterProgram.Options()
        options.product = try product.emulated
        (options.network, options.simulation) = (networkKind, simulation)
        options.hci = try hci.map { try TransportName($0) }
        (options.capture, options.interface, options.port) = (btsnoop, interface, port)
        (options.stateDirectory, options.drawing, options.scenario) = (stateDir, qrSvg, scenario)
        return options
    }
}

/// The options of an emulated Matter product.
struct MatterProductOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The device.", valueName: MatterDeviceKind.allCases.map(\.rawValue).joined(separator: "|")))
    var device = MatterProduct().device

    @Option(help: ArgumentHelp("The discriminator, 0 to 4095.", valueName: "NUMBER"))
    var discriminator = MatterProduct().discriminator

    @Option(help: ArgumentHelp("The passcode, 1 to 99999998.", valueName: "NUMBER"))
    var passcode = MatterProduct().passcode

    @Option(
        help: ArgumentHelp(
            "The vendor, by which apps choose their way; 0xFFF1 to 0xFFF4 are for tests.",
            valueName: "NUMBER"))
    var vendor = "0xFFF1"

    @Option(help: ArgumentHelp("The product.", valueName: "NUMBER"))
    var product = "0x8001"

    @Option(help: ArgumentHelp("The product's name; by default the device's.", valueName: "TEXT"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The device attestation: good, or a faulty set; --list-attestation explains them.", valueName: "SET"))
    var attestation = "good"

    @Option(
        help: ArgumentHelp(
            "The fail-safe that PASE arms and apps read, in seconds, 1 to 900.",
            valueName: "SECONDS"))
    var failSafe = MatterProduct().failSafeSeconds

    @Flag(help: "A lock with a latch, which UnboltDoor leaves alone.")
    var latch = false

    @Flag(help: "A lock with a door contact.")
    var doorContact = false

    @Flag(help: "A lock with an Aliro reader, which apps give its key and those of users' phones.")
    var aliro = false

    @Flag(help: "A lock whose orders need the PIN of a user, which apps set.")
    var pin = false

    @Flag(help: "A device with a battery, whose charge apps can read (Power Source).")
    var battery = false

    @Option(help: ArgumentHelp("A lock that locks itself after so long; 0 for never.", valueName: "SECONDS"))
    var relock: UInt32 = 0

    func validate() throws {
        guard discriminator <= OnboardingPayload.greatestDiscriminator else {
            throw ValidationError("--discriminator is 0 to 4095")
        }
        guard (try? SetupPasscode(passcode)) != nil else {
            throw ValidationError(
                "--passcode is 1 to 99999998, and neither one digit repeated nor 12345678 nor 87654321")
        }
        _ = try emulated
        guard (1...32).contains((name ?? "-").utf8.count) else { throw ValidationError("--name has 1 to 32 octets") }
        guard (1...900).contains(failSafe) else { throw ValidationError("--fail-safe is 1 to 900 seconds") }
        if device != .lock, latch || doorContact || aliro || pin || relock > 0 {
            throw ValidationError("--latch, --door-contact, --aliro, --pin and --relock are for --device lock")
        }
    }

    /// Parses a number such as `0xFFF1` or `65521`.
    private func number(_ text: String, _ option: String) throws -> UInt16 {
        let number = text.lowercased().hasPrefix("0x") ? UInt16(text.dropFirst(2), radix: 16) : UInt16(text)
        guard let number, number > 0 else { throw ValidationError("\(option) is 1 to 0xFFFF") }
        return number
    }

    /// The product that the options describe.
    var emulated: MatterProduct {
        get throws {
            var emulated = MatterProduct()
            (emulated.device, emulated.givenName, emulated.hasBattery) = (device, name, battery)
            emulated.traits.hasLatch = latch
            emulated.traits.hasDoorContact = doorContact
            emulated.traits.hasAliro = aliro
            emulated.traits.hasPINs = pin
            emulated.traits.relockSeconds = relock
            emulated.vendor = VendorID(rawValue: try number(vendor, "--vendor"))
            emulated.product = ProductID(rawValue: try number(product, "--product"))
            (emulated.discriminator, emulated.passcode) = (discriminator, passcode)
            guard let set = AttestationSet(rawValue: attestation) else {
                throw ValidationError(
                    "--attestation \(attestation.debugDescription): there is no such set; --list-attestation lists "
                        + "them")
            }
            (emulated.attestation, emulated.failSafeSeconds) = (set, failSafe)
            return emulated
        }
    }
}
