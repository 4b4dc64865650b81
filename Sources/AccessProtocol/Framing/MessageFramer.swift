internal import Octets

/// Cuts one message into frames, handed out one by one as the link has room for them.
///
/// The message buffer is allocated once and used for every message.
public struct MessageFramer: Sendable {
    private var message: [UInt8]
    private var sent = 0

    /// A framer with nothing to send.
    public init() {
        message = []
        message.reserveCapacity(MessageHeader.octetCount + MessageLimit.payload)
    }

    /// Whether frames are left to be handed out.
    public var isSending: Bool { sent < message.count }

    /// Forgets the frames that are left.
    public mutating func reset() {
        message.removeAll(keepingCapacity: true)
        sent = 0
    }

    /// Begins a message that is a header alone: a status, or an empty message if it is `ok`.
    public mutating func begin(status: StatusCode) {
        reset()
        MessageHeader(payloadCount: 0, crc: 0, status: status).append(to: &message)
    }

    /// Begins a message with the payload that `compose` appends to the octets it is given (it must leave alone
    /// what stands there), status `ok`.
    ///
    /// Throws −7 if that is more than 2048 octets, and what `compose` throws; then there is nothing to send.
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

    /// Begins a message with this payload, status `ok`. Throws −7 if that is more than 2048 octets.
    public mutating func begin(payload: Span<UInt8>) throws(StatusCode) {
        guard payload.count <= MessageLimit.payload else { throw .overflow }
        begin(status: .ok)
        message.append(payload)
        writeHeader()
    }

    /// Replaces `frame` by the next frame, of at most `limit` octets (ATT MTU − 3; at most 512 whatever it says).
    /// False, and an empty frame, if none is left.
    ///
    /// A limit below 6 counts as 6, since the first frame must hold the header; no ATT link is below 20.
    public mutating func next(limit: Int, into frame: inout [UInt8]) -> Bool {
        frame.removeAll(keepingCapacity: true)
        guard isSending else { return false }
        let size = min(max(limit, MessageHeader.octetCount), MessageLimit.frame)
        let end = min(sent + size, message.count)
        frame.append(message.span.extracting(sent..<end))
        sent = end
        return true
    }

    /// The header was appended before its payload was known: put the fields right.
    private mutating func writeHeader() {
        let count = message.count - MessageHeader.octetCount
        let crc = FrameCRC(of: message.span.extracting(droppingFirst: MessageHeader.octetCount)).value
        message[0] = UInt8(truncatingIfNeeded: count >> 8)
        message[1] = UInt8(truncatingIfNeeded: count)
        message[2] = UInt8(truncatingIfNeeded: crc >> 8)
        message[3] = UInt8(truncatingIfNeeded: crc)
    }
}
