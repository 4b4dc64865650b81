// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Timekeeping

/// An unfinished exchange.
struct Transaction: Sendable {
    enum State: Sendable {
        /// A timed interaction, whose request must arrive by this time.
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
    /// The time at which the server ends the transaction.
    var deadline: Instant

    /// True for a command whose outcome is awaited.
    var isCommand: Bool {
        guard case .invoking = state else { return false }
        return true
    }

    /// The subscription of a report.
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

/// The progress of a write in parts.
struct WriteProgress: Sendable {
    var isTimed: Bool
    /// The judgement of each attribute so far. Access and data version are checked once, before the first element:
    /// while a list of access control entries is replaced in parts, it may lack the peer's entry.
    var judged: [AttributePath: Judgement] = [:]

    struct Judgement: Sendable {
        var isList: Bool
        /// The refusal of access.
        var refusal: StatusInformation?
        /// The fault of an element, which also applies to the following entries.
        var fault: StatusInformation?
    }
}
