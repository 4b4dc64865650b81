import Peripheral
import Phone
import Testing
import Timekeeping
import VirtualRadio

@testable import GATTDevice

/// What the tests need of a device on a host.
protocol TestedDevice: ~Copyable {
    mutating func start(at now: Instant)
    mutating func receive(_ packet: Span<UInt8>, at now: Instant)
    mutating func advance(to now: Instant)
    var nextDeadline: Instant? { get }
    mutating func popPacket(into packet: inout [UInt8]) -> Bool
}

extension EmulatedDevice: TestedDevice {}

/// A device and phones on the virtual air.
final class DeviceRig<Device: TestedDevice & ~Copyable> {
    /// One phone: a central, and a client on its link.
    final class TestPhone {
        var central: Central
        var client = GATTClient()
        let controller: VirtualController
        var link: LinkID?
        var found: [AdvertisementReport] = []
        var results: [Result<GATTOutcome, GATTClientError>] = []
        var values: [(at: Instant, handle: UInt16, octets: [UInt8])] = []

        init(_ controller: VirtualController) {
            central = Central(address: nil)
            self.controller = controller
        }
    }

    static var address: BluetoothAddress { BluetoothAddress.randomStatic(from: 0x1234) }

    let air = Air(seed: 3)
    let controller: VirtualController
    var device: Device
    var phones: [TestPhone] = []
    private var packet: [UInt8] = []

    init(_ device: consuming Device, profile: ControllerProfile = .modern) {
        controller = air.addController(profile, address: BluetoothAddress(kind: .public, value: 0xD0_0000_0001))
        self.device = device
        self.device.start(at: air.now)
        run(.milliseconds(50))
    }

    /// A phone that has found the device.
    func phone() throws -> TestPhone {
        let address = BluetoothAddress(kind: .public, value: 0xE0_0000_0001 + UInt64(phones.count))
        let phone = TestPhone(air.addController(.modern, address: address))
        phones.append(phone)
        phone.central.start(at: air.now)
        run(.milliseconds(20))
        try phone.central.startScanning(at: air.now)
        run(.milliseconds(500))
        phone.central.stopScanning(at: air.now)
        run(.milliseconds(20))
        return phone
    }

    /// A phone that is connected, with the ATT_MTU exchanged if one is wanted.
    func connected(mtu: Int? = nil, to address: BluetoothAddress = DeviceRig.address) throws -> TestPhone {
        let phone = try phone()
        if let mtu { phone.client = GATTClient(maximumMTU: mtu) }
        try phone.central.connect(to: address, ConnectionSettings(), at: air.now)
        run(.milliseconds(500))
        try #require(phone.link != nil)
        if mtu != nil { _ = try perform(.exchangeMTU, phone) }
        return phone
    }

    /// Does one thing and gives what it brought.
    func perform(_ operation: GATTOperation, _ phone: TestPhone) throws -> GATTOutcome {
        phone.results.removeAll()
        _ = phone.client.start(operation, at: air.now)
        for _ in 0..<200 where phone.results.isEmpty { run(.milliseconds(20)) }
        return try #require(phone.results.first).get()
    }

    /// The handle of a value, by discovery.
    func value(_ uuid: BluetoothUUID, _ phone: TestPhone) throws -> RemoteCharacteristic {
        guard case .services(let services) = try perform(.discoverServices, phone) else { throw Missing() }
        for service in services {
            guard case .characteristics(let found) = try perform(.discoverCharacteristics(in: service.handles), phone)
            else { throw Missing() }
            if let match = found.first(where: { $0.uuid == uuid }) { return match }
        }
        throw Missing()
    }

    struct Missing: Error {}

    func subscribe(_ uuid: BluetoothUUID, _ phone: TestPhone) throws -> UInt16 {
        let found = try value(uuid, phone)
        let descriptor = AttributeHandle(rawValue: found.value.rawValue + 1)
        #expect(try perform(.subscribe(descriptor: descriptor, .notification), phone) == .written)
        return found.value.rawValue
    }

    /// Lets time pass.
    func run(_ duration: Duration) {
        let end = air.now + duration
        settle()
        while let next = deadline, next <= end {
            air.advance(to: max(next, air.now))
            if let due = device.nextDeadline, due <= air.now { device.advance(to: air.now) }
            for phone in phones {
                phone.central.advance(to: air.now)
                phone.client.timePassed(air.now)
            }
            settle()
        }
        air.advance(to: end)
        settle()
    }

    private var deadline: Instant? {
        ([air.nextDeadline, device.nextDeadline] + phones.flatMap { [$0.central.nextDeadline, $0.client.deadline] })
            .compactMap { $0 }.min()
    }

    private func settle() {
        var moves = true
        while moves {
            moves = false
            while device.popPacket(into: &packet) {
                controller.receive(packet.span)
                moves = true
            }
            while controller.popPacket(into: &packet) {
                device.receive(packet.span, at: air.now)
                moves = true
            }
            for phone in phones where settle(phone) { moves = true }
        }
    }

    private func settle(_ phone: TestPhone) -> Bool {
        var moves = false
        if let link = phone.link {
            while phone.client.nextPDU(into: &packet) { try? phone.central.sendAttribute(link, packet.span) }
        }
        while phone.central.popPacket(into: &packet) {
            phone.controller.receive(packet.span)
            moves = true
        }
        while phone.controller.popPacket(into: &packet) {
            phone.central.receive(packet.span, at: air.now)
            moves = true
        }
        while let event = phone.central.popEvent() { take(event, phone) }
        while let event = phone.client.nextEvent() {
            switch event {
            case .completed(_, let result): phone.results.append(result)
            case .notification(let handle, let octets), .indication(let handle, let octets):
                phone.values.append((air.now, handle.rawValue, octets))
            }
        }
        return moves
    }

    private func take(_ event: CentralEvent, _ phone: TestPhone) {
        switch event {
        case .report(let report): phone.found.append(report)
        case .connected(let link, _, _): phone.link = link
        case .disconnected:
            phone.link = nil
            phone.client.linkLost()
        case .attribute(_, let pdu): phone.client.receive(pdu.span, at: air.now)
        default: break
        }
    }
}
