// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// The advertising sets that a host configures at its controller, from its commands (Core 5.4, Vol 4, Part E, 7.8).
struct CapturedAdvertiser {
    private struct Configured {
        var packet = RecordedAdvertising.Packet(kind: .connectable, data: [])
        var isEnabled = false
        /// True for a type that cannot be played.
        var isOther = false
    }

    /// The sets by advertising handle; the legacy advertiser is −1.
    private var sets: [Int: Configured] = [:]
    /// True if a set of a type that cannot be played was enabled.
    private(set) var hasOthers = false

    private static let legacy = -1
    /// The unit of advertising intervals in microseconds.
    private static let unit: Int64 = 625

    /// Handles a command; returns the packets that are on the air since.
    mutating func receive(_ command: Span<UInt8>) throws(OctetError) -> [RecordedAdvertising.Packet] {
        var cursor = OctetCursor(command)
        _ = try cursor.u8(command)
        let opcode = HCIOpcode(rawValue: try cursor.u16(command))
        let count = Int(try cursor.u8(command))
        guard cursor.remaining == count else { throw .trailing(offset: 3, count: count) }
        switch opcode {
        case .reset:
            sets = [:]
            return []
        case .leSetAdvertisingParameters: return try legacyParameters(command, &cursor)
        case .leSetAdvertisingData, .leSetScanResponseData:
            let octets = command.octets(try cursor.consume(Int(try cursor.u8(command)), of: command))
            return change(CapturedAdvertiser.legacy) { set in
                if opcode == .leSetAdvertisingData {
                    set.packet.data = octets
                } else {
                    set.packet.scanResponse = octets
                }
            }
        case .leSetAdvertisingEnable:
            let isOn = try cursor.u8(command) != 0
            return change(CapturedAdvertiser.legacy) { $0.isEnabled = isOn }
        case .leSetExtendedAdvertisingParameters: return try extendedParameters(command, &cursor)
        case .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData:
            return try extendedData(command, &cursor, isResponse: opcode == .leSetExtendedScanResponseData)
        case .leSetExtendedAdvertisingEnable:
            let isOn = try cursor.u8(command) != 0
            var packets: [RecordedAdvertising.Packet] = []
            for _ in 0..<(try cursor.u8(command)) {
                let set = Int(try cursor.u8(command))
                _ = try cursor.consume(3, of: command)  // duration, maximum of events
                packets += change(set) { $0.isEnabled = isOn }
            }
            return packets
        default: return []
        }
    }

    /// Changes a set; returns its packet if it is on the air.
    private mutating func change(_ set: Int, _ body: (inout Configured) -> Void) -> [RecordedAdvertising.Packet] {
        body(&sets[set, default: Configured()])
        guard let changed = sets[set], changed.isEnabled else { return [] }
        guard !changed.isOther else {
            hasOthers = true
            return []
        }
        return [changed.packet]
    }

    private mutating func legacyParameters(
        _ command: Span<UInt8>, _ cursor: inout OctetCursor
    ) throws(OctetError) -> [RecordedAdvertising.Packet] {
        _ = try cursor.u16(command)
        let interval = try cursor.u16(command)
        let type = try cursor.u8(command)
        return change(CapturedAdvertiser.legacy) { set in
            set.packet.interval = CapturedAdvertiser.duration(UInt32(interval))
            set.isOther = ![0x00, 0x02, 0x03].contains(type)
            set.packet.kind = type == 0x03 ? .nonConnectable : type == 0x02 ? .scannable : .connectable
        }
    }

    private mutating func extendedParameters(
        _ command: Span<UInt8>, _ cursor: inout OctetCursor
    ) throws(OctetError) -> [RecordedAdvertising.Packet] {
        let set = Int(try cursor.u8(command))
        let properties = try cursor.u16(command)
        _ = try cursor.u24(command)
        let interval = try cursor.u24(command)
        return change(set) { set in
            set.packet.interval = CapturedAdvertiser.duration(interval)
            set.isOther = ![0x13, 0x12, 0x10].contains(properties)
            set.packet.kind = properties == 0x10 ? .nonConnectable : properties == 0x12 ? .scannable : .connectable
        }
    }

    private mutating func extendedData(
        _ command: Span<UInt8>, _ cursor: inout OctetCursor, isResponse: Bool
    ) throws(OctetError) -> [RecordedAdvertising.Packet] {
        let set = Int(try cursor.u8(command))
        let operation = try cursor.u8(command)
        _ = try cursor.u8(command)  // fragment preference
        let octets = command.octets(try cursor.consume(Int(try cursor.u8(command)), of: command))
        // Operations: 0 and 2 continue, 1 begins, 3 is complete, 4 changes nothing.
        guard operation < 4 else { return [] }
        let continues = operation == 0 || operation == 2
        return change(set) { set in
            let path = isResponse ? \RecordedAdvertising.Packet.scanResponse : \.data
            let former = continues ? set.packet[keyPath: path] : []
            // More than a set of legacy PDUs holds is not kept.
            set.packet[keyPath: path] = Array((former + octets).prefix(AdvertisingSet.maximumDataCount + 1))
        }
    }

    /// The interval, within what can be played.
    private static func duration(_ units: UInt32) -> Duration {
        .microseconds(min(max(Int64(units), 0x20), 0x4000) * unit)
    }
}
