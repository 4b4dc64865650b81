// SPDX-License-Identifier: Apache-2.0

public import CardPolling
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

extension CardOrder {
    /// The chip's order for an action of the reader.
    public init(_ action: CardAction) {
        self =
            switch action {
            case .transmit(let command): .transmit(command)
            case .tryNext: .tryNext
            case .finish: .release
            }
    }
}

/// The rules of the poll role.
public struct CardReading: Equatable, Sendable {
    /// The kinds that this reader can read.
    public static let readable: [CardKind] = [.phone, .pkoc, .desfire, .aliro]

    /// The kinds that the reader's own list decides; a phone shows its token.
    public static let listed = readable.filter { $0 != .phone }

    /// The kinds of card that are tried, in this order.
    public var kinds: [CardKind] = []
    /// The identifier that PKOC cards receive.
    public var pkocReader = PKOCReaderID.none
    /// The issuers one of which has to have certified a PKOC card; none without certificates.
    public var pkocIssuers: [PKOCIssuer] = []
    /// True for the fragments of PKOC over Bluetooth LE, profile 2.0.1.
    public var hasPKOCFragments = false

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
    /// The end of the time for the response to the last command, with which the touch has ended; nil without one.
    var lastResponseDue: Instant?
    /// The exchange with a phone that plays the card; nil for a card, and after the end.
    var phone: PhoneCardExchange?
    /// The time to ask a phone again that has requested time; nil if none has.
    var resumesAt: Instant?
    /// True from the selection of a phone's application to the end of the touch.
    private var isTap = false

    init(id: PhoneID, _ kinds: [CardKind], times: LinkTimes, at now: Instant) {
        self.kinds = kinds[...]
        super.init(id: id, times: times, at: now)
    }

    deinit { transaction?.wipe() }

    /// Returns the next kind to try; nil after the last.
    func nextKind() -> CardKind? {
        guard let next = kinds.popFirst() else { return nil }
        kind = next
        return next
    }

    override var evidence: CardEvidence? { transaction?.evidence }

    override func conclude(_ decision: CardDecision) -> Bool {
        guard case .transmit(let command) = transaction?.conclude(decision) else { return true }
        action = .transmit(command)
        return false
    }

    /// The changes stay in the transaction, which wipes them.
    override func takeStoreChanges() -> [AliroEffect] { (transaction as? AliroTransaction)?.effects ?? [] }

    /// Returns true once a phone's application is selected, once.
    func beginsTap() -> Bool {
        guard !isTap, phone?.isSelected == true else { return false }
        isTap = true
        return true
    }

    /// Returns true at the end of a phone's touch, once.
    func endsTap() -> Bool {
        defer { isTap = false }
        return isTap
    }

    /// Ends the transaction. A late decision is not passed to it.
    override func end() {
        super.end()
        transaction?.wipe()
        transaction = nil
        phone = nil
        resumesAt = nil
        action = nil
    }
}
