// SPDX-License-Identifier: Apache-2.0

public import Credentials
import Timekeeping

/// The next action of the poll role for the card in its field.
public enum CardAction: Equatable, Sendable {
    /// Transmit the command APDU, and pass the response to `receive(cardResponse:)`.
    case transmit([UInt8])
    /// The card has no application of a configured kind: release it, and try another one in the field.
    case tryNext
    /// The transaction is over: transmit nothing, and wait until the field is empty.
    case finish
}

/// The rules of the poll role.
public struct CardReading: Equatable, Sendable {
    /// The kinds that this reader can read.
    public static let readable: [CardKind] = [.pkoc, .desfire]

    /// The kinds of card that are tried, in this order.
    public var kinds: [CardKind] = []
    /// The identifier that PKOC cards receive.
    public var pkocReader = PKOCReaderID.none

    /// A role that tries no card.
    public init() {}
}

/// The card in the reader's field: its transaction, of one kind after the other until it has an application of that
/// kind.
final class PolledCard: AccessLink {
    /// The kinds that have not been tried.
    private var kinds: ArraySlice<CardKind>
    /// The kind whose application is selected, or was selected last.
    private(set) var kind: CardKind?
    /// A kind that was not tried, since the reader lacks its keys; nil for none.
    var lacking: CardKind?
    /// The transaction of this kind; nil before the first and after the end.
    var transaction: (any CardTransaction)?
    /// The action that the poll role has not taken.
    var action: CardAction?
    /// The proven identity, until its decision.
    private(set) var evidence: CardEvidence?
    /// True if the identity waits for the policy to be loaded.
    var isHeld = false

    init(id: PhoneID, _ kinds: [CardKind], times: LinkTimes, at now: Instant) {
        self.kinds = kinds[...]
        super.init(id: id, times: times, at: now)
    }

    deinit { transaction?.wipe() }

    /// True while the decision about the card is awaited.
    override var awaitsAnswer: Bool { evidence != nil && !isHeld }

    /// Returns the next kind to try; nil after the last.
    func nextKind() -> CardKind? {
        guard let next = kinds.popFirst() else { return nil }
        kind = next
        return next
    }

    /// Awaits the decision about a proven identity.
    func prove(_ evidence: CardEvidence) { self.evidence = evidence }

    /// Ends the wait for the decision.
    func decided() { (evidence, isHeld) = (nil, false) }

    /// Ends the transaction. A late decision is not passed to it.
    override func end() {
        super.end()
        decided()
        transaction?.wipe()
        transaction = nil
        action = nil
    }
}
