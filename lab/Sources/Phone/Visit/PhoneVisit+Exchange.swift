// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Timekeeping

/// The link of a visit.
struct VisitLink {
    var conversation: Conversation
    let since: Instant
    var stage = VisitStage.discovering
    var request: PhoneRequest?
    /// True if no token waits in the controller.
    var tokenIsSent = true
}

extension PhoneVisit {
    /// Advances the conversation as much as possible: the server's responses, and the requests that follow.
    mutating func converse(at now: Instant) {
        guard var talk = link else { return }
        while case .linked = state, let event = talk.conversation.client.nextEvent() {
            guard let progress = talk.conversation.receive(event, random: &random, at: now) else { continue }
            proceed(progress, &talk, at: now)
        }
        var pdu: [UInt8] = []
        while case .linked = state, talk.conversation.client.nextPDU(into: &pdu) {
            guard (try? central.sendAttribute(talk.conversation.link, pdu.span)) != nil else { break }
        }
        if case .linked = state, central.pendingPackets(talk.conversation.link) == 0 { sent(&talk, at: now) }
        link = talk
    }

    private mutating func proceed(_ progress: ConversationProgress, _ talk: inout VisitLink, at now: Instant) {
        switch progress {
        case .mtu(let mtu): step(.mtu(mtu), at: now)
        case .subscribed:
            step(.services, at: now)
            ask(&talk, at: now)
        case .handshaken:
            step(.handshake, at: now)
            talk.stage = .token
            talk.tokenIsSent = false
        case .completed(let data): answered(data, &talk, at: now)
        case .failed(let failure):
            sent(&talk, at: now)
            fail(.session(failure), talk, at: now)
        case .unusable(let why): fail(.unusable(why), talk, at: now)
        }
    }

    /// Begins the next exchange; without a further request the visit is done.
    private mutating func ask(_ talk: inout VisitLink, at now: Instant) {
        guard let credential = choice?.credential, let request = task.request(credential) else {
            return end(nil, at: now)
        }
        talk.request = request
        talk.stage = .handshake
        deadline = now + plan.timeout
        do throws(StatusCode) {
            let token = try credential.token(for: request, epochSeconds: clock.epochSeconds(at: now))
            let failure = talk.conversation.begin(
                token: token.span, terminal: credential.terminal, random: &random, at: now)
            if let failure { proceed(failure, &talk, at: now) }
        } catch {
            fail(.noToken(error), talk, at: now)
        }
    }

    /// The controller has no packet left, or the reader's answer shows that it has none.
    private mutating func sent(_ talk: inout VisitLink, at now: Instant) {
        guard !talk.tokenIsSent, let request = talk.request else { return }
        talk.tokenIsSent = true
        step(.token(request), at: now)
    }

    private mutating func answered(_ data: [UInt8], _ talk: inout VisitLink, at now: Instant) {
        sent(&talk, at: now)
        guard let request = talk.request, let answer = ReaderAnswer(data, of: request) else {
            return fail(.answer, talk, at: now)
        }
        step(.answer(request, answer), at: now)
        if let denial = answer.denial { return fail(.denied(denial), talk, at: now) }
        task.receive(answer)
        ask(&talk, at: now)
    }

    private mutating func fail(_ cause: VisitFailure.Cause, _ talk: VisitLink, at now: Instant) {
        // The facts of the failure about the link are in the copy that is being advanced.
        link = talk
        end(failure(cause, at: now), at: now)
    }
}
