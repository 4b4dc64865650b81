// SPDX-License-Identifier: Apache-2.0

import Reader
import Timekeeping

/// An access panel that takes cards.
protocol CardPanel: AnyObject {
    /// The side that decides.
    var mode: ReaderSettings.PanelMode { get }
    /// The decisions that it is told.
    var decisions: ReaderSettings.PanelCards.Decisions { get }
    /// True if it is known not to listen.
    var isSilent: Bool { get }
    /// Queues the card of a credential that was shown at this time; false if that is no card, too many wait, or it is
    /// too late.
    func present(_ credential: String, since: Instant) -> Bool
}

extension PanelService: CardPanel {
    var mode: ReaderSettings.PanelMode { settings.mode }
    var decisions: ReaderSettings.PanelCards.Decisions { settings.cards.decisions }
}
