// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import Octets

/// Assembles frames to messages. Only the first frame carries a header, and frames are not numbered: each belongs to
/// the message that was begun, until it is complete or rejected.
///
/// The payload buffer is allocated once and reused.
///
/// Two cases that the published behaviour leaves open are refused with −9: a last frame with surplus octets, even if
/// a checksum over all of them would match, and an empty message whose checksum field is not 0.
public struct MessageAssembler: Sendable {
    /// The result of a frame.
    public enum Outcome: Hashable, Sendable {
        /// More frames are needed.
        case incomplete
        /// A message is complete, with this status; its octets are in `payload`.
        case message(StatusCode)
        /// The message was discarded; the next frame begins a new one. −4: the first frame is shorter than a header.
        /// −7: a frame above 512 octets, or a payload above 2048. −9: checksum or surplus octets.
        case rejected(StatusCode)
    }

    /// The payload of the last complete message, until the next frame is received.
    public private(set) var payload: [UInt8]
    private var header: MessageHeader?
    private var crc = FrameCRC()

    /// An assembler that expects a first frame.
    public init() {
        payload = []
        payload.reserveCapacity(MessageLimit.payload)
    }

    /// True if a message has begun and is not complete.
    public var isAssembling: Bool { header != nil }

    /// Overwrites the received octets, and expects a first frame.
    public mutating func reset() {
        header = nil
        wipeSecret(&payload)
    }

    /// Handles one frame.
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
        // A length field above the limit is no error by itself: only received octets fill the buffer.
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
