import AirRig
import Crypto
import HostLoop
import Peripheral
import Phone
import Testing
import Timekeeping
import VirtualRadio

/// One phone.
final class AttributePhone: AirPhone {
    /// The ATT PDUs that came, with their times.
    var received: [(at: Instant, pdu: [UInt8])] = []
    var pdus: [[UInt8]] { received.map(\.pdu) }

    override func receive(_ pdu: [UInt8], at now: Instant) { received.append((now, pdu)) }
}

/// A program of devices and phones on the virtual air. Phones speak ATT octet by octet.
///
/// In a device's database Generic Access has the handles 1 to 5 and Generic Attribute 6 to 15; its first own service is
/// declared at 16, the first characteristic at 17, its value is 18, and its configuration, if it has one, 19.
final class ProgramRig<State>: AirRig<AttributePhone> {
    let keys: DeviceKeys
    var program: DeviceProgram<State>
    private var packet: [UInt8] = []

    init(
        _ state: State, _ devices: [DeviceDefinition<State>], profile: ControllerProfile = .modern,
        settings: ProgramSettings = ProgramSettings()
    ) throws {
        keys = ProgramRig.keys()
        program = try DeviceProgram(state, devices: devices, keys: keys, settings: settings)
        super.init(seed: 5, profile: profile)
        program.start(at: air.now)
        run(.milliseconds(50))
    }

    static func keys() -> DeviceKeys {
        let identity = SecurityIdentity(
            address: .randomStatic(from: 0x1234), resolvingKey: Value128(InlineArray(repeating: 7)))
        return DeviceKeys(identity: identity, store: TransientBondStore(), random: SystemRandomSource())
    }

    /// A phone that is connected to a device.
    func connected(to device: Int = 0) throws -> AttributePhone {
        let phone = try listening()
        try connect(phone, to: keys.address(ofDevice: device))
        return phone
    }

    /// Sends an ATT PDU and returns the PDUs received shortly afterwards.
    @discardableResult
    func send(_ pdu: [UInt8], _ phone: AttributePhone, wait: Duration = .milliseconds(100)) throws -> [[UInt8]] {
        phone.received.removeAll()
        try phone.central.sendAttribute(try #require(phone.link), pdu.span)
        run(wait)
        return phone.pdus
    }

    func disconnect(_ phone: AttributePhone) throws {
        phone.central.disconnect(try #require(phone.link), at: air.now)
        run(.milliseconds(200))
        try #require(phone.link == nil)
    }

    override var deviceDeadline: Instant? { program.nextDeadline }

    override func advanceDevice() {
        if let due = program.nextDeadline, due <= air.now { program.advance(to: air.now) }
    }

    override func settleDevice() -> Bool {
        var moves = false
        while program.popPacket(into: &packet) {
            controller.receive(packet.span)
            moves = true
        }
        while controller.popPacket(into: &packet) {
            program.receive(packet.span, at: air.now)
            moves = true
        }
        return moves
    }
}
