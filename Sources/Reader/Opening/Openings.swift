// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The openings that wait, and those answered within the re-arm time. The list reuses its memory.
struct Openings {
    /// The state of an equal previous request.
    enum Former: Equatable {
        /// It is not answered yet.
        case waits(OpeningToken)
        case answered(Opening.Answer)
    }

    /// The maximum number of answered openings: more than can arrive in the re-arm time.
    static let capacity = 64

    /// The time in which equal requests are the same one, for new openings; zero turns this off.
    var reArmTime: Duration
    private(set) var all: [Opening] = []
    private var lastNumber: UInt64 = 0
    /// True if answers are due.
    private(set) var haveDecided = false

    init(reArmTime: Duration) {
        self.reArmTime = reArmTime
        all.reserveCapacity(Openings.capacity * 2)
    }

    /// The state of an equal previous request; nil for a new request.
    func former(of request: OpeningRequest?, at now: Instant) -> Former? {
        guard let request, reArmTime > .zero else { return nil }
        for opening in all where opening.request == request {
            guard case .answered(let answer) = opening.state else { return .waits(opening.token) }
            if now < opening.until { return .answered(answer) }
        }
        return nil
    }

    /// Adds a phone's opening that waits for its record, and returns its token.
    mutating func begin(_ requester: Opening.Requester, _ event: AuditEvent, at now: Instant) -> OpeningToken {
        lastNumber &+= 1
        let isUpdate = if case .command(let command) = requester.wanted { command.asksForUpdater } else { false }
        let token: OpeningToken = isUpdate ? .update(lastNumber) : .phone(lastNumber)
        begin(token, requester, event, at: now)
        return token
    }

    /// Adds an opening that waits for its record.
    mutating func begin(_ token: OpeningToken, _ requester: Opening.Requester, _ event: AuditEvent, at now: Instant) {
        append(
            Opening(
                token: token, request: requester.wanted.request, since: now, until: now + reArmTime,
                state: .recording(requester, event)), at: now)
    }

    /// Adds an opening that was answered at once.
    mutating func remember(_ wanted: Opening.Wanted, _ answer: Opening.Answer, at now: Instant) {
        guard let request = wanted.request, reArmTime > .zero, answer.isKept else { return }
        lastNumber &+= 1
        append(
            Opening(
                token: .phone(lastNumber), request: request, since: now, until: now + reArmTime,
                state: .answered(answer.repeated)), at: now)
    }

    private mutating func append(_ opening: Opening, at now: Instant) {
        all.removeAll { $0.isAnswered && ($0.until <= now || $0.request == opening.request) }
        if all.count(where: \.isAnswered) >= Openings.capacity, let oldest = all.firstIndex(where: \.isAnswered) {
            all.remove(at: oldest)
        }
        all.append(opening)
    }

    /// Adds an equal request that waits for the same answer.
    mutating func follow(_ token: OpeningToken, _ requester: Opening.Requester) {
        if let index = index(token) { all[index].followers.append(requester) }
    }

    /// The opening that waits for its record; nil for another token, and after the decision.
    func recording(_ token: OpeningToken) -> (requester: Opening.Requester, event: AuditEvent, since: Instant)? {
        guard let index = index(token), case .recording(let requester, let event) = all[index].state else { return nil }
        return (requester, event, all[index].since)
    }

    /// Sets the result of an opening that was recording.
    mutating func decide(_ token: OpeningToken, _ answer: Opening.Answer) {
        guard let index = index(token), case .recording(let requester, _) = all[index].state else { return }
        all[index].state = .decided(requester, answer)
        haveDecided = true
    }

    /// Returns the oldest decided opening for its answers, and marks it answered.
    mutating func answerNext() -> (opening: Opening, requester: Opening.Requester, answer: Opening.Answer)? {
        guard haveDecided else { return nil }
        for index in all.indices {
            guard case .decided(let requester, let answer) = all[index].state else { continue }
            let opening = all[index]
            if reArmTime > .zero, opening.request != nil, answer.isKept {
                all[index].followers = []
                all[index].state = .answered(answer.repeated)
            } else {
                all.remove(at: index)
            }
            return (opening, requester, answer)
        }
        haveDecided = false
        return nil
    }

    /// True if one is without its answer.
    var areWaiting: Bool { !all.allSatisfy(\.isAnswered) }

    private func index(_ token: OpeningToken) -> Int? { all.firstIndex { $0.token == token } }
}

extension Opening {
    fileprivate var isAnswered: Bool { if case .answered = state { true } else { false } }
}
