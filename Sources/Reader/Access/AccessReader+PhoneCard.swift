// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Crypto
import Timekeeping

/// Phones that play the card: the access session over the poll role. They are near, so there is no gate.
extension AccessReader {
    /// Selects the application of a phone.
    mutating func beginPhone(on card: PolledCard, at moment: Moment) {
        var phone = PhoneCardExchange(self.card.application.configuration)
        let step = phone.start()
        card.phone = phone
        follow(step, card, at: moment)
    }

    /// Handles the response of the phone; false if it has no application, or no credential for this reader.
    mutating func receive(
        phoneResponse response: Span<UInt8>, on card: PolledCard, random: inout some RandomSource, at moment: Moment
    ) -> Bool {
        guard let step = card.phone?.receive(response) else { return true }
        if card.beginsTap() { report(.tapped(card.id)) }
        switch step {
        case .end(.absent):
            card.phone = nil
            return false
        case .received: receiveMessage(from: card, random: &random, at: moment)
        default: follow(step, card, at: moment)
        }
        return true
    }

    private mutating func receiveMessage(
        from card: PolledCard, random: inout some RandomSource, at moment: Moment
    ) {
        let message = card.phone?.message ?? []
        do throws(StatusCode) {
            let header = try MessageHeader(checking: message.span)
            let payload = message.span.extracting(droppingFirst: MessageHeader.octetCount)
            receive(header.status, payload, from: card, random: &random, at: moment)
        } catch {
            reject(error, from: card)
        }
        endSilence(to: card)
        sendContactlessAnswers(at: moment.instant)
    }

    /// Continues with the request of a phone that has waited for the policy; false if there is none.
    mutating func resumePhone(
        on card: PolledCard, random: inout some RandomSource, at moment: Moment
    ) -> Bool {
        guard let request = card.takeHeld() else { return false }
        receive(.ok, request.span, from: card, random: &random, at: moment)
        endSilence(to: card)
        return true
    }

    /// Ends the touch if the session is silent: without an answer there is nothing to deliver.
    private mutating func endSilence(to card: PolledCard) {
        if !card.isBusy, card.session.answer.isEmpty { finish(card) }
    }

    /// Delivers the answer of the session. The answer to a request is the last one.
    mutating func deliverAnswer(to card: PolledCard, at now: Instant) {
        guard card === polled, !card.session.answer.isEmpty else { return }
        let isLast = !card.session.isAwaitingRequest
        guard case .transmit(let command) = card.phone?.deliver(card.session.answer.span, isLast: isLast) else {
            return finish(card)
        }
        card.session.answerTaken()
        _ = card.answerLeft(configuration.linkTimes, at: now)
        card.action = .transmit(command)
    }

    /// Transmits FETCH once the pause is over.
    mutating func resumePausedPhone(_ card: PolledCard, at now: Instant) {
        guard let resumes = card.resumesAt, resumes <= now else { return }
        card.resumesAt = nil
        guard case .transmit(let command) = card.phone?.resume() else { return finish(card) }
        card.action = .transmit(command)
    }

    private mutating func follow(_ step: PhoneCardExchange.Step, _ card: PolledCard, at moment: Moment) {
        switch step {
        case .transmit(let command): card.action = .transmit(command)
        case .wait: card.resumesAt = moment.instant + PhoneCardExchange.pause
        case .end(.refused(let refusal)): refuse(card, .phone, refusal, at: moment)
        case .end, .received: finish(card)
        }
    }
}
