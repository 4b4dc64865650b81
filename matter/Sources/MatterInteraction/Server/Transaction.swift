// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Timekeeping

/// An exchange that is not finished.
struct Transaction: Sendable {
    enum State: Sendable {
        /// A timed interaction, which the request must follow by this time.
        case timed(until: Instant)
        /// A report whose latest message the peer has to answer.
        case reporting(ReportJob)
        /// A write with more parts to come.
        case writing(WriteProgress)
        /// A command whose outcome is awaited.
        case invoking(PendingCommand)
    }

    var accessor: Accessor
    var state: State
    /// The time at which the server gives up.
    var deadline: Instant

    /// True for a command whose outcome is awaited.
    var isCommand: Bool {
        guard case .invoking = state else { return false }
        return true
    }

    /// The subscription that the exchange reports for.
    var subscription: UInt32? {
        guard case .reporting(let job) = state else { return nil }
        return job.purpose.subscription
    }
}

/// A command whose outcome is awaited.
struct PendingCommand: Sendable {
    var ticket: CommandTicket
    var path: CommandPath
    var reference: UInt16?
    var suppressesResponse: Bool
}

/// The parts of a write that are done.
struct WriteProgress: Sendable {
    var isTimed: Bool
    /// The judgement of each attribute so far. Access and data version are judged once, before the first element: a
    /// list of access control entries that is replaced in parts has no entry of the peer in between.
    var judged: [AttributePath: Judgement] = [:]

    struct Judgement: Sendable {
        var isList: Bool
        /// The refusal of access.
        var refusal: StatusInformation?
        /// The fault of an element, which the entries that follow share.
        var fault: StatusInformation?
    }
}
