// SPDX-License-Identifier: Apache-2.0

import Timekeeping
import VirtualRadio

/// A card comes into the field of a reader, or leaves it.
struct CardMove {
    var card: Int
    var reader: Int
    /// The end of the presence; nil for a card that leaves.
    var stay: SiteScenario.Card.Stay?
}

/// The cards in the fields of the readers.
extension VirtualSite {
    /// Adds a card, which comes and goes as its plan says.
    func add(_ card: SiteCard, at plans: [SiteScenario.Reader]) {
        let index = cards.count
        cards.append(card)
        for (reader, presence) in card.plan.presences(at: plans) {
            let move = CardMove(card: index, reader: reader, stay: presence.stay)
            presences.add(move, at: .origin + presence.from)
            guard let until = presence.until else { continue }
            presences.add(CardMove(card: index, reader: reader), at: .origin + until)
        }
    }

    /// Moves the cards that are due.
    func moveCards() {
        while let (time, move) = presences.first, time <= now {
            presences.removeFirst()
            let (card, reader) = (cards[move.card], readers[move.reader])
            guard let stay = move.stay else {
                leave(card, reader)
                continue
            }
            // A card is in one field at a time.
            for other in readers where other !== reader { leave(card, other) }
            fields[reader.index]?.enter(card, stay, at: now)
            touch(reader)
        }
    }

    /// Takes all cards away.
    func removeCards() {
        presences = Schedule()
        for reader in readers {
            for card in cards { leave(card, reader) }
        }
    }

    private func leave(_ card: SiteCard, _ reader: SiteReader) {
        fields[reader.index]?.leave(card, at: now)
        touch(reader)
    }
}
