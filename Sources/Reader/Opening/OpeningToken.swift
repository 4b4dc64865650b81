/// Names what waits for its record, and who asked for it.
public enum OpeningToken: Hashable, Sendable {
    /// A phone that is to be let in, by the number of its opening.
    case phone(UInt64)
    /// A phone that asked for an update.
    case update(UInt64)
    /// An operator who opens the door, by the ticket of the request.
    case `operator`(UInt64)
}

/// Names a phone's command that waits for the event store.
public struct CommandID: Hashable, Sendable {
    /// Ascending from 1 for the life of a reader.
    public let number: UInt64

    /// The command with this number.
    public init(_ number: UInt64) { self.number = number }
}

/// Names a record of the audit trail that is on its way to the disk.
public struct RecordID: Hashable, Sendable {
    /// Ascending from 1 for the life of a trail.
    public let number: UInt64

    /// The record with this number.
    public init(_ number: UInt64) { self.number = number }
}
