// SPDX-License-Identifier: Apache-2.0

import Octets

extension VisitFailure {
    /// A status word of the card (docs/protocol/nfc-profile.md, 2.3).
    func explain(card status: UInt16) -> VisitExplanation {
        let refused = "the card refuses (\(status.padded(to: 4, radix: 16, uppercase: true)))"
        return switch status {
        case 0x6A82:
            VisitExplanation(
                "\(refused): it has no such application",
                "hold the chip to a reader; if its nfc.aid is set, name that: --aid")
        case 0x6985:
            VisitExplanation("\(refused): the session is over, or the reader shuts down", "touch it again")
        case 0x6A80 where stage == .token:
            VisitExplanation(
                "\(refused): the request cannot be read, or the reader's clock is not set",
                "set the clock: readerlab phone time --set now")
        case 0x6A80:
            VisitExplanation("\(refused): the handshake cannot be read", "try again; the reader's log says why")
        default: VisitExplanation(refused, "see docs/protocol/nfc-profile.md, 2.3")
        }
    }
}
