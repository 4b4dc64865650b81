import Crypto
import HostLoop
import Peripheral
import Phone
import Testing
import Timekeeping
import VirtualRadio

/// A program of devices and phones on the virtual air. Phones speak ATT octet by octet.
///
/// In a device's database Generic Access has the handles 1 to 5 and Generic Attribute 6 to 15; its first own service is
/// declared at 16, the first characteristic at 17, its value is 18, and its configuration, if it has one, 19.
final class ProgramRig<State> {
    /// One phone.
    final class Phone {
        var central = Central()
        let controller: VirtualController
        var link: LinkID?
        var found: [AdvertisementReport] = []
        /// The ATT PDUs that came, with their times.
        var received: [(at: Instant, pdu: [UInt8])] = []
        var pdus: [[UInt8]] { received.map(\.pdu) }

        init(_ controller: VirtualController) { self.controller = controller }
    }

    let air = Air(seed: 5)
    let controller: VirtualController
    let keys: DeviceKeys
    var program: DeviceProgram<State>
    var phones: [Phone] = []
    private var packet: [UInt8] = []

    init(
        _ state: State, _ devices: [DeviceDefinition<State>], profile: ControllerProfile = .modern,
        settings: ProgramSettings = ProgramSettings()
    ) throws {
        keys = ProgramRig.keys()
        controller = air.addController(profile, address: BluetoothAddress(kind: .public, value: 0xD0_0000_0001))
        program = try DeviceProgram(state, devices: devices, keys: keys, settings: settings)
        program.start(at: air.now)
        run(.milliseconds(50))
    }

    static func keys() -> DeviceKeys {
        let identity = SecurityIdentity(
            address: .randomStatic(from: 0x1234), resolvingKey: Value128(InlineArray(repeating: 7)))
        return DeviceKeys(identity: identity, store: TransientBondStore(), random: SystemRandomSource())
    }

    /// A phone that has listened for a while.
    func phone() throws -> Phone {
        let address = BluetoothAddress(kind: .public, value: 0xE0_0000_0001 + UInt64(phones.count))
        let phone = Phone(air.addController(.modern, address: address))
        phones.append(phone)
        phone.central.start(at: air.now)
        run(.milliseconds(20))
        try phone.central.startScanning(at: air.now)
        run(.milliseconds(500))
        phone.central.stopScanning(at: air.now)
        run(.milliseconds(20))
        return phone
    }

    /// A phone that is connected to a device.
    func connected(to device: Int = 0) throws -> Phone {
        let phone = try phone()
        try phone.central.connect(to: keys.address(ofDevice: device), at: air.now)
        run(.milliseconds(500))
        try #require(phone.link != nil)
        return phone
    }

    /// Sends an ATT PDU and gives what has come a while later.
    @discardableResult
    func send(_ pdu: [UInt8], _ phone: Phone, wait: Duration = .milliseconds(100)) throws -> [[UInt8]] {
        phone.received.removeAll()
        try phone.central.sendAttribute(try #require(phone.link), pdu.span)
        run(wait)
        return phone.pdus
    }

    func disconnect(_ phone: Phone) throws {
        phone.central.disconnect(try #require(phone.link), at: air.now)
        run(.milliseconds(200))
        try #require(phone.link == nil)
    }

    /// Lets time pass.
    func run(_ duration: Duration) {
        let end = air.now + duration
        settle()
        while let next = deadline, next <= end {
            air.advance(to: max(next, air.now))
            if let due = program.nextDeadline, due <= air.now { program.advance(to: air.now) }
            for phone in phones { phone.central.advance(to: air.now) }
            settle()
        }
        air.advance(to: end)
        settle()
    }

    private var deadline: Instant? {
        ([air.nextDeadline, program.nextDeadline] + phones.map(\.central.nextDeadline)).compactMap { $0 }.min()
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
            for phone in phones where settle(phone) { moves = true }
        }
    }

    private func settle(_ phone: Phone) -> Bool {
        var moves = false
        while phone.central.popPacket(into: &packet) {
            phone.controller.receive(packet.span)
            moves = true
        }
        while phone.controller.popPacket(into: &packet) {
            phone.central.receive(packet.span, at: air.now)
            moves = true
        }
        while let event = phone.central.popEvent() {
            switch event {
            case .report(let report): phone.found.append(report)
            case .connected(let link, _, _): phone.link = link
            case .disconnected: phone.link = nil
            case .attribute(_, let pdu): phone.received.append((air.now, pdu))
            default: break
            }
        }
        return moves
    }
}
