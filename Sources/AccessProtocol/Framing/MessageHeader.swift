internal import Octets

/// The six octets in front of a message's payload, all fields most significant octet first.
public struct MessageHeader: Hashable, Sendable {
    /// How many octets a header takes.
    public static let octetCount = 6

    /// How many payload octets follow, 0 to 65,535 as far as the field goes; see `MessageLimit.payload`.
    public var payloadCount: Int
    /// The `FrameCRC` of the payload, 0 if there is none.
    public var crc: UInt16
    /// `ok` in front of a payload; an error stands alone.
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

    /// Appends the six octets. A payload count above 65,535 has no encoding and is cut to that.
    public func append(to octets: inout [UInt8]) {
        octets.append(bigEndian: UInt16(clamping: payloadCount))
        octets.append(bigEndian: crc)
        octets.append(bigEndian: UInt16(bitPattern: status.rawValue))
    }
}

/// What the buffers of both sides hold.
public enum MessageLimit {
    /// The octets of payload in one message: the buffer of both sides.
    public static let payload = 2048
    /// The octets in one frame: the receive buffer of both sides, whatever the ATT MTU would carry.
    public static let frame = 512
}
