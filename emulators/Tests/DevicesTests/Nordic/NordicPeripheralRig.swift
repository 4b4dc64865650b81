// SPDX-License-Identifier: Apache-2.0

import AirRig
import Peripheral
import Phone
import Devices
import NordicProvisioning
import WiFi
import WiFiStation
import TestSupport
import Testing
import Timekeeping
import VirtualRadio
import WiFiTestSupport

/// A provisioning device on a host, and phones that speak ATT octet by octet, on the virtual air. Links need no
/// protection here: the required security is tested with the table.
final class NordicPeripheralRig: AirRig<RecordingPhone> {
    var host: Host
    var device: NordicPeripheral
    var wifi: SimulatedWiFi
    var notices: [NordicNotice] = []
    var stored: [StoredNetworks] = []
    /// The device's links, as the host numbers them.
    var links: [LinkID] = []

    static let address = BluetoothAddress.randomStatic(from: 0x1234)

    init(_ profile: NordicProfile, stored: [WiFiJoin] = [], links: Int = 1) throws {
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
        super.init(seed: 9)
        host.start(at: air.now)
        device.start(&wifi, at: air.now)
        run(.milliseconds(50))
    }

    /// A connected phone.
    func connected() throws -> RecordingPhone {
        let phone = try listening()
        try connect(phone, to: Self.address)
        return phone
    }

    /// Sends a PDU; returns the PDUs received shortly afterwards.
    @discardableResult
    func send(_ pdu: String, _ phone: RecordingPhone, wait: Duration = .milliseconds(100)) throws -> [String] {
        try send(octets(pdu), phone, wait: wait).map(hex)
    }

    /// Writes a request to the control point; returns the PDUs received within `wait`.
    func write(_ request: String, _ phone: RecordingPhone, wait: Duration = .milliseconds(100)) throws -> [String] {
        try send("12" + Self.handle(device.service.controlPoint) + request, phone, wait: wait)
    }

    /// Subscribes to both characteristics, with the largest ATT_MTU by default.
    func prepare(_ phone: RecordingPhone, mtu: String = "020502") throws {
        if !mtu.isEmpty { try send(mtu, phone) }
        try send("12" + Self.handle(device.service.controlPoint, 1) + "0200", phone)
        try send("12" + Self.handle(device.service.dataOut, 1) + "0100", phone)
    }

    static func handle(_ handle: AttributeHandle, _ offset: UInt16 = 0) -> String {
        let number = handle.rawValue + offset
        return hex([UInt8(number & 0xFF), UInt8(number >> 8)])
    }

    override var nextDeadline: Instant? { [host.nextDeadline, device.deadline(wifi)].compactMap { $0 }.min() }

    override func advance(to now: Instant) {
        host.advance(to: air.now)
        device.advance(&wifi, to: air.now)
    }

    override func settle(at now: Instant) -> Bool {
        perform()
        while let event = host.nextEvent() {
            if case .connected(let link, _) = event { links.append(link) }
            _ = device.receive(event, &host, &wifi, at: air.now)
            perform()
        }
        return controller.exchange(
            pop: { host.outbound.popFirst(into: &$0) }, receive: { host.receive($0, at: air.now) })
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
        notices += all { device.nextNotice() }
    }
}
