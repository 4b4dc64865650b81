// SPDX-License-Identifier: Apache-2.0

import Octets

/// The reason why a peer is refused.
public enum SimBLEFault: Error, Equatable, Sendable {
    /// The token is missing, of another length, or another one.
    case token
    /// A frame with a payload of this length.
    case tooLong(Int)
    /// The payload is no canonical map, so that it has no token.
    case notCanonical
    /// A member is missing, or not of the schema.
    case malformed(String)
    /// An operation that version 1 does not have.
    case operation(Int64)
}

/// Cuts frames from a stream: the length of the payload in four octets, most significant first, and the payload.
public struct SimBLEFramer: Sendable {
    /// The maximum length of a payload by the schema, 1 MiB.
    static let wireLimit = 1 << 20
    /// The maximum length of a request. The longest of the schema has a value of 512 octets or a list of UUIDs; a peer
    /// without the token must not occupy more.
    public static let requestLimit = 64 * 1024

    private var octets: [UInt8] = []
    private var head = 0

    /// A framer at the start of a stream.
    public init() {}

    /// True if a part of a frame is present.
    public var isPartial: Bool { head < octets.count }

    /// The number of received octets that are not part of a frame yet.
    public var count: Int { octets.count - head }

    /// Appends received octets.
    public mutating func append(_ received: Span<UInt8>) {
        if head > 0 {
            octets.removeFirst(head)
            head = 0
        }
        octets.append(received)
    }

    /// Removes and returns the next payload; nil if it is not complete.
    public mutating func next() throws(SimBLEFault) -> [UInt8]? {
        guard let payload = try payload() else { return nil }
        head = payload.upperBound
        return Array(octets[payload])
    }

    /// The place of the next payload.
    private func payload() throws(SimBLEFault) -> Range<Int>? {
        let bytes = octets.span
        var cursor = OctetCursor(bytes, in: head..<bytes.count)
        guard let upper = try? cursor.u16BigEndian(bytes), let lower = try? cursor.u16BigEndian(bytes) else {
            return nil
        }
        let length = Int(upper) << 16 | Int(lower)
        guard length <= SimBLEFramer.requestLimit else { throw .tooLong(length) }
        return try? cursor.consume(length, of: bytes)
    }

    /// Appends the frame of a payload.
    static func append(_ payload: [UInt8], to octets: inout [UInt8]) {
        octets.append(bigEndian: UInt16(payload.count >> 16))
        octets.append(bigEndian: UInt16(truncatingIfNeeded: payload.count))
        octets += payload
    }
}
