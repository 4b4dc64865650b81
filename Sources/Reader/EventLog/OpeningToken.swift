// SPDX-License-Identifier: Apache-2.0

/// The identifier of an opening that waits for its record, by the kind of its requester.
public enum OpeningToken: Hashable, Sendable {
    /// A phone that asks to open, by the number of its opening.
    case phone(UInt64)
    /// A phone that asks for an update.
    case update(UInt64)
    /// An operator, by the ticket of the request.
    case `operator`(OperatorTicket)
}

/// The request of an operator that waits for its opening, by the way that it came.
public enum OperatorTicket: Hashable, Sendable {
    /// A request of the control socket.
    case control(UInt64)
    /// An order of the process of the Matter lock.
    case matter(UInt32)
    /// A signed order of a back end.
    case remote(UInt64)
}

/// The identifier of a phone's command that waits for the event store.
public struct CommandID: Hashable, Sendable {
    /// Ascending from 1 for the life of a reader.
    public let number: UInt64

    /// The command with this number.
    public init(_ number: UInt64) { self.number = number }
}

/// The identifier of a record that is with the event store.
public struct RecordID: Hashable, Sendable {
    /// Ascending from 1 for the life of a ledger.
    public let number: UInt64

    /// The record with this number.
    public init(_ number: UInt64) { self.number = number }
}
