// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Timekeeping
@testable import Reader
@testable import ReaderTestSupport

/// The effects of an input, as the process around the reader performs them.
extension World {
    func settle() throws {
        try lookAtClock(isAuthoritative: false)
        keepMarks()
        reader.followPolicy()
        try performEffects()
        try judgeCard()
        try performCardActions()
        handOver()
        while reader.ledger.nextNotice() != nil {}
        try takeAnswers()
        try endLinks()
    }

    func performEffects() throws {
        try decideOpenings()
        reader.takeEffects(into: &effects)
        while !effects.isEmpty {
            for effect in effects { try perform(effect) }
            try decideOpenings()
            reader.takeEffects(into: &effects)
        }
        try judge.look(isFree: isFree, at: now)
    }

    func perform(_ effect: ReaderEffect) throws {
        switch effect {
        case .door(let action, _):
            guard action.output == .lock, flaw != .relaySticks || action.level else { return }
            isFree = action.level
        case .store(let request): try ask(request)
        case .notice(.refused(let phone, .replaced)), .notice(.refused(let phone, .evicted)):
            guard let id = phone.link, judge.owed[id] == nil else {
                throw Violation(.answeredOnce, "a phone that waits for its answer loses its link")
            }
        case .handOn: try judge.handedOn()
        case .aliroStore: aliro = reader.aliro
        case .recorded, .operated, .revocation, .update, .notice: break
        }
    }

    func ask(_ request: StorageRequest) throws {
        reader.ledger.stopGathering()
        handOver()
        if case .clock(let seconds, let authority) = request.work {
            return try setClock(seconds, authority, request.id)
        }
        if case .blacklist(let change) = request.work, !change.adds { judge.pardonsUnderway += 1 }
        disk.queue.append(.request(request.id, request.work))
    }

    func handOver() {
        while let submission = reader.ledger.nextSubmission(at: now) { disk.queue.append(.append(submission)) }
    }

    func decideOpenings() throws {
        while let verdict = reader.ledger.nextVerdict() {
            var status = verdict.status
            if status == .ok { tally.grants += 1 } else { tally.refusals += 1 }
            if flaw == .unrecordedOpens { status = .ok }
            try judge.decided(verdict.opening, status, at: now)
            decide(verdict.opening, status)
            reader.answerOpenings(port: &port, at: moment)
        }
    }

    /// Decides an opening. The planted flaw: a grant that waits is decided by what was in force at its request.
    private func decide(_ opening: OpeningToken, _ status: StatusCode) {
        let present = (reader.cards, reader.policy, reader.aliroDoor)
        if flaw == .revocationWaits {
            reader.cards = CardList(wallet.listed)
            reader.policy.blacklist = Blacklist()
            reader.aliroDoor = try? AliroBadge.door()
        }
        reader.decide(opening, status, at: moment)
        if flaw == .revocationWaits { (reader.cards, reader.policy, reader.aliroDoor) = present }
    }

    func takeAnswers() throws {
        if flaw == .answerLost { port.notified = [] }
        for (id, _, _) in port.notified {
            guard judge.owed.removeValue(forKey: id) != nil else {
                throw Violation(.answeredOnce, "a phone has an answer that it has not asked for")
            }
            if flaw == .answerTwice {
                guard judge.owed.removeValue(forKey: id) != nil else {
                    throw Violation(.answeredOnce, "a phone has two answers to one request")
                }
            }
        }
        port.notified = []
        for id in judge.owed.keys where !isServed(id) { judge.owed[id] = nil }
    }

    /// Ends the links that the reader has asked to end, unless that is an input of its own.
    func endLinks() throws {
        let requests = port.takeRequests()
        if reader.servedLinks > configuration.maximumLinks {
            throw Violation(.slotReturned, "\(reader.servedLinks) links are served")
        }
        guard !scope.hasConnections else { return }
        var hasEnded = false
        for case .disconnect(let id, _) in requests where links[id.slot] == id {
            try end(id.slot)
            hasEnded = true
        }
        if hasEnded { try settle() }
    }
}
