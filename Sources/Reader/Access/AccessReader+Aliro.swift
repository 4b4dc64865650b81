// SPDX-License-Identifier: Apache-2.0

import Credentials
import Crypto
import Timekeeping

/// Aliro: the reader of the door, and the store that its transactions change.
extension AccessReader {
    /// The Aliro reader with its store; nil refuses its phones. A new one ends the transactions of phones.
    public var aliro: AliroDoor? {
        get { aliroDoor }
        set {
            endAliroTransactions()
            aliroDoor = newValue
            followPolicy()
        }
    }

    /// Ends the transactions of phones, and applies the changes that they request: before a copy of `aliro` is changed
    /// and set again, which would lose them.
    public mutating func endAliroTransactions() {
        if let card = polled, card.aliro != nil { interrupt(card) }
        links.endExchanges(of: .aliro)
    }

    /// Ends the touch, once the phone has its last command.
    private mutating func interrupt(_ card: PolledCard) {
        let isConcluding = card.transaction?.isConcluding == true
        let last = isConcluding ? card.action : card.transaction?.interrupt().map { .transmit($0) }
        card.lastResponseDue = last == nil ? nil : card.state.nextDeadline
        finish(card, last ?? .finish)
    }

    /// A transaction with a phone; nil without a reader, or if the library fails.
    mutating func aliroTransaction(random: inout some RandomSource, at moment: Moment) -> AliroTransaction? {
        followPolicy()
        guard let aliroDoor else { return nil }
        return try? AliroTransaction(
            reader: aliroDoor.reader, store: aliroDoor.store, at: moment, in: configuration.zone, random: &random)
    }

    /// Lets the store follow the list of cards and the blacklist, if they have changed.
    public mutating func followPolicy() {
        guard let followed = aliroDoor?.followedChanges, followed != cardChanges &+ policy.changes else { return }
        aliroDoor?.followedChanges = cardChanges &+ policy.changes
        if aliroDoor?.follow(cards, policy.blacklist) == true { effects.append(.aliroStore) }
    }

    /// Ends the transaction of a card, and applies the changes that it requests.
    mutating func endTransaction(of card: PolledCard) {
        let changes = card.takeStoreChanges()
        card.end()
        apply(changes)
    }

    /// Applies the changes of the store that a transaction requests.
    mutating func apply(_ changes: [AliroEffect]) {
        guard aliroDoor?.apply(changes) == true else { return }
        effects.append(.aliroStore)
    }
}

extension PolledCard {
    /// The transaction of an Aliro phone; nil for another card, and after the end.
    fileprivate var aliro: AliroTransaction? { transaction as? AliroTransaction }
}
