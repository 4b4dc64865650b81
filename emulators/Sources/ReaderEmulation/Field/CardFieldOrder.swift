// SPDX-License-Identifier: Apache-2.0

public import Credentials

/// An order about cards.
public enum CardFieldOrder: Equatable, Sendable {
    /// List this card, or the last that was refused.
    case enrol(CardEvidence?)
    /// Empty the list.
    case unenrol
    /// The fault of this name in the next touch, or in each.
    case fault(String, stays: Bool)
    /// This fault no longer.
    case release(String)
}
