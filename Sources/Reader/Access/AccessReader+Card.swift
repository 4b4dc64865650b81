// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
public import Crypto
public import Timekeeping

/// The card transport: phones that touch the reader. They are near, so there is no gate.
extension AccessReader {
    /// Replaces the applications that phones find; ends the session of a phone in the field.
    public mutating func configureContactless(_ configuration: ContactlessConfiguration) {
        endTap()
        card.application = CardApplication(configuration: configuration)
    }

    /// Ends the session after an activation or a release of the chip.
    public mutating func contactlessReset() {
        endTap()
        card.application.reset()
    }

    /// Handles a command APDU. The response is in `contactlessResponse`, at once or after a later call of
    /// `answerOpenings`, `answerStorage` or `advance`.
    public mutating func receive<Port: ReaderPort & ~Copyable>(
        command: Span<UInt8>, port: inout Port, random: inout some RandomSource, at moment: Moment
    ) {
        defer { door.flushEvents(at: moment, configuration, into: &effects, &ledger) }
        if let link = card.link, link.state.isOver(at: moment.instant) { advanceCard(to: moment.instant) }
        switch card.application.receive(command, at: moment.instant) {
        case .answered, .waiting: break
        case .opened: beginTap(at: moment.instant)
        case .closed: endTap()
        case .malformed(let status):
            if let link = card.link { reject(status, from: link) }
        case .tooLong:
            guard let link = card.link else { return card.application.refuse(.conditionsNotSatisfied) }
            rejectTooLong(from: link)
            sendAnswers(port: &port, at: moment.instant)
        case .received:
            receiveMessage(random: &random, at: moment)
            sendAnswers(port: &port, at: moment.instant)
        }
    }

    /// The response to the last command; empty until it is ready.
    public var contactlessResponse: [UInt8] { card.application.response }

    /// The next deadline of the transport.
    var cardDeadline: Instant? {
        Instant.earlier(card.application.nextDeadline, card.link?.state.nextDeadline)
    }

    mutating func advanceCard(to now: Instant) {
        card.application.advance(to: now)
        guard let link = card.link, case .refuse(let refusal) = link.state.advance(to: now) else { return }
        report(.refused(link.id, refusal))
        closeCard()
    }

    /// Ends the session from the reader's side; commands are refused until the next SELECT.
    mutating func closeCard() {
        card.application.close()
        endTap()
    }

    private mutating func beginTap(at now: Instant) {
        endTap()
        guard !links.isClosed else { return card.application.close() }
        report(.tapped(card.begin(configuration.linkTimes, at: now)))
    }

    private mutating func endTap() {
        if let id = card.end() { report(.tapEnded(id)) }
    }

    /// Passes the new answers to the phones that touch the reader.
    mutating func sendContactlessAnswers(at now: Instant) {
        while let link = nextAnswer(of: .nfc) {
            if let phone = link as? PolledCard {
                deliverAnswer(to: phone, at: now)
            } else if card.send(link) {
                _ = link.answerLeft(configuration.linkTimes, at: now)
            }
        }
    }

    private mutating func receiveMessage(random: inout some RandomSource, at moment: Moment) {
        guard let link = card.link else { return card.application.refuse(.conditionsNotSatisfied) }
        let message = card.application.message
        do throws(StatusCode) {
            let header = try MessageHeader(checking: message.span)
            let payload = message.span.extracting(droppingFirst: MessageHeader.octetCount)
            receive(header.status, payload, from: link, random: &random, at: moment)
        } catch {
            reject(error, from: link)
        }
        refuseSilence(to: link)
    }

    /// Answers with a status word if the session is silent, since each command needs a response.
    private mutating func refuseSilence(to link: AccessLink) {
        guard !link.isBusy, link.session.answer.isEmpty else { return }
        link.session.reset()
        card.application.refuse(.wrongData)
    }

    /// Continues with the request of the phone in the field that has waited for the policy.
    mutating func resumeCard(random: inout some RandomSource, at moment: Moment) {
        guard let link = card.link, let request = link.takeHeld() else { return }
        receive(.ok, request.span, from: link, random: &random, at: moment)
        refuseSilence(to: link)
    }
}
