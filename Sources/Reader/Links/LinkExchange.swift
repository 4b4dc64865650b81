// SPDX-License-Identifier: Apache-2.0

import Credentials
import Peripheral

/// The exchange with a client of another service than the access profile's, on one link: its transaction, and the
/// message that waits for the host.
struct LinkExchange {
    /// The characteristic whose notifications the client receives.
    let notified: AttributeHandle
    /// The kind of its credential.
    let kind: CardKind
    /// True once the transaction was begun; there is one on each link.
    private(set) var hasBegun = false
    /// The transaction; nil before and after.
    var transaction: (any LinkTransaction)?
    /// The message that the host has yet to accept; empty for none.
    var message: [UInt8] = []

    init(_ kind: CardKind, notified: AttributeHandle) { (self.kind, self.notified) = (kind, notified) }

    /// Begins the transaction.
    mutating func begin(_ transaction: some LinkTransaction) {
        hasBegun = true
        self.transaction = transaction
    }

    /// Wipes the transaction, and keeps its last message for the host. A late decision is not passed to it.
    mutating func end(last: [UInt8] = []) {
        hasBegun = true
        transaction?.wipe()
        transaction = nil
        message = last
    }
}
