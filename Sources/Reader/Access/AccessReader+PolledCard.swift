// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
public import Crypto
public import Timekeeping

/// The poll role: cards in the reader's field. A proven identity is decided, recorded and carried out as a credential
/// of the access protocol.
extension AccessReader {
    /// Handles a card that has entered the field and accepts APDUs. A previous card has left.
    public mutating func cardEntered(random: inout some RandomSource, at moment: Moment) {
        defer { door.flushEvents(at: moment, configuration, into: &effects, &ledger) }
        end(polled)
        let card = PolledCard(
            id: self.card.nextTap(), configuration.cards.kinds, times: configuration.linkTimes, at: moment.instant)
        polled = card
        guard !links.isClosed else { return finish(card) }
        tryNextKind(of: card, random: &random, at: moment)
    }

    /// Handles the response APDU of the card to the last transmitted command.
    public mutating func receive(
        cardResponse response: Span<UInt8>, random: inout some RandomSource, at moment: Moment
    ) {
        // Keys that the transaction has derived.
        defer { wipeStack() }
        defer { door.flushEvents(at: moment, configuration, into: &effects, &ledger) }
        guard let card = polled else { return }
        if card.lastResponseDue != nil { return release(card) }
        if card.state.isOver(at: moment.instant) { return advancePolledCard(to: moment.instant) }
        if card.phone != nil {
            let isPhone = receive(phoneResponse: response, on: card, random: &random, at: moment)
            if !isPhone { tryNextKind(of: card, random: &random, at: moment) }
            return
        }
        guard let step = card.transaction?.receive(response) else { return }
        follow(step, card, random: &random, at: moment)
    }

    /// Handles the end of the card's presence. A decision in progress is carried out: the person stands at the door.
    public mutating func cardLeft() {
        end(polled)
        polled = nil
    }

    /// Removes and returns the next action for the card; nil while there is none, as while a record is awaited.
    public mutating func nextCardAction() -> CardAction? {
        guard let card = polled else { return nil }
        defer { card.action = nil }
        return card.action
    }

    /// The listed cards; nil if the list cannot be read, in which case all cards are refused.
    public var cardList: CardList? {
        get { cards }
        set { cards = newValue }
    }

    /// The end of the card's time, or of a phone's pause.
    var polledDeadline: Instant? {
        let due = Instant.earlier(polled?.state.nextDeadline, polled?.resumesAt)
        return Instant.earlier(due, polled?.lastResponseDue)
    }

    mutating func advancePolledCard(to now: Instant) {
        guard let card = polled else { return }
        if let due = card.lastResponseDue, due <= now { return release(card) }
        guard case .refuse(let refusal) = card.state.advance(to: now) else {
            return resumePausedPhone(card, at: now)
        }
        report(.refused(card.id, refusal))
        finish(card)
    }

    /// Releases the card after its last command.
    private func release(_ card: PolledCard) {
        card.lastResponseDue = nil
        card.action = .finish
    }

    /// Continues with the card that has waited for the policy.
    mutating func resumePolledCard(random: inout some RandomSource, at moment: Moment) {
        guard let card = polled, !resumePhone(on: card, random: &random, at: moment) else { return }
        _ = resumeIdentity(of: card, at: moment)
    }

    private mutating func tryNextKind(
        of card: PolledCard, random: inout some RandomSource, at moment: Moment
    ) {
        while let kind = card.nextKind() {
            if kind == .phone { return beginPhone(on: card, at: moment) }
            guard var transaction = transaction(of: kind, random: &random, at: moment) else {
                card.lacking = kind
                continue
            }
            let step = transaction.start()
            card.transaction = transaction
            return follow(step, card, random: &random, at: moment)
        }
        refuse(card, card.lacking, card.lacking == nil ? .absent : .unavailable, .tryNext, at: moment)
    }

    /// A transaction of this kind; nil for a kind whose keys the reader lacks, and for a phone, which has a session.
    private mutating func transaction(
        of kind: CardKind, random: inout some RandomSource, at moment: Moment
    ) -> (any CardTransaction)? {
        switch kind {
        case .pkoc: pkocTransaction(random: &random, at: moment)
        case .aliro: aliroTransaction(random: &random, at: moment)
        case .desfire: desfire.map { DESFireTransaction($0, random: &random) }
        case .phone: nil
        }
    }

    /// With trusted issuers no card goes without a certificate.
    private func pkocTransaction(
        random: inout some RandomSource, at moment: Moment
    ) -> any CardTransaction {
        let cards = configuration.cards
        guard cards.pkocIssuers.isEmpty else {
            return PKOCCertifiedTransaction(issuers: cards.pkocIssuers, at: moment, random: &random)
        }
        return PKOCTransaction(readerID: cards.pkocReader, random: &random)
    }

    private mutating func follow(
        _ step: CardStep, _ card: PolledCard, random: inout some RandomSource, at moment: Moment
    ) {
        switch step {
        case .end(.absent): tryNextKind(of: card, random: &random, at: moment)
        case .decide(let evidence): decide(evidence, card, at: moment)
        default: follow(step, card, at: moment)
        }
    }

    /// Follows a step after which no other kind is tried.
    private mutating func follow(_ step: CardStep, _ card: PolledCard, at moment: Moment) {
        switch step {
        case .transmit(let command):
            // Before the card's response: one that leaves now has been refused, too.
            if let refusal = card.transaction?.refusal { report(refusal, card, card.kind, at: moment) }
            card.action = .transmit(command)
        case .end(.refused(let refusal)): refuse(card, card.kind, refusal, at: moment)
        case .end, .decide: finish(card)
        }
    }

    /// Refuses a card that has proven nothing.
    mutating func refuse(
        _ card: PolledCard, _ kind: CardKind?, _ refusal: CardRefusal, _ action: CardAction = .finish,
        at moment: Moment
    ) {
        report(refusal, card, kind, at: moment)
        finish(card, action)
    }

    /// Ends the touch, with the last action for the card.
    mutating func finish(_ card: PolledCard, _ action: CardAction = .finish) {
        end(card)
        card.action = action
    }

    /// Ends the transaction of the card, and the touch of a phone.
    private mutating func end(_ card: PolledCard?) {
        guard let card else { return }
        if let mailbox = card.transaction?.mailbox, !mailbox.isEmpty { report(.mailbox(card.id, mailbox)) }
        endTransaction(of: card)
        if card.endsTap() { report(.tapEnded(card.id)) }
    }
}
