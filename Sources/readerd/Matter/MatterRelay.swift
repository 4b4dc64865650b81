// SPDX-License-Identifier: Apache-2.0

import LockChannel
import Peripheral
import Reader
import Timekeeping

/// The commissioning service of the Matter lock on the reader's host: FFF6 with C1 and C2 (Matter Core 4.19.2).
/// Relays its messages to and from the lock's process.
final class MatterRelay: CompanionDevice {
    /// Its advertising set, above the set of Wi-Fi provisioning.
    static let advertisingSet: UInt8 = 17
    /// The interval of advertising in the first 30 s, and after them (Matter Core 5.4.2.5.3).
    private static let fastTime = Duration.seconds(30)
    private static let fastInterval = Duration.milliseconds(30)
    private static let slowInterval = Duration.milliseconds(160)

    private enum Wish {
        case advertise([UInt8]?)
        case indicate(UInt16, [UInt8])
        case disconnect(UInt16?)
    }

    let served: ServedDevice
    /// It does not pair: what it carries is encrypted end to end.
    let security: SecuritySetup? = nil
    private let device: Int
    private let address: BluetoothAddress
    private let input: AttributeHandle
    private let output: AttributeHandle
    /// The octets to advertise; nil while nothing is.
    private var serviceData: [UInt8]?
    private var slowsDown: Instant?
    private var isSlow = false
    /// All links, including those being disconnected, and the served one.
    private var links: [LinkID] = []
    private var phone: LinkID?
    private var mtu = 23
    private var wishes: [Wish] = []
    private var events: [(link: UInt16, event: LockLinkEvent)] = []

    /// The service on the host's device of this index, under a random address.
    init(device: Int, address: BluetoothAddress) throws(DatabaseError) {
        self.device = device
        self.address = address
        var builder = DatabaseBuilder()
        builder.addGAPService(name: "", appearance: 0)
        builder.addGATTService()
        builder.addService(BluetoothUUID(0xFFF6))
        input = builder.addCharacteristic(
            BluetoothUUID(high: 0x18EE_2EF5_263D_4559, low: 0x959F_4F9C_429F_9D11), properties: [.write])
        output = builder.addCharacteristic(
            BluetoothUUID(high: 0x18EE_2EF5_263D_4559, low: 0x959F_4F9C_429F_9D12), properties: [.indicate])
        var server = GATTServer.Configuration()
        server.maximumMTU = LockChannelLimits.valueCount + 3
        served = ServedDevice(
            database: try builder.build(), advertisingSets: [MatterRelay.advertisingSet], server: server)
    }

    // MARK: - The lock's process

    /// Advertises these octets behind the UUID at the next `advance`; nil for no more.
    func advertise(_ octets: [UInt8]?) { wishes.append(.advertise(octets)) }

    /// Indicates a value at the next `advance`.
    func indicate(_ value: [UInt8], on link: UInt16) { wishes.append(.indicate(link, value)) }

    /// Ends a link at the next `advance`; nil ends all.
    func disconnect(_ link: UInt16? = nil) { wishes.append(.disconnect(link)) }

    /// Removes and returns the changes of links.
    func takeEvents() -> [(link: UInt16, event: LockLinkEvent)] {
        defer { events.removeAll() }
        return events
    }

    // MARK: - The host

    var hasLinks: Bool { !links.isEmpty }

    var nextDeadline: Instant? { slowsDown }

    var advertisingSet: AdvertisingSet? {
        guard let serviceData, phone == nil else { return nil }
        // Flags; service data of FFF6 (Matter Core 5.4.2.5.6).
        let data = [2, 0x01, 0x06, UInt8(truncatingIfNeeded: serviceData.count + 3), 0x16, 0xF6, 0xFF] + serviceData
        return AdvertisingSet(
            id: MatterRelay.advertisingSet, address: address, data: data, scanResponse: [],
            interval: isSlow ? MatterRelay.slowInterval : MatterRelay.fastInterval)
    }

    func receive(_ event: HostEvent, _ host: inout Host, at now: Instant) -> Bool {
        switch event {
        case .connected(let link, let description):
            guard description.device == device else { return false }
            links.append(link)
            guard serviceData != nil, phone == nil else {
                host.disconnect(link, reason: .remoteLowResources, at: now)
                return true
            }
            phone = link
            mtu = 23
            report(link, .opened)
        case .disconnected(let link, _):
            guard links.contains(link) else { return false }
            links.removeAll { $0 == link }
            guard phone == link else { return true }
            phone = nil
            report(link, .closed)
        case .mtuExchanged(let link, let mtu) where link == phone: self.mtu = mtu
        case .written(let link, let handle, let value) where link == phone:
            guard handle == input else { return true }
            let octets = Array(host.eventOctets[value])
            if octets.count > LockChannelLimits.valueCount {
                host.disconnect(link, reason: .remoteUserTerminated, at: now)
            } else {
                report(link, .wrote(octets, mtu: mtu))
            }
        case .subscribed(let link, let handle, let wanted) where link == phone:
            if handle == output, wanted.contains(.indication) { report(link, .subscribed) }
        case .confirmed(let link, let handle) where link == phone: if handle == output { report(link, .confirmed) }
        default: return event.link.map { links.contains($0) } ?? false
        }
        return true
    }

    func advance(_ host: inout Host, to now: Instant) {
        let wishes = wishes
        self.wishes.removeAll()
        for wish in wishes { perform(wish, &host, at: now) }
        if let due = slowsDown, due <= now { (slowsDown, isSlow) = (nil, true) }
    }

    private func perform(_ wish: Wish, _ host: inout Host, at now: Instant) {
        switch wish {
        case .advertise(let octets):
            guard octets != serviceData else { return }
            serviceData = octets
            isSlow = false
            slowsDown = octets.map { _ in now + MatterRelay.fastTime }
        case .indicate(let number, let value):
            guard let phone, MatterRelay.number(phone) == number else { return }
            // An unsent value would never be confirmed.
            if host.indicate(phone, output, value.span, at: now) != .accepted {
                host.disconnect(phone, reason: .remoteUserTerminated, at: now)
            }
        case .disconnect(let number):
            guard let phone, number == nil || MatterRelay.number(phone) == number else { return }
            host.disconnect(phone, reason: .remoteUserTerminated, at: now)
        }
    }

    func shutDown(_ host: inout Host, at now: Instant) {
        serviceData = nil
        for link in links { host.disconnect(link, reason: .remoteUserTerminated, at: now) }
    }

    private func report(_ link: LinkID, _ event: LockLinkEvent) { events.append((MatterRelay.number(link), event)) }

    private static func number(_ link: LinkID) -> UInt16 { UInt16(truncatingIfNeeded: link.generation) }
}
