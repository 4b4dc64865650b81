// SPDX-License-Identifier: Apache-2.0

import Reader

/// An access panel that takes cards.
protocol CardPanel: AnyObject {
    /// The side that decides.
    var mode: ReaderSettings.PanelMode { get }
    /// The decisions that it is told.
    var decisions: ReaderSettings.PanelCards.Decisions { get }
    /// True if it is known not to listen.
    var isSilent: Bool { get }
    /// Tells it a credential; false if that is no card, or cannot be sent now.
    func present(_ credential: String) -> Bool
}

extension PanelService: CardPanel {
    var mode: ReaderSettings.PanelMode { settings.mode }
    var decisions: ReaderSettings.PanelCards.Decisions { settings.cards.decisions }
}
