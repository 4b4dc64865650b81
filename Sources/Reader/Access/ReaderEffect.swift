// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// A request to the shell. Effects are carried out in order; `takeEffects` returns each once.
public enum ReaderEffect: Equatable, Sendable {
    /// Set a line of the door. `since`: the time of the request that moves the lock; nil for any other cause.
    case door(DoorAction, since: Instant?)
    /// Hand a credential, by its identifier, on to the access panel that decides about it. `since`: the time of the
    /// request.
    case handOn(String, since: Instant)
    /// Count an event that is in the ledger; nothing waits for it.
    case recorded(AuditEvent)
    /// A request to the event store. A request with a number waits for `AccessReader.answerStorage`.
    case store(StorageRequest)
    /// Start the platform's updater, once the answer has left.
    case update(UpdateRequest)
    /// Answer an operator's opening, by the ticket of the order; nil for an opening that was executed.
    case operated(OperatorTicket, DoorRequest, DoorRefusal?)
    /// Answer an operator's order about a credential, by the ticket of the request.
    case revocation(OperatorTicket, RevocationOutcome)
    /// Report to people.
    case notice(ReaderNotice)
}

extension ReaderEffect: DoorEffect {
    /// Creates the effect of an action.
    public init(_ action: DoorAction, since: Instant?) { self = .door(action, since: since) }
}

extension RecordLedger {
    /// Records an event, and reports it for counters.
    mutating func record(_ event: AuditEvent, into effects: inout [ReaderEffect]) {
        record(event)
        effects.append(.recorded(event))
    }
}
