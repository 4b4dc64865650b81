public import Timekeeping

/// What an input of the reader asks of the shell. Effects are done in order; `takeEffects` hands each out once.
public enum ReaderEffect: Equatable, Sendable {
    /// A line of the door is set. `since`: when the request came that the lock is moved for; nil for any other cause.
    case door(DoorAction, since: Instant?)
    /// An event is recorded; nothing waits for that.
    case record(AuditEvent)
    /// The event of an opening is recorded, which waits for that: its decision goes to `AccessReader.decide`.
    case open(OpeningToken, AuditEvent)
    /// A request to the event store. One with a number waits for `AccessReader.answerStorage`.
    case store(StorageRequest)
    /// The platform's updater is started, once the answer has left.
    case update(UpdateRequest)
    /// An operator's opening is over; the ticket of the request.
    case operated(UInt64, OperatorAnswer)
    /// Something is told to people.
    case notice(ReaderNotice)
}

/// What came of an operator's opening.
public enum OperatorAnswer: Equatable, Sendable {
    /// The verdict of the door.
    case door(DoorVerdict)
    /// The log is full, and refuses.
    case logFull
    /// It could not be recorded.
    case notRecorded
}
