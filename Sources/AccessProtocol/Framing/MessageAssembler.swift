internal import Crypto
internal import Octets

/// Joins frames to messages. Only the first frame carries a header, and nothing is numbered: what arrives belongs
/// to the message that was begun, until that is complete or rejected.
///
/// The payload buffer is allocated once and used for every message.
///
/// Two cases the published behaviour leaves to us, both refused with −9: a last frame with surplus octets, even if
/// a checksum over all of them would fit, and an empty message whose checksum field is not 0.
public struct MessageAssembler: Sendable {
    /// What a frame led to.
    public enum Outcome: Hashable, Sendable {
        /// More frames are needed.
        case incomplete
        /// A message is complete: its status, and its octets in `payload`.
        case message(StatusCode)
        /// The message was dropped; the next frame begins a new one. −4: the first frame is shorter than a header.
        /// −7: a frame above 512 octets, or more than 2048 octets of payload. −9: checksum or surplus octets.
        case rejected(StatusCode)
    }

    /// The payload of the message completed last, until the next frame is received.
    public private(set) var payload: [UInt8]
    private var header: MessageHeader?
    private var crc = FrameCRC()

    /// An assembler that waits for a first frame.
    public init() {
        payload = []
        payload.reserveCapacity(MessageLimit.payload)
    }

    /// Whether a message has begun and is not complete.
    public var isAssembling: Bool { header != nil }

    /// Overwrites what came, and waits for a first frame.
    public mutating func reset() {
        header = nil
        wipeSecret(&payload)
    }

    /// Takes one frame.
    public mutating func receive(_ frame: Span<UInt8>) -> Outcome {
        guard frame.count <= MessageLimit.frame else { return reject(.overflow) }
        if let header {
            return take(frame, in: header)
        }
        guard let header = MessageHeader(startOf: frame) else { return reject(.invalidState) }
        payload.removeAll(keepingCapacity: true)
        crc = FrameCRC()
        self.header = header
        return take(frame.extracting(MessageHeader.octetCount..<frame.count), in: header)
    }

    private mutating func take(_ octets: Span<UInt8>, in header: MessageHeader) -> Outcome {
        // A length field above the limit is not yet an error: only octets that really come fill the buffer.
        guard octets.count <= MessageLimit.payload - payload.count else { return reject(.overflow) }
        payload.append(octets)
        crc.update(octets)
        guard payload.count >= header.payloadCount else { return .incomplete }
        guard payload.count == header.payloadCount, crc.value == header.crc else { return reject(.crc) }
        self.header = nil
        return .message(header.status)
    }

    private mutating func reject(_ status: StatusCode) -> Outcome {
        reset()
        return .rejected(status)
    }
}
