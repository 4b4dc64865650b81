import Crypto
import Devices
import Emulation
import Peripheral
import Phone
import WiFiProvisioning
import TestSupport
import Testing
import Timekeeping
import VirtualRadio

@testable import HostLoop
@testable import readerlab

/// An emulated Wi-Fi chip with its session, and one phone that speaks ATT octet by octet, on the virtual air. The link
/// needs no protection here: the required security is tested with the table.
final class EmulatedNordicRig {
    private let air = Air(seed: 40)
    private let controller: VirtualController
    private let phoneController: VirtualController
    private let keys: DeviceKeys
    private let session: EmulationSession
    private var program: DeviceProgram<EmulationSession>
    private var phone = Central()
    private var link: LinkID?
    private var packet: [UInt8] = []
    /// The received ATT PDUs.
    private var received: [String] = []
    /// The reasons for which links ended, as the phone saw them.
    private(set) var ends: [UInt8] = []

    /// The handles of the service's values and configurations (Core 5.4, Vol 3, Part F, 3.2.2), as in an ATT PDU:
    /// Generic Access, with its preferred parameters, and Generic Attribute have 1 to 17.
    static let information = "1400", controlPoint = "1600", controlConfiguration = "1700"
    static let dataOut = "1900", dataConfiguration = "1a00"

    /// A connected phone. A reset of the device's controller terminates links only if `terminatesLinksOnReset`.
    init(_ profile: NordicProfile, mtu: String = "020502", terminatesLinksOnReset: Bool = true) throws {
        let simulation = NordicWorld.usual
        let settings = NordicSettings(profile: profile)
        let unit = EmulatedNordic(settings, simulation, stored: settings.emptyStore, file: nil)
        session = EmulationSession([unit])
        let identity = SecurityIdentity(
            address: .randomStatic(from: 0x1234), resolvingKey: Value128(InlineArray(repeating: 7)))
        keys = DeviceKeys(identity: identity, store: TransientBondStore(), random: SystemRandomSource())
        var definition = unit.define(0)
        for place in definition.characteristics.indices {
            definition.characteristics[place].security = .none
            definition.characteristics[place].configuration = nil
        }
        session.watch(&definition, 0)
        var settingsOfHost = ProgramSettings()
        unit.adapt(&settingsOfHost.host)
        var controllerProfile = ControllerProfile.modern
        controllerProfile.terminatesLinksOnReset = terminatesLinksOnReset
        controller = air.addController(
            controllerProfile, address: BluetoothAddress(kind: .public, value: 0xD0_0000_0001))
        phoneController = air.addController(.modern, address: BluetoothAddress(kind: .public, value: 0xE0_0000_0001))
        program = try DeviceProgram(session, devices: [definition], keys: keys, settings: settingsOfHost)
        program.onDeadline({ $0.deadline }) { session, context in session.advance(&context) }
        program.onOther { session, context, event in session.take(event, &context) }
        program.start(at: air.now)
        phone.start(at: air.now)
        run(.milliseconds(50))
        try phone.connect(to: keys.address(ofDevice: 0), at: air.now)
        run(.milliseconds(500))
        try #require(link != nil)
        if !mtu.isEmpty { try send(mtu) }
        try send("12" + Self.dataConfiguration + "0100")
        try send("12" + Self.controlConfiguration + "0200")
    }

    /// The timeline entries since the last call, one per line, without the times.
    func told() -> [String] {
        let text = TimelineText(hasColour: false, hasDevices: false)
        var lines: [String] = []
        while let entry = session.timeline.next() { lines.append(String(text.line(entry).dropFirst(20))) }
        return lines
    }

    /// Types a line.
    func type(_ line: String) throws {
        let command = try EmulationCommand(line: line, steps: EmulationSession.steps(of: session.units))
        program.act(at: air.now) { session, context in
            session.catchUp(context.now)
            _ = session.obey(command, &context)
        }
        run(.milliseconds(100))
    }

    /// Connects again.
    func connect() throws {
        try phone.connect(to: keys.address(ofDevice: 0), at: air.now)
        run(.seconds(2))
    }

    var isConnected: Bool { link != nil }

    /// Sends a PDU; returns the PDUs received shortly afterwards.
    @discardableResult
    func send(_ pdu: String, wait: Duration = .milliseconds(200)) throws -> [String] {
        received.removeAll()
        let octets = octets(pdu)
        try phone.sendAttribute(try #require(link), octets.span)
        run(wait)
        return received
    }

    /// Writes a request to the control point; returns the PDUs received shortly afterwards, each indication confirmed
    /// if
    /// `confirms`.
    func write(_ request: String, confirms: Bool = true) throws -> [String] {
        let answers = try send("12" + Self.controlPoint + request)
        return confirms ? try confirmed(answers) : answers
    }

    /// The PDUs received within this time, confirmed.
    func wait(_ duration: Duration) throws -> [String] {
        received.removeAll()
        run(duration)
        return try confirmed(received)
    }

    private func confirmed(_ pdus: [String]) throws -> [String] {
        var pdus = pdus
        var place = 0
        while place < pdus.count {
            if link != nil, pdus[place].hasPrefix("1d") { pdus += try send("1e") }
            place += 1
        }
        return pdus
    }

    // MARK: - The air

    private func run(_ duration: Duration) {
        let end = air.now + duration
        settle()
        while let next = deadline, next <= end {
            air.advance(to: max(next, air.now))
            if let due = program.nextDeadline, due <= air.now { program.advance(to: air.now) }
            phone.advance(to: air.now)
            settle()
        }
        air.advance(to: end)
        settle()
    }

    private var deadline: Instant? {
        [air.nextDeadline, program.nextDeadline, phone.nextDeadline].compactMap { $0 }.min()
    }

    private func settle() {
        var moves = true
        while moves {
            moves = false
            while program.popPacket(into: &packet) {
                controller.receive(packet.span)
                moves = true
            }
            while controller.popPacket(into: &packet) {
                program.receive(packet.span, at: air.now)
                moves = true
            }
            while phone.popPacket(into: &packet) {
                phoneController.receive(packet.span)
                moves = true
            }
            while phoneController.popPacket(into: &packet) {
                phone.receive(packet.span, at: air.now)
                moves = true
            }
            takeEvents()
        }
    }

    private func takeEvents() {
        while let event = phone.popEvent() {
            switch event {
            case .connected(let link, _, _): self.link = link
            case .disconnected(_, let reason):
                link = nil
                ends.append(reason.rawValue)
            case .attribute(_, let pdu): received.append(hex(pdu))
            default: break
            }
        }
    }
}
