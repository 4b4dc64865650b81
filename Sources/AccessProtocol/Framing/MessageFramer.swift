// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// Composes one message, and divides it into frames, which are taken one by one as the link has room.
///
/// The message buffer is allocated once and reused.
public struct MessageFramer: Sendable {
    /// The whole message, header included; empty if there is none.
    public private(set) var message: [UInt8]
    private var sent = 0

    /// A framer with nothing to send.
    public init() {
        message = []
        message.reserveCapacity(MessageHeader.octetCount + MessageLimit.payload)
    }

    /// True if frames remain to be taken.
    public var isSending: Bool { sent < message.count }

    /// Discards the remaining frames.
    public mutating func reset() {
        message.removeAll(keepingCapacity: true)
        sent = 0
    }

    /// Begins a message that is a header only: a status, or an empty message if it is `ok`.
    public mutating func begin(status: StatusCode) {
        reset()
        MessageHeader(payloadCount: 0, crc: 0, status: status).append(to: &message)
    }

    /// Begins a message of status `ok` with the payload that `compose` appends. `compose` must not change the octets
    /// already present.
    ///
    /// - Throws: −7 for a payload above 2048 octets, and any error of `compose`; there is nothing to send then.
    public mutating func begin(_ compose: (inout [UInt8]) throws(StatusCode) -> Void) throws(StatusCode) {
        begin(status: .ok)
        do throws(StatusCode) {
            try compose(&message)
            let room = MessageHeader.octetCount...MessageHeader.octetCount + MessageLimit.payload
            guard room.contains(message.count) else { throw .overflow }
        } catch {
            reset()
            throw error
        }
        writeHeader()
    }

    /// Begins a message of status `ok` with this payload.
    ///
    /// - Throws: −7 for a payload above 2048 octets.
    public mutating func begin(payload: Span<UInt8>) throws(StatusCode) {
        guard payload.count <= MessageLimit.payload else { throw .overflow }
        begin(status: .ok)
        message.append(payload)
        writeHeader()
    }

    /// Begins a message that is complete, header included.
    public mutating func begin(message: Span<UInt8>) {
        reset()
        self.message.append(message)
    }

    /// Replaces `frame` with the next frame of at most `limit` octets (ATT_MTU − 3; at most 512 in any case).
    ///
    /// A limit below 6 counts as 6, since the first frame must hold the header; no ATT link is below 20.
    ///
    /// - Returns: false, with an empty frame, if none is left.
    public mutating func next(limit: Int, into frame: inout [UInt8]) -> Bool {
        frame.removeAll(keepingCapacity: true)
        guard isSending else { return false }
        let size = min(max(limit, MessageHeader.octetCount), MessageLimit.frame)
        let end = min(sent + size, message.count)
        frame.append(message.span.extracting(sent..<end))
        sent = end
        return true
    }

    /// Fills in the header, which was appended before the payload was known.
    private mutating func writeHeader() {
        let count = message.count - MessageHeader.octetCount
        let crc = FrameCRC(of: message.span.extracting(droppingFirst: MessageHeader.octetCount)).value
        message[0] = UInt8(truncatingIfNeeded: count >> 8)
        message[1] = UInt8(truncatingIfNeeded: count)
        message[2] = UInt8(truncatingIfNeeded: crc >> 8)
        message[3] = UInt8(truncatingIfNeeded: crc)
    }
}
