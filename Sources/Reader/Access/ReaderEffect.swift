// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
public import Credentials
public import Timekeeping

/// A request to the shell. Effects are carried out in order; `takeEffects` returns each once.
public enum ReaderEffect: Equatable, Sendable {
    /// Set a line of the door. `since`: the time of the request that moves the lock; nil for any other cause.
    case door(DoorAction, since: Instant?)
    /// Hand a credential on to the access panel that decides about it. `since`: the time of the request.
    case handOn(ShownCredential, since: Instant)
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
    /// Keep the store of Aliro, which has changed.
    case aliroStore
    /// Report to people.
    case notice(ReaderNotice)
}

/// A credential as an access panel gets it.
public struct ShownCredential: Hashable, Sendable {
    /// The identifier; empty for a credential without one.
    public var id: String
    /// The identity of a contactless card; nil for the credentials of the access protocol.
    public var card: CardEvidence?

    /// The credential with this identifier.
    public init(_ id: String, card: CardEvidence? = nil) { (self.id, self.card) = (id, card) }

    /// The credential of a decision.
    public init(_ decision: CredentialDecision) {
        self.init(decision.credentialID?.text ?? "", card: decision.card)
    }
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
