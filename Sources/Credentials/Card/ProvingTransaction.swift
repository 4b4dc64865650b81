// SPDX-License-Identifier: Apache-2.0

/// A transaction in which an identity is proven: with a card in the field, or with a client over a radio.
public protocol ProvingTransaction: Sendable {
    /// The identity that is proven, also if the transaction refuses it afterwards; nil before, and for kinds that
    /// refuse nothing after the proof.
    var evidence: CardEvidence? { get }

    /// Wipes the transaction's secrets. Each later call ends with `refused(.outOfOrder)`.
    mutating func wipe()
}

extension ProvingTransaction {
    /// nil: the caller has the identity of `decide`.
    public var evidence: CardEvidence? { nil }
}
