// SPDX-License-Identifier: Apache-2.0

import Octets
public import Timekeeping

/// The transaction of PKOC over Bluetooth LE with the fragments of profile 2.0.1 (5.5, by the public source of an app):
/// each value begins with an octet, 00 for the first part of a message, 01 for a further one, and 02 for the last one
/// or the only one.
///
/// The reader's messages are each one part: the first of them needs an ATT_MTU of 82.
public struct PKOCFragmentedTransaction: LinkTransaction {
    private enum Part {
        static let first: UInt8 = 0x00
        static let further: UInt8 = 0x01
        static let last: UInt8 = 0x02
    }

    private var transaction: any LinkTransaction
    /// The parts of the phone's message so far; nil before the first.
    private var parts: [UInt8]?

    /// A transaction whose messages are in fragments.
    public init(_ transaction: any LinkTransaction) { self.transaction = transaction }

    /// Sends the reader's first message.
    public mutating func start() -> LinkStep { inFragments(transaction.start()) }

    /// Handles a part, and passes the message on with its last one. A part that is empty or out of order is no message.
    public mutating func receive(_ part: Span<UInt8>) -> LinkStep {
        guard part.count > 1, part[0] <= Part.last, (part[0] == Part.first) == (parts == nil) || part[0] == Part.last
        else { return inFragments(transaction.receive([UInt8]().span)) }
        var message = parts ?? []
        message.append(part.extracting(droppingFirst: 1))
        guard part[0] == Part.last || message.count > PKOCLinkMessage.maximumCount else {
            parts = message
            return .wait
        }
        parts = nil
        return inFragments(transaction.receive(message.span))
    }

    /// Sends the decision.
    public mutating func conclude(_ decision: CardDecision) -> LinkStep { inFragments(transaction.conclude(decision)) }

    /// Forwards the time.
    public mutating func observe(_ now: Instant) { transaction.observe(now) }
    /// Forwards the state of the door.
    public mutating func observe(isUnlocked: Bool?) { transaction.observe(isUnlocked: isUnlocked) }
    /// The transaction's.
    public var deadline: Instant? { transaction.deadline }
    /// Ends the transaction of a silent phone.
    public mutating func expire() -> LinkStep { inFragments(transaction.expire()) }
    /// The transaction's.
    public var evidence: CardEvidence? { transaction.evidence }
    /// Removes and returns the transaction's changes.
    public mutating func takeEffects() -> [AliroEffect] { transaction.takeEffects() }

    /// Wipes the transaction's secrets; the parts contain none in the clear.
    public mutating func wipe() {
        parts = nil
        transaction.wipe()
    }

    private func inFragments(_ step: LinkStep) -> LinkStep {
        switch step {
        case .send(let message): .send([Part.last] + message)
        case .end(let outcome, let last): .end(outcome, last: last.isEmpty ? [] : [Part.last] + last)
        case .wait, .decide: step
        }
    }
}
