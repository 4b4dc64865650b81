// SPDX-License-Identifier: Apache-2.0

import AirRig
public import HostLoop
import Peripheral
import Phone
import Testing
import Timekeeping
import VirtualRadio

@testable import GATTDevice

extension EmulatedDevice: HostedDevice {}

/// One phone: a central, and a client on its link.
final class ClientPhone: AirPhone {
    var client = GATTClient()
    var results: [Result<GATTOutcome, GATTClientError>] = []
    var values: [(at: Instant, handle: UInt16, octets: [UInt8])] = []
    private var pdu: [UInt8] = []

    override func receive(_ pdu: [UInt8], at now: Instant) { client.receive(pdu.span, at: now) }

    override func linkLost(_ reason: HCIStatus) { client.linkLost() }

    override var nextDeadline: Instant? { [super.nextDeadline, client.deadline].compactMap { $0 }.min() }

    override func advance(to now: Instant) {
        super.advance(to: now)
        client.timePassed(now)
    }

    override func settle(at now: Instant) -> Bool {
        if let link { while client.nextPDU(into: &pdu) { try? central.sendAttribute(link, pdu.span) } }
        let moves = super.settle(at: now)
        while let event = client.nextEvent() {
            switch event {
            case .completed(_, let result): results.append(result)
            case .notification(let handle, let octets), .indication(let handle, let octets):
                values.append((now, handle.rawValue, octets))
            }
        }
        return moves
    }
}

/// A device and phones on the virtual air.
final class DeviceRig<Device: HostedDevice & ~Copyable>: HostedRig<Device, ClientPhone> {
    static var address: BluetoothAddress { BluetoothAddress.randomStatic(from: 0x1234) }

    init(
        _ device: consuming Device, profile: ControllerProfile = .modern, refusals: [UInt16: HCIStatus] = [:]
    ) {
        super.init(device, seed: 3, profile: profile, refusals: refusals)
    }

    /// A connected phone, with the ATT_MTU exchanged if `mtu` is given.
    func connected(mtu: Int? = nil, to address: BluetoothAddress = DeviceRig.address) throws -> ClientPhone {
        let phone = try listening()
        if let mtu { phone.client = GATTClient(maximumMTU: mtu) }
        try connect(phone, to: address)
        if mtu != nil { _ = try perform(.exchangeMTU, phone) }
        return phone
    }

    /// Performs one operation and returns its outcome.
    func perform(_ operation: GATTOperation, _ phone: ClientPhone) throws -> GATTOutcome {
        phone.results.removeAll()
        _ = phone.client.start(operation, at: air.now)
        for _ in 0..<200 where phone.results.isEmpty { run(.milliseconds(20)) }
        return try #require(phone.results.first).get()
    }

    /// The characteristic with that UUID, by discovery.
    func value(_ uuid: BluetoothUUID, _ phone: ClientPhone) throws -> RemoteCharacteristic {
        guard case .services(let services) = try perform(.discoverServices, phone) else { throw Missing() }
        for service in services {
            guard case .characteristics(let found) = try perform(.discoverCharacteristics(in: service.handles), phone)
            else { throw Missing() }
            if let match = found.first(where: { $0.uuid == uuid }) { return match }
        }
        throw Missing()
    }

    struct Missing: Error {}

    func subscribe(_ uuid: BluetoothUUID, _ phone: ClientPhone) throws -> UInt16 {
        let found = try value(uuid, phone)
        let descriptor = AttributeHandle(rawValue: found.value.rawValue + 1)
        #expect(try perform(.subscribe(descriptor: descriptor, .notification), phone) == .written)
        return found.value.rawValue
    }
}
