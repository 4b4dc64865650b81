// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Commands
import ContactlessAir
import DevicePrograms
import Emulation
import HostLoop
import Octets
import Peripheral
public import Phone
import PhoneTool

extension ReaderMode: @retroactive ExpressibleByArgument {}

extension PhonePreset: @retroactive ExpressibleByArgument {
    /// The kind with this name.
    public init?(argument: String) {
        guard let preset = PhonePreset.named(argument) else { return nil }
        self = preset
    }

    /// The names.
    public static var allValueStrings: [String] { all.map(\.name) }

    /// The name.
    public var defaultValueDescription: String { name }
}

/// The options for the controller of a phone.
struct PhoneRadioOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The controller: hci-socket:N, hci-socket:ADDRESS, hci-socket:usb-PORT, "
                + "serial:DEVICE,BAUD[,rtscts], tcp-client:HOST:PORT, unix:PATH or netsim[:INSTANCE].",
            valueName: "NAME"))
    var hci: String?

    @Option(
        help: ArgumentHelp(
            "The phone's random static address; a new one each time if not given.", valueName: "C0:11:22:33:44:55"))
    var address: String?

    @Option(
        help: ArgumentHelp(
            "Scan, connect and ask for an MTU as this kind of phone: "
                + "\(PhonePreset.all.map(\.name).joined(separator: ", ")).", valueName: "KIND"))
    var phone: PhonePreset?

    @Option(help: ArgumentHelp("A capture of all HCI packets, for Wireshark (mode 0600).", valueName: "FILE"))
    var btsnoop: String?

    @Flag(help: "One JSON object a line.")
    var json = false

    func validate() throws { if let hci { try EmulationRadio.check(hci: hci, address: address) } }

    /// The controller, for tasks that require radio.
    func controller() throws -> String {
        guard let hci else { throw ValidationError("name the controller: --hci NAME, see --help") }
        return hci
    }

    /// The phone's address.
    var ownAddress: BluetoothAddress {
        address.flatMap { EmulationAddress.parse($0) } ?? .randomStatic(from: UInt64.random(in: .min ... .max))
    }

    /// The capture, if there is one.
    func capture() throws(CommandError) -> BTSnoopFile? {
        guard let btsnoop else { return nil }
        do throws(CaptureFileError) { return try BTSnoopFile(path: btsnoop) } catch {
            throw .failed(error.description)
        }
    }
}

/// The options for the reader to visit, and for the credentials to present.
struct PhoneVisitOptions: ParsableArguments {
    @OptionGroup var radio: PhoneRadioOptions

    @Option(
        help: ArgumentHelp(
            "By touch instead: an NFC chip as libnfc names it, such as pn532_uart:/dev/ttyUSB0.",
            valueName: "CONNECTION"))
    var nfc: String?

    @Option(
        help: ArgumentHelp(
            "By touch as a card: the socket of the NFC field of readerlab air, whose reader polls.",
            valueName: "unix:PATH"))
    var asCard: String?

    @Option(
        help: ArgumentHelp(
            "The reader's nfc.aid, for a touch, if it is set there.", valueName: "HEX"))
    var aid: String?

    @Option(
        help: ArgumentHelp(
            "The credentials: a file of `readerlab credentials phone-bundle`. Without it, the published demo identity.",
            valueName: "FILE"))
    var bundle: String?

    @Option(
        help: ArgumentHelp(
            "Which token, where the bundle has several: the credential, the command or kind, or both as "
                + "ALICE04711/tokn.", valueName: "NAME"))
    var token: String?

    @Option(
        help: ArgumentHelp(
            "Which reader: its device id, its name in the bundle, or its address. The strongest if not given.",
            valueName: "READER"))
    var reader: String?

    @Option(
        help: ArgumentHelp(
            "The packet and the service that are used; any if not given.", valueName: "MODE"))
    var mode: ReaderMode?

    @Option(help: ArgumentHelp("For finding the reader, and for each answer.", valueName: "SECONDS"))
    var timeout = 10.0

    @Flag(name: .shortAndLong, help: "The result only, without the steps.")
    var quiet = false

    /// The maximum time-out in seconds.
    static let maximumTimeout = 3600.0

    func validate() throws {
        try validateWay()
        if bundle == nil, token != nil { throw ValidationError("--token selects from a bundle: give --bundle too") }
        guard timeout.isFinite, 0.1...PhoneVisitOptions.maximumTimeout ~= timeout else {
            throw ValidationError("--timeout is 0.1 to 3600 seconds")
        }
    }

    /// Requires either a controller or a chip, with its options.
    private func validateWay() throws {
        if nfc != nil || asCard != nil {
            guard nfc == nil || asCard == nil else { throw ValidationError("--nfc and --as-card exclude each other") }
            guard nfc != "" else { throw ValidationError("--nfc is a connection string of libnfc") }
            _ = try cardSocket()
            guard radio.hci == nil, radio.address == nil, radio.btsnoop == nil, radio.phone == nil, mode == nil else {
                throw ValidationError("a touch is without --hci, --address, --phone, --btsnoop and --mode")
            }
        } else if radio.hci == nil {
            throw ValidationError(
                "name a controller by --hci NAME, or for a touch a chip by --nfc CONNECTION or a field by --as-card")
        }
        guard let aid else { return }
        guard isTouch, PhoneVisitPlan.application(aid) != nil else {
            throw ValidationError("--aid is 5 to 16 octets in hexadecimal, for --nfc and --as-card")
        }
    }

    /// True for a touch.
    private var isTouch: Bool { nfc != nil || asCard != nil }

    /// The path of the field's socket; nil without `--as-card`.
    func cardSocket() throws -> String? {
        do throws(CommandFault) {
            return try asCard.map { text throws(CommandFault) in
                try FieldPlan.socketPath(text, option: "--as-card")
            }
        } catch { throw ValidationError(error.description) }
    }

    /// The plan for a task.
    func plan(_ task: PhoneTask, _ keyring: PhoneKeyring) throws(CommandError) -> PhoneVisitPlan {
        var plan = PhoneVisitPlan(task, credentials: keyring.credentials)
        plan.reader = try reader.map { text throws(CommandError) in try keyring.reader(named: text) }
        if isTouch, case .address = plan.reader {
            throw .misuse("--reader by touch is a device id, or a name in the bundle")
        }
        if let application = aid.flatMap(PhoneVisitPlan.application) { plan.application = application }
        plan.mode = mode
        if let preset = radio.phone { plan.become(preset) }
        plan.timeout = .milliseconds(Int64(timeout * 1000))
        return plan
    }
}

/// The option for repetitions.
struct PhoneRepeatOption: ParsableArguments {
    @Option(
        name: .customLong("repeat"),
        help: ArgumentHelp(
            "As often, 2 s after success and 0.5 s after failure, with a table of times.", valueName: "N"))
    var visits = 1

    func validate() throws {
        guard 1...100_000 ~= visits else { throw ValidationError("--repeat is 1 to 100000") }
    }
}

extension PhoneVisitPlan {
    /// The octets of an application identifier in hexadecimal; nil if it is invalid.
    fileprivate static func application(_ text: String) -> [UInt8]? {
        Hexadecimal.octets(text).flatMap { applicationLength.contains($0.count) ? $0 : nil }
    }
}
