// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// The six-octet header of a message, all fields most significant octet first.
public struct MessageHeader: Hashable, Sendable {
    /// The length of a header in octets.
    public static let octetCount = 6

    /// The payload length in octets, 0 to 65,535; see `MessageLimit.payload`.
    public var payloadCount: Int
    /// The `FrameCRC` of the payload; 0 if it is empty.
    public var crc: UInt16
    /// `ok` with a payload; an error has none.
    public var status: StatusCode

    /// The header with these fields.
    public init(payloadCount: Int, crc: UInt16, status: StatusCode) {
        self.payloadCount = payloadCount
        self.crc = crc
        self.status = status
    }

    /// Reads the header at the start of a first frame; nil if the frame is shorter than a header.
    public init?(startOf frame: Span<UInt8>) {
        var cursor = OctetCursor(frame)
        guard let count = try? cursor.u16BigEndian(frame), let crc = try? cursor.u16BigEndian(frame),
            let status = try? cursor.u16BigEndian(frame)
        else { return nil }
        self.init(payloadCount: Int(count), crc: crc, status: StatusCode(rawValue: Int16(bitPattern: status)))
    }

    /// Reads the header of a whole message, and checks the payload behind it.
    ///
    /// - Throws: −4 for a message shorter than a header, −7 for a payload above 2048 octets, −9 for another length or
    ///   checksum than the header's.
    public init(checking message: Span<UInt8>) throws(StatusCode) {
        guard let header = MessageHeader(startOf: message) else { throw .invalidState }
        let payload = message.extracting(droppingFirst: MessageHeader.octetCount)
        guard payload.count <= MessageLimit.payload else { throw .overflow }
        guard payload.count == header.payloadCount, FrameCRC(of: payload).value == header.crc else { throw .crc }
        self = header
    }

    /// Appends the six octets. A payload count above 65,535 is clamped, as it has no encoding.
    public func append(to octets: inout [UInt8]) {
        octets.append(bigEndian: UInt16(clamping: payloadCount))
        octets.append(bigEndian: crc)
        octets.append(bigEndian: UInt16(bitPattern: status.rawValue))
    }
}

/// Buffer sizes of both sides.
public enum MessageLimit {
    /// The maximum payload of a message in octets.
    public static let payload = 2048
    /// The maximum length of a frame in octets, independent of the ATT_MTU.
    public static let frame = 512
}
