// SPDX-License-Identifier: Apache-2.0

/// The end of a command that a card prolongs.
///
/// A card may extend its time again and again (S(WTX), ISO/IEC 14443-4, 7.3), and the chip grants it: the command does
/// not end by itself. Any card can do that, so it is no fault of the chip, which is queried instead: a new command ends
/// the present one (PN532 user manual UM0701-02, 6.2.2.2). Only a chip that does not answer it has failed.
extension PollLoop {
    /// A command whose duration depends on a card.
    enum Prolonged: Equatable, Sendable {
        case request, exchange
        case release(AfterRelease)
    }

    /// The number of consecutive requests without a result after which the chip counts as faulty: a chip without a
    /// working transmitter answers each query.
    static let abortedRequestLimit = 8

    /// The present command, if a card may be the reason that its response is late.
    var prolonged: Prolonged? {
        switch phase {
        case .requestA, .requestB: .request
        case .exchanging: .exchange
        case .releasing(let after): .release(after)
        default: nil
        }
    }

    mutating func abort(_ command: Prolonged, again: Bool) -> PollStep {
        send(PN532Command.firmwareVersion, in: .aborting(command, again: again))
    }

    /// Handles the response to the command that aborts. The late response may cross it, once.
    mutating func aborted(_ command: Prolonged, again: Bool, _ result: PollResult, at now: Duration) -> PollStep {
        switch result {
        case .response(let response) where response.count == PN532Command.versionCount: return ended(command, at: now)
        case .noResponse: return fail("no answer from the chip")
        case _ where again: return fail("no valid answer from the chip")
        default: return abort(command, again: true)
        }
    }

    /// The reset of the field ends the card's state, whatever it waits for.
    private mutating func ended(_ command: Prolonged, at now: Duration) -> PollStep {
        switch command {
        case .exchange:
            report(.cardLost(now < transactionEnd ? .answer : .slow))
            return resetField(.clearing)
        case .release(let after): return resetField(after == .nextCard ? .clearing : after)
        case .request: return requestEnded(at: now)
        }
    }

    private mutating func requestEnded(at now: Duration) -> PollStep {
        abortedRequests += 1
        guard abortedRequests < PollLoop.abortedRequestLimit else {
            return fail("the chip completes no request for cards")
        }
        noticeCard(at: now)
        if isClearing { return endRound(at: now) }
        report(.cardLost(.activation))
        attempts += 1
        return resetField(attempts < PollLoop.attemptLimit ? .again : .clearing)
    }
}
