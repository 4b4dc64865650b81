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
///
/// A header that announces a payload above 2048 octets is refused at once, so that the message does not hide the next
/// one. The rest of it is dropped: frames that do not begin with a header of status `ok`.
public struct MessageAssembler: Sendable {
    /// The result of a frame.
    public enum Outcome: Hashable, Sendable {
        /// More frames are needed.
        case incomplete
        /// A message is complete, with this status; its octets are in `payload`.
        case message(StatusCode)
        /// The header announces a payload above 2048 octets (−7).
        case tooLong
        /// The frame belongs to a message that was too long.
        case dropped
        /// The message was discarded; the next frame begins a new one. −4: the first frame is shorter than a header.
        /// −7: a frame above 512 octets. −9: checksum or surplus octets.
        case rejected(StatusCode)
    }

    /// The payload of the last complete message, until the next frame is received.
    public private(set) var payload: [UInt8]
    private var header: MessageHeader?
    private var crc = FrameCRC()
    /// True while the rest of a refused message may follow.
    private var isSkipping = false

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
            return consume(frame, in: header)
        }
        let header = MessageHeader(startOf: frame)
        if isSkipping, header?.status != .ok { return .dropped }
        guard let header else { return reject(.invalidState) }
        isSkipping = header.payloadCount > MessageLimit.payload
        guard !isSkipping else {
            reset()
            return .tooLong
        }
        payload.removeAll(keepingCapacity: true)
        crc = FrameCRC()
        self.header = header
        return consume(frame.extracting(MessageHeader.octetCount..<frame.count), in: header)
    }

    private mutating func consume(_ octets: Span<UInt8>, in header: MessageHeader) -> Outcome {
        guard octets.count <= header.payloadCount - payload.count else { return reject(.crc) }
        payload.append(octets)
        crc.update(octets)
        guard payload.count == header.payloadCount else { return .incomplete }
        guard crc.value == header.crc else { return reject(.crc) }
        self.header = nil
        return .message(header.status)
    }

    private mutating func reject(_ status: StatusCode) -> Outcome {
        reset()
        return .rejected(status)
    }
}
