// SPDX-License-Identifier: Apache-2.0

import NFC
import Timekeeping

/// The reader's side of the poll role, on the reactor's thread.
protocol CardHandler: AnyObject {
    /// Handles a card that has entered the field and takes APDUs. An earlier card has left.
    func cardEntered(_ card: FoundCard, at moment: Moment)
    /// Handles the response APDU to the last transmitted command.
    func receive(cardResponse: Span<UInt8>, at moment: Moment)
    /// Handles the end of the card's presence before its release.
    func cardLeft()
    /// Removes and returns the next order for the card; nil while there is none.
    func nextOrder() -> CardOrder?
}

/// A reader without a kind of card: it releases each card.
final class NoCardKinds: CardHandler {
    private var holdsCard = false
    private let report: () -> Void

    /// `report` is called for each card that is released.
    init(_ report: @escaping () -> Void) { self.report = report }

    func cardEntered(_ card: FoundCard, at moment: Moment) {
        holdsCard = true
        report()
    }

    func receive(cardResponse: Span<UInt8>, at moment: Moment) {}

    func cardLeft() { holdsCard = false }

    func nextOrder() -> CardOrder? {
        guard holdsCard else { return nil }
        holdsCard = false
        return .release
    }
}
