// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// A device in a capture: the peripheral of its links.
enum RecordedDeviceID: Hashable {
    /// The host of this controller of the capture.
    case local(controller: Int)
    /// The peer with this address.
    case peer(BluetoothAddress)
    /// A peer whose connection began before the capture.
    case unknown(controller: Int, handle: UInt16)
}

/// A device in a capture.
struct RecordedDevice {
    var table = RecordedTable()
    var advertising = RecordedAdvertising()
}

/// The devices of a capture, from its packets. Packets that are not readable are counted: a capture may begin and end
/// anywhere.
struct CaptureRecording {
    /// The maximum number of devices, to which advertisers in a busy place count.
    private static let maximumDevices = 4096

    private struct LinkKey: Hashable {
        var controller: Int
        var handle: UInt16
    }

    private(set) var devices: [RecordedDeviceID: RecordedDevice] = [:]
    /// The number of packets that could not be read.
    private(set) var unreadable = 0
    private var links: [LinkKey: RecordedLink] = [:]
    private var advertisers: [Int: CapturedAdvertiser] = [:]

    mutating func receive(_ packet: CapturedPacket) {
        do throws(OctetError) {
            switch packet.octets.first.map({ H4PacketType(rawValue: $0) }) {
            case .command where !packet.isReceived: try command(packet)
            case .event where packet.isReceived: try event(packet)
            case .acl: try data(packet)
            default: break
            }
        } catch {
            unreadable += 1
        }
    }

    // MARK: - Links

    private mutating func data(_ packet: CapturedPacket) throws(OctetError) {
        guard let data = try DataPacket.parse(packet.octets.span) else { return }
        let key = LinkKey(controller: packet.controller, handle: data.handle)
        guard links[key] != nil else { return try unknownData(data, key, packet) }
        let fragment = packet.octets.span.extracting(data.fragment)
        guard let pdu = links[key]?.frame(fragment, isStart: data.isStart, isReceived: packet.isReceived) else {
            return
        }
        try receive(pdu, key, packet)
    }

    private mutating func receive(_ pdu: [UInt8], _ key: LinkKey, _ packet: CapturedPacket) throws(OctetError) {
        guard let device = links[key]?.device, add(device), var table = devices[device]?.table else { return }
        // Moved out and back: a copy would be made otherwise.
        devices[device]?.table = RecordedTable()
        defer { devices[device]?.table = table }
        try links[key]?.receive(pdu, isReceived: packet.isReceived, at: packet.microseconds, &table)
    }

    /// Data of a connection that began before the capture. The first ATT PDU shows which end is the server.
    private mutating func unknownData(
        _ data: DataPacket, _ key: LinkKey, _ packet: CapturedPacket
    ) throws(OctetError) {
        let fragment = packet.octets.span.extracting(data.fragment)
        guard data.isStart, fragment.count > 4 else { return }
        var cursor = OctetCursor(fragment)
        _ = try cursor.u16(fragment)
        guard L2CAPChannelID(rawValue: try cursor.u16(fragment)) == .attribute else { return }
        let pdu = fragment.extracting(cursor.rest())
        var start = OctetCursor(pdu)
        let isFromServer = try ATTResponse(pdu, &start) != nil
        let isLocal = isFromServer != packet.isReceived
        let device =
            isLocal
            ? RecordedDeviceID.local(controller: key.controller)
            : .unknown(controller: key.controller, handle: key.handle)
        links[key] = RecordedLink(device, isLocal: isLocal, at: packet.microseconds)
        try self.data(packet)
    }

    private mutating func add(_ device: RecordedDeviceID) -> Bool {
        if devices[device] != nil { return true }
        guard devices.count < CaptureRecording.maximumDevices else { return false }
        devices[device] = RecordedDevice()
        return true
    }

    // MARK: - Events

    private mutating func event(_ packet: CapturedPacket) throws(OctetError) {
        let octets = packet.octets.span
        switch try HCIEvent.parse(octets) {
        case .connectionComplete(.success, let connection):
            let key = LinkKey(controller: packet.controller, handle: connection.handle)
            let device =
                connection.isPeripheral
                ? RecordedDeviceID.local(controller: packet.controller) : .peer(connection.peer.withoutResolution)
            links[key] = RecordedLink(device, isLocal: connection.isPeripheral, at: packet.microseconds)
        case .disconnectionComplete(.success, let handle, _):
            links[LinkKey(controller: packet.controller, handle: handle)] = nil
        case .otherLE(.advertisingReport, let parameters):
            var cursor = OctetCursor(octets, in: parameters)
            try legacyReports(octets, &cursor)
        case .otherLE(.extendedAdvertisingReport, let parameters):
            var cursor = OctetCursor(octets, in: parameters)
            try extendedReports(octets, &cursor)
        default: break
        }
    }

    /// LE Advertising Report (Core 5.4, Vol 4, Part E, 7.7.65.2).
    private mutating func legacyReports(_ octets: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        for _ in 0..<(try cursor.u8(octets)) {
            let type = try cursor.u8(octets)
            let kind = BluetoothAddress.Kind(rawValue: try cursor.u8(octets))
            let address = try BluetoothAddress(kind: kind, octets, &cursor)
            let data = try cursor.consume(Int(try cursor.u8(octets)), of: octets)
            _ = try cursor.u8(octets)  // RSSI
            let event: AdvertisingEvent =
                switch type {
                case 0x00: .packet(.connectable)
                case 0x02: .packet(.scannable)
                case 0x03: .packet(.nonConnectable)
                case 0x04: .scanResponse
                default: .other
                }
            report(address, event, octets.octets(data))
        }
        try cursor.finish()
    }

    /// LE Extended Advertising Report (7.7.65.13). Legacy PDUs have bit 4 of their type.
    private mutating func extendedReports(_ octets: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        for _ in 0..<(try cursor.u8(octets)) {
            let type = try cursor.u16(octets)
            let kind = BluetoothAddress.Kind(rawValue: try cursor.u8(octets))
            let address = try BluetoothAddress(kind: kind, octets, &cursor)
            // PHYs, SID, transmit power, RSSI, periodic advertising interval, direct address.
            _ = try cursor.consume(14, of: octets)
            let data = try cursor.consume(Int(try cursor.u8(octets)), of: octets)
            let event: AdvertisingEvent =
                switch type {
                case 0x13: .packet(.connectable)
                case 0x12: .packet(.scannable)
                case 0x10: .packet(.nonConnectable)
                case 0x1A, 0x1B: .scanResponse
                default: .other
                }
            report(address, event, octets.octets(data))
        }
        try cursor.finish()
    }

    private enum AdvertisingEvent {
        case packet(AdvertisingSet.Kind)
        case scanResponse
        case other
    }

    private mutating func report(_ address: BluetoothAddress, _ event: AdvertisingEvent, _ data: [UInt8]) {
        let device = RecordedDeviceID.peer(address.withoutResolution)
        guard add(device) else { return }
        switch event {
        case .packet(let kind):
            devices[device]?.advertising.add(RecordedAdvertising.Packet(kind: kind, data: data))
        case .scanResponse: devices[device]?.advertising.respond(data)
        case .other: devices[device]?.advertising.addOther()
        }
    }

    // MARK: - Commands

    /// A host that advertises configures its packets (Core 5.4, Vol 4, Part E, 7.8.5 to 7.8.9, 7.8.53 to 7.8.56).
    private mutating func command(_ packet: CapturedPacket) throws(OctetError) {
        let device = RecordedDeviceID.local(controller: packet.controller)
        var advertiser = advertisers[packet.controller] ?? CapturedAdvertiser()
        let packets = try advertiser.receive(packet.octets.span)
        advertisers[packet.controller] = advertiser
        guard !packets.isEmpty || advertiser.hasOthers, add(device) else { return }
        for packet in packets { devices[device]?.advertising.add(packet) }
        if advertiser.hasOthers { devices[device]?.advertising.addOther() }
    }
}

extension BluetoothAddress {
    /// The address with the kind of an address that no controller has resolved: identities are public or random.
    fileprivate var withoutResolution: BluetoothAddress {
        BluetoothAddress(kind: Kind(rawValue: kind.rawValue & 1), value: value)
    }
}
