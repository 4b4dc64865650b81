// SPDX-License-Identifier: Apache-2.0

import Octets

/// A fault of the Bluetooth transport protocol (Core 4.19). Each ends the link.
public enum BTPFault: Error, Equatable, Sendable {
    /// Octets that are not a segment or a handshake request.
    case malformed
    /// No version in common.
    case noCommonVersion
    /// A handshake in an open session, or data before it.
    case unexpectedHandshake
    /// Begin and continue in one segment, a message within another, or a continuation without a message.
    case brokenMessage
    /// A segment longer or shorter than the agreed size allows.
    case segmentLength
    /// The parts of a message are longer or shorter than announced, or longer than `BTPLink.messageLimit`.
    case messageLength
    /// A sequence number other than the next one.
    case sequence
    /// An acknowledgement of a segment that was not sent, or is acknowledged already.
    case acknowledgement
    /// More segments than the window allows.
    case window
    /// More messages to send than `BTPLink.queueLimit`.
    case queue
    /// No subscription within 15 s after the handshake request.
    case handshakeTimeout
    /// Data without an acknowledgement for 15 s.
    case acknowledgementTimeout
    /// No data for the idle time.
    case idle
}

extension BTPFault: CustomStringConvertible {
    /// The fault in a few words.
    public var description: String {
        switch self {
        case .malformed: "octets that are no segment"
        case .noCommonVersion: "no version in common"
        case .unexpectedHandshake: "a handshake within a session, or data before it"
        case .brokenMessage: "segments that make no message"
        case .segmentLength: "a segment of another length than agreed"
        case .messageLength: "a message of another length than announced"
        case .sequence: "a sequence number out of order"
        case .acknowledgement: "an acknowledgement of nothing"
        case .window: "more segments than the window allows"
        case .queue: "too many messages wait"
        case .handshakeTimeout: "no subscription in time"
        case .acknowledgementTimeout: "no acknowledgement in time"
        case .idle: "nothing was sent for too long"
        }
    }
}

/// The handshake request (4.19.3.1).
struct BTPHandshakeRequest: Equatable, Sendable {
    /// The flags and management opcode of both handshake messages: H, M, E, B; 0x6C.
    static let start: [UInt8] = [0x65, 0x6C]

    /// The versions, from nibbles; 0 is padding.
    var versions: [UInt8]
    /// The central's ATT MTU; 0 if it does not know it.
    var mtu: UInt16
    var window: UInt8

    init(_ value: Span<UInt8>) throws(BTPFault) {
        let start: [UInt8]
        do throws(OctetError) {
            var cursor = OctetCursor(value)
            start = [try cursor.u8(value), try cursor.u8(value)]
            var nibbles = try cursor.u32(value)
            versions = []
            for _ in 0..<8 {
                versions.append(UInt8(nibbles & 0x0F))
                nibbles >>= 4
            }
            mtu = try cursor.u16(value)
            window = try cursor.u8(value)
            try cursor.finish()
        } catch {
            throw .malformed
        }
        guard start == BTPHandshakeRequest.start else { throw .malformed }
    }
}

/// A data segment or an acknowledgement (4.19.2).
struct BTPSegment: Equatable, Sendable {
    private enum Flag {
        static let begin: UInt8 = 0x01
        static let `continue`: UInt8 = 0x02
        static let end: UInt8 = 0x04
        static let acknowledges: UInt8 = 0x08
        static let management: UInt8 = 0x20
        static let handshake: UInt8 = 0x40
    }

    /// The position of a segment in its message.
    enum Part: Equatable, Sendable {
        /// An acknowledgement without data.
        case none
        /// The first segment, with the length of the message.
        case begin(length: UInt16)
        /// A further segment.
        case `continue`
    }

    var part: Part
    /// True for the last segment of a message.
    var isEnd = false
    var acknowledged: UInt8?
    var sequence: UInt8
    var payload: [UInt8] = []

    /// The octets before the payload of a segment.
    static func headerCount(of part: Part, isAcknowledging: Bool) -> Int {
        let lengthCount = if case .begin = part { 2 } else { 0 }
        return 2 + (isAcknowledging ? 1 : 0) + lengthCount
    }
}

extension BTPSegment {
    init(_ value: Span<UInt8>) throws(BTPFault) {
        let flags: UInt8
        do throws(OctetError) {
            var cursor = OctetCursor(value)
            flags = try cursor.u8(value)
            acknowledged = flags & Flag.acknowledges != 0 ? try cursor.u8(value) : nil
            sequence = try cursor.u8(value)
            part = .none
            if flags & Flag.begin != 0 {
                part = .begin(length: try cursor.u16(value))
            } else if flags & (Flag.continue | Flag.end) != 0 {
                part = .continue
            }
            isEnd = flags & Flag.end != 0
            payload = value.extracting(cursor.rest()).octets
        } catch {
            throw .malformed
        }
        guard flags & (Flag.handshake | Flag.management) == 0 else { throw .unexpectedHandshake }
        guard flags & (Flag.begin | Flag.continue) != Flag.begin | Flag.continue else { throw .brokenMessage }
        // Without data, a segment is an acknowledgement.
        guard part != .none || acknowledged != nil && payload.isEmpty else { throw .malformed }
    }

    var octets: [UInt8] {
        var flags: UInt8 = 0
        switch part {
        case .none: break
        case .begin: flags = Flag.begin
        case .continue: flags = Flag.continue
        }
        if isEnd { flags |= Flag.end }
        if acknowledged != nil { flags |= Flag.acknowledges }
        var octets = [flags]
        if let acknowledged { octets.append(acknowledged) }
        octets.append(sequence)
        if case .begin(let length) = part { octets.append(littleEndian: length) }
        return octets + payload
    }
}

extension Span where Element == UInt8 {
    fileprivate var octets: [UInt8] { withUnsafeBufferPointer { Array($0) } }
}
