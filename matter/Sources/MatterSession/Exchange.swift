// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// An exchange: messages that belong together, on one session.
struct Exchange: Sendable {
    /// The session of an exchange.
    enum Context: Hashable, Sendable {
        case secured(SessionID)
        /// An initiator on the unsecured session, in the numbering of this node.
        case unsecured(UInt32)
    }

    /// A sent message that is not acknowledged yet. Retransmissions have identical octets.
    struct Unacknowledged: Sendable {
        let counter: UInt32
        let octets: [UInt8]
        var transmissions: Int
        var next: Instant
    }

    /// The maximum number of exchanges of one session in each direction: three subscriptions with a report each, reads
    /// and commands.
    static let limitPerSession = 8
    /// The maximum number of unacknowledged messages of an exchange. The interaction model has one at a time.
    static let unacknowledgedLimit = 4
    /// The time for an answer: the processing time of the interaction model (30 s) and all retransmissions.
    static let answerTime = Duration.seconds(40)
    /// The time for an answer by this node, which a command may take (joining a network takes up to 30 s).
    static let processingTime = Duration.seconds(120)

    let id: ExchangeID
    let context: Context
    /// The identifier in the headers.
    let number: UInt16
    /// True if this node began the exchange.
    let isInitiator: Bool
    /// The counter of the received message that has to be acknowledged by `due`.
    var owed: (counter: UInt32, due: Instant)?
    var unacknowledged: [Unacknowledged] = []
    /// True if no further message is sent or received: the exchange only waits for acknowledgements.
    var isClosing = false
    /// The end of an inactive exchange.
    var expires: Instant

    /// True if nothing remains to be done.
    var isDone: Bool { isClosing && owed == nil && unacknowledged.isEmpty }

    /// The next time at which an action is due.
    var deadline: Instant {
        var deadline = min(expires, owed?.due ?? expires)
        for message in unacknowledged { deadline = min(deadline, message.next) }
        return deadline
    }
}

/// An initiator on the unsecured session (Core 4.13.2.1): its address and ephemeral node identifier.
struct UnsecuredInitiator: Sendable {
    /// The maximum number of remembered initiators: one per handshake in progress, and recent ones, whose repeated
    /// messages are acknowledged again.
    static let limit = 24
    /// The maximum number of exchanges of an initiator: a handshake, and earlier ones that wait for their last
    /// acknowledgement.
    static let exchangeLimit = 3

    let handle: UInt32
    let peer: TransportPeer
    let node: UInt64
    var window = ReceptionWindow()
    var parameters = SessionParameters()
    var lastHeard: Instant
}
