// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Octets
import Timekeeping

/// Messages over APDUs: parts in, whole messages out to the session, its answers out in parts.
extension CardApplication {
    /// TRANSFER: a message or a part of it (ISO/IEC 7816-4, 5.3.3.2). After the last part the message has to be whole
    /// by its own header.
    mutating func receive(part command: CommandAPDU, _ octets: Span<UInt8>, at now: Instant) throws(StatusWord) -> Step
    {
        guard selection == .access else { throw .conditionsNotSatisfied }
        guard command.p1 == 0, command.p2 == 0 else { throw .wrongParameters }
        guard !command.data.isEmpty else { throw .wrongLength }
        switch transfer {
        case .closed, .pending: throw .conditionsNotSatisfied
        // The next message discards the rest of an answer.
        case .idle, .answering:
            message.removeAll(keepingCapacity: true)
            outgoing.removeAll(keepingCapacity: true)
            transfer = .idle
        case .chained: break
        }
        guard command.data.count <= CardApplication.messageLimit - message.count else {
            return endTransfer(.wrongLength, .malformed(.overflow))
        }
        message.append(octets.extracting(command.data))
        let header = MessageHeader(startOf: message.span)
        let isTooLong = header.map { $0.payloadCount > MessageLimit.payload } ?? false
        guard !command.isChained else {
            // A chain has no answer before its end: its status word ends it.
            if isTooLong { return endTransfer(.wrongLength, .tooLong) }
            transfer = .chained
            respond(.ok)
            return .answered
        }
        guard let header else { return endTransfer(.wrongData, .malformed(.invalidState)) }
        guard isTooLong || message.count == MessageHeader.octetCount + header.payloadCount else {
            return endTransfer(.wrongData, .malformed(.crc))
        }
        transfer = .pending(
            Waiting(expected: command.expected, deadline: now + ContactlessConfiguration.responseTimeout))
        return isTooLong ? .tooLong : .received
    }

    /// Ends the message or the chain with this status word.
    private mutating func endTransfer(_ status: StatusWord, _ step: Step) -> Step {
        transfer = .idle
        respond(status)
        return step
    }

    /// POLL: the answer to the message, if it is ready.
    mutating func poll(_ command: CommandAPDU, at now: Instant) throws(StatusWord) -> Step {
        switch transfer {
        case .pending(nil):
            transfer = .pending(
                Waiting(expected: command.expected, deadline: now + ContactlessConfiguration.responseTimeout))
            return .waiting
        case .answering(let sent):
            send(from: sent, expected: command.expected)
            return .answered
        case .closed, .idle, .chained, .pending: throw .conditionsNotSatisfied
        }
    }

    /// GET RESPONSE (ISO/IEC 7816-4, 11.8.1): the next octets of the answer.
    mutating func continueAnswer(_ command: CommandAPDU) throws(StatusWord) -> Step {
        guard case .answering(let sent) = transfer else { throw .conditionsNotSatisfied }
        guard let expected = command.expected else { throw .wrongLength }
        send(from: sent, expected: expected)
        return .answered
    }

    /// Answers the received message with this whole message of at most `messageLimit` octets.
    public mutating func answer(_ octets: Span<UInt8>) {
        guard case .pending(let waiting) = transfer else { return }
        outgoing.removeAll(keepingCapacity: true)
        outgoing.append(octets)
        transfer = .answering(sent: 0)
        // Without a waiting command, POLL fetches it.
        guard let waiting else { return }
        response.removeAll(keepingCapacity: true)
        send(from: 0, expected: waiting.expected)
    }

    /// Answers the received message with a status word alone; the next message must be a handshake.
    public mutating func refuse(_ status: StatusWord) {
        guard case .pending(let waiting) = transfer else { return }
        transfer = .idle
        if waiting != nil { respondAlone(status) }
    }

    private mutating func send(from sent: Int, expected: Int?) {
        let left = outgoing.count - sent
        let count = min(left, expected ?? 0, APDULimit.data)
        respond(sent..<sent + count, of: outgoing, count == left ? .ok : .more(left - count))
        guard count == left else {
            transfer = .answering(sent: sent + count)
            return
        }
        outgoing.removeAll(keepingCapacity: true)
        transfer = .idle
    }
}
