// SPDX-License-Identifier: Apache-2.0

import AccessProtocol

/// A response APDU: data, and the status word (docs/protocol/nfc-profile.md, 2).
struct CardResponse {
    var data: [UInt8]
    var status: UInt16

    /// Done.
    static let ok: UInt16 = 0x9000
    /// The answer is not ready: poll.
    static let pending: UInt16 = 0x9301
    /// Octets are left for GET RESPONSE.
    static let more: ClosedRange<UInt16> = 0x6100...0x61FF

    /// The response in these octets; nil if they are too few for a status word.
    init?(_ octets: [UInt8]) {
        guard octets.count >= 2 else { return nil }
        data = Array(octets.dropLast(2))
        status = UInt16(octets[octets.count - 2]) << 8 | UInt16(octets[octets.count - 1])
    }
}

/// Messages over the commands of the access application (docs/protocol/nfc-profile.md, 2.2): a message out in parts,
/// its answer back in parts.
struct CardMessages {
    /// The result of a response.
    enum Step: Equatable {
        /// The next command.
        case command([UInt8])
        /// The answer is whole.
        case answer([UInt8])
        /// The card refuses, with this status word.
        case refused(UInt16)
    }

    /// The maximum number of octets of data in a command.
    static let partLimit = 240
    private static let poll: [UInt8] = [0x80, 0x12, 0x00, 0x00, 0x00]
    private static let getResponse: [UInt8] = [0x00, 0xC0, 0x00, 0x00, 0x00]

    private var message: [UInt8] = []
    private var sent = 0
    private var answer: [UInt8] = []

    /// The first command for a message.
    mutating func send(_ message: [UInt8]) -> [UInt8] {
        (self.message, sent, answer) = (message, 0, [])
        return transfer()
    }

    /// Handles the response to the last command.
    mutating func receive(_ response: CardResponse) -> Step {
        guard sent == message.count else {
            return response.status == CardResponse.ok ? .command(transfer()) : .refused(response.status)
        }
        switch response.status {
        case CardResponse.pending: return .command(CardMessages.poll)
        case CardResponse.more:
            answer += response.data
            // Longer responses violate the protocol; the session reports it.
            return answer.count > MessageHeader.octetCount + MessageLimit.payload
                ? .answer(answer) : .command(CardMessages.getResponse)
        case CardResponse.ok: return .answer(answer + response.data)
        default: return .refused(response.status)
        }
    }

    /// The TRANSFER of the next part.
    private mutating func transfer() -> [UInt8] {
        let part = message[sent..<min(sent + CardMessages.partLimit, message.count)]
        sent = part.endIndex
        let isLast = sent == message.count
        return [isLast ? 0x80 : 0x90, 0x10, 0x00, 0x00, UInt8(part.count)] + part + (isLast ? [0x00] : [])
    }
}
