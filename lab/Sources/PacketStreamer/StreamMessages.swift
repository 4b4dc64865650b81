// SPDX-License-Identifier: Apache-2.0

import Octets
import Protobuf

// The messages of netsim.packet.PacketStreamer (AOSP, tools/netsim: packet_streamer.proto, hci_packet.proto,
// startup.proto, common.proto). Fields that the server does not use are skipped.

/// A message of the emulator: `PacketRequest`, in which the last member of the oneof counts.
enum StreamRequest: Equatable, Sendable {
    /// The chip that this stream belongs to, field 1.
    case chip(ChipInfo)
    /// An HCI packet in H4's form, with its type octet, field 2. Type 0 is one without a type.
    case hci([UInt8])
    /// A packet of another chip, field 3.
    case other
    /// None of these.
    case empty

    init(decoding octets: Span<UInt8>) throws(ProtobufError) {
        self = .empty
        var reader = ProtobufReader(octets)
        while let tag = try reader.next(octets) {
            switch tag.field {
            case 1: self = .chip(try ChipInfo(decoding: octets, in: try reader.octets(octets, tag)))
            case 2: self = .hci(try StreamRequest.packet(octets, in: try reader.octets(octets, tag)))
            case 3:
                _ = try reader.octets(octets, tag)
                self = .other
            default: try reader.skip(octets, tag)
            }
        }
    }

    /// `HCIPacket`: the type, 1 to 5 as in H4, and the packet without it.
    private static func packet(_ octets: Span<UInt8>, in range: Range<Int>) throws(ProtobufError) -> [UInt8] {
        var packet: [UInt8] = [0]
        var reader = ProtobufReader(octets, in: range)
        while let tag = try reader.next(octets) {
            switch tag.field {
            case 1:
                guard let type = UInt8(exactly: try reader.uint64(octets, tag)) else {
                    throw .outOfRange(field: tag.field)
                }
                packet[0] = type
            case 2:
                packet.removeSubrange(1...)
                packet.append(octets.extracting(try reader.octets(octets, tag)))
            default: try reader.skip(octets, tag)
            }
        }
        return packet
    }
}

/// The chip of a stream: `ChipInfo`, of which only the kind is required.
public struct ChipInfo: Equatable, Sendable {
    /// `ChipKind`.
    public enum Kind: UInt64, Sendable {
        /// No kind, which is an error.
        case unspecified = 0
        /// A controller for a host.
        case bluetooth = 1
        /// Wi-Fi.
        case wifi = 2
        /// Ultra-wideband.
        case uwb = 3
        /// An advertiser inside netsim.
        case beacon = 4
    }

    /// The longest text that is kept; the rest of a longer name is dropped.
    static let maximumNameCount = 64

    /// The kind; nil for a number that netsim did not define in 2025.
    public let kind: Kind?
    /// The device's name, such as the AVD's, on one printable line; empty if it has none.
    public let name: String

    /// A chip of this kind, and its device's name.
    public init(kind: Kind?, name: String) {
        (self.kind, self.name) = (kind, name)
    }

    init(decoding octets: Span<UInt8>, in range: Range<Int>) throws(ProtobufError) {
        var kind: Kind? = .unspecified
        var names = (device: "", stream: "")
        var reader = ProtobufReader(octets, in: range)
        while let tag = try reader.next(octets) {
            switch tag.field {
            case 1: names.stream = ChipInfo.text(octets, in: try reader.octets(octets, tag))
            case 2: kind = try ChipInfo.kind(octets, in: try reader.octets(octets, tag))
            case 3: names.device = try ChipInfo.deviceName(octets, in: try reader.octets(octets, tag))
            default: try reader.skip(octets, tag)
            }
        }
        // The stream's is deprecated; older emulators send it alone.
        self.init(kind: kind, name: names.device.isEmpty ? names.stream : names.device)
    }

    /// `Chip.kind`, field 1.
    private static func kind(_ octets: Span<UInt8>, in range: Range<Int>) throws(ProtobufError) -> Kind? {
        var kind: Kind? = .unspecified
        var reader = ProtobufReader(octets, in: range)
        while let tag = try reader.next(octets) {
            if tag.field == 1 {
                kind = Kind(rawValue: try reader.uint64(octets, tag))
            } else {
                try reader.skip(octets, tag)
            }
        }
        return kind
    }

    /// `DeviceInfo.name`, field 1.
    private static func deviceName(_ octets: Span<UInt8>, in range: Range<Int>) throws(ProtobufError) -> String {
        var name = ""
        var reader = ProtobufReader(octets, in: range)
        while let tag = try reader.next(octets) {
            if tag.field == 1 {
                name = text(octets, in: try reader.octets(octets, tag))
            } else {
                try reader.skip(octets, tag)
            }
        }
        return name
    }

    private static func text(_ octets: Span<UInt8>, in range: Range<Int>) -> String {
        let kept = range.prefix(maximumNameCount).map { octets[$0] }
        return String(decoding: kept, as: UTF8.self).printable
    }
}

/// A message of the server: `PacketResponse`.
enum StreamResponse: Equatable, Sendable {
    /// A reason for a person, field 1.
    case error(String)
    /// An HCI packet in H4's form, field 2.
    case hci([UInt8])

    /// The message with the prefix of a call.
    var framed: [UInt8] {
        let count = ProtobufWriter.count { write(to: &$0) }
        var octets = CallFraming.prefix(count)
        octets.reserveCapacity(octets.count + count)
        ProtobufWriter.append(to: &octets) { write(to: &$0) }
        return octets
    }

    private func write(to writer: inout ProtobufWriter) {
        switch self {
        case .error(let text): writer.put(Array(text.utf8).span, field: 1)
        case .hci(let packet):
            let count = ProtobufWriter.count { StreamResponse.write(packet, to: &$0) }
            writer.put(ProtobufTag(field: 2, wireType: .lengthDelimited))
            writer.put(varint: UInt64(count))
            StreamResponse.write(packet, to: &writer)
        }
    }

    private static func write(_ packet: [UInt8], to writer: inout ProtobufWriter) {
        writer.put(varint: UInt64(packet[0]), field: 1)
        writer.put(packet.span.extracting(1..<packet.count), field: 2)
    }
}
