import Peripheral
import Phone
import Provisioning
import TestSupport
import Testing
import Timekeeping
import VirtualRadio

/// A provisioning device on a host, and phones that speak ATT octet by octet, on the virtual air. Links need no
/// protection here: what they are to be is tried with the table.
final class NordicPeripheralRig {
    /// A phone.
    final class Phone {
        var central = Central()
        let controller: VirtualController
        var link: LinkID?
        var found: [AdvertisementReport] = []
        /// The ATT PDUs that came.
        var received: [String] = []

        init(_ controller: VirtualController) { self.controller = controller }
    }

    let air = Air(seed: 9)
    let controller: VirtualController
    var host: Host
    var device: NordicPeripheral
    var wifi: SimulatedWiFi
    var notices: [NordicNotice] = []
    var stored: [StoredNetworks] = []
    var phones: [Phone] = []
    /// The device's links, as the host numbers them.
    var links: [LinkID] = []
    private var packet: [UInt8] = []

    static let address = BluetoothAddress.randomStatic(from: 0x1234)

    init(_ profile: NordicProfile, stored: [WiFiJoin] = [], links: Int = 1) throws {
        controller = air.addController(.modern, address: BluetoothAddress(kind: .public, value: 0xD0_0000_0001))
        var builder = DatabaseBuilder()
        builder.addGAPService(name: "device", appearance: 0)
        builder.addGATTService()
        let service = NordicService(addingTo: &builder, security: .none)
        var configuration = HostConfiguration()
        configuration.links = links
        host = Host(
            devices: [
                ServedDevice(
                    database: try builder.build(), advertisingSets: [0], server: NordicService.server(profile))
            ], configuration: configuration)
        let settings = NordicSettings(profile: profile)
        var store = settings.emptyStore
        for network in stored.reversed() { store.store(network) }
        device = NordicPeripheral(NordicProvisioning(settings, stored: store), service)
        wifi = SimulatedWiFi(NordicRig.simulation)
        host.start(at: air.now)
        device.start(&wifi, at: air.now)
        run(.milliseconds(50))
    }

    /// A phone that is connected.
    func connected() throws -> Phone {
        let phone = try listening()
        try phone.central.connect(to: Self.address, at: air.now)
        run(.milliseconds(500))
        try #require(phone.link != nil)
        return phone
    }

    /// A phone that has listened for so long.
    func listening(_ duration: Duration = .milliseconds(500)) throws -> Phone {
        let address = BluetoothAddress(kind: .public, value: 0xE0_0000_0001 + UInt64(phones.count))
        let phone = Phone(air.addController(.modern, address: address))
        phones.append(phone)
        phone.central.start(at: air.now)
        run(.milliseconds(20))
        try phone.central.startScanning(at: air.now)
        run(duration)
        phone.central.stopScanning(at: air.now)
        run(.milliseconds(20))
        return phone
    }

    /// Sends a PDU; what has come a while later.
    @discardableResult
    func send(_ pdu: String, _ phone: Phone, wait: Duration = .milliseconds(100)) throws -> [String] {
        phone.received.removeAll()
        let octets = octets(pdu)
        try phone.central.sendAttribute(try #require(phone.link), octets.span)
        run(wait)
        return phone.received
    }

    /// Writes a request to the control point.
    func write(_ request: String, _ phone: Phone, wait: Duration = .milliseconds(100)) throws -> [String] {
        try send("12" + Self.handle(device.service.controlPoint) + request, phone, wait: wait)
    }

    /// Subscribes to both characteristics, with as large an ATT_MTU as there is.
    func prepare(_ phone: Phone, mtu: String = "020502") throws {
        if !mtu.isEmpty { try send(mtu, phone) }
        try send("12" + Self.handle(device.service.controlPoint, 1) + "0200", phone)
        try send("12" + Self.handle(device.service.dataOut, 1) + "0100", phone)
    }

    static func handle(_ handle: AttributeHandle, _ offset: UInt16 = 0) -> String {
        let number = handle.rawValue + offset
        return hex([UInt8(number & 0xFF), UInt8(number >> 8)])
    }

    /// Lets time pass.
    func run(_ duration: Duration) {
        let end = air.now + duration
        settle()
        while let next = deadline, next <= end {
            air.advance(to: max(next, air.now))
            host.advance(to: air.now)
            device.advance(&wifi, to: air.now)
            for phone in phones { phone.central.advance(to: air.now) }
            settle()
        }
        air.advance(to: end)
        settle()
    }

    private var deadline: Instant? {
        ([air.nextDeadline, host.nextDeadline, device.deadline(wifi)] + phones.map(\.central.nextDeadline))
            .compactMap { $0 }.min()
    }

    private func settle() {
        var moves = true
        while moves {
            moves = false
            perform()
            while let event = host.nextEvent() {
                if case .connected(let link, _) = event { links.append(link) }
                _ = device.take(event, &host, &wifi, at: air.now)
                perform()
            }
            while host.outbound.popFirst(into: &packet) {
                controller.receive(packet.span)
                moves = true
            }
            while controller.popPacket(into: &packet) {
                host.receive(packet.span, at: air.now)
                moves = true
            }
            for phone in phones where settle(phone) { moves = true }
        }
    }

    private func perform() {
        let before = device.advertisement
        stored += device.settle(&host, at: air.now)
        if device.advertisement != before {
            let sets = device.advertisement.map {
                [
                    AdvertisingSet(
                        id: 0, address: Self.address, data: $0.data, scanResponse: $0.scanResponse,
                        interval: $0.interval)
                ]
            }
            host.configure(advertising: sets ?? [], at: air.now)
        }
        while let notice = device.nextNotice() { notices.append(notice) }
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
            case .attribute(_, let pdu): phone.received.append(hex(pdu))
            default: break
            }
        }
        return moves
    }
}
