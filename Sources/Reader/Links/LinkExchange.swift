// SPDX-License-Identifier: Apache-2.0

import Credentials
import Peripheral

/// The exchange with a client of another service than the access profile's, on one link: its transaction, and the
/// message that waits for the host.
struct LinkExchange {
    let service: LinkService
    /// The open channel; nil before, and for a service without one.
    var channel: ChannelID?
    /// True once the transaction was begun; there is one on each link.
    private(set) var hasBegun = false
    /// The transaction; nil before and after.
    var transaction: (any LinkTransaction)?
    /// The message that the host has yet to accept; empty for none.
    var message: [UInt8] = []
    /// The changes of the store of Aliro that the transaction requests, once it is concluded.
    var storeChanges: [AliroEffect] = []
    /// True if it began with a reader that was replaced since: its link is of no use to the client.
    private(set) var isOutdated = false
    /// True if the client of an outdated exchange is still to get its last message.
    private var isFarewellDue = false

    init(_ service: LinkService) { self.service = service }

    /// The kind of the client's credential.
    var kind: CardKind { service.kind.credential }

    /// True once the client has done what precedes the transaction: a channel is open where there is one.
    var isReady: Bool { !hasBegun && (channel != nil || service.notified != nil) }

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

    /// Ends the exchange with the reader that it began with. A client in the middle of it gets an error as its last
    /// message, unless the host has yet to accept an earlier one; the last message of an exchange that is over is kept.
    mutating func outdate() {
        (isOutdated, isFarewellDue) = (true, hasBegun)
        guard transaction != nil else { return hasBegun = true }
        var last: [UInt8] = []
        if message.isEmpty, case .end(_, let error)? = transaction?.expire() { last = error }
        end(last: last)
    }

    /// Returns true if the client is to get its last message, once.
    mutating func beginsFarewell() -> Bool {
        defer { isFarewellDue = false }
        return isFarewellDue
    }
}
