// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
import Timekeeping

/// The decision about an opening that waited for its record.
public struct OpeningVerdict: Hashable, Sendable {
    /// The opening.
    public var opening: OpeningToken
    /// `ok` opens the door; any other status is the answer to the phone.
    public var status: StatusCode
    /// The number of its record; nil without a record.
    public var sequence: UInt64?
    /// The channel of the request.
    public var channel: AuditChannel
}

/// A request that was answered within the re-arm time.
struct AnsweredRequest {
    let request: OpeningRequest
    let answer: Opening.Answer
    /// The end of the time in which an equal request is the same one.
    let until: Instant
}

/// The openings: those that wait for their record, in `entries`, then those in `decided`, then those in `answered`.
extension RecordLedger {
    /// The state of an equal previous request.
    enum Former: Equatable {
        /// It is not answered yet.
        case waits(OpeningToken)
        case answered(Opening.Answer)
    }

    /// The maximum number of answered requests: more than can arrive in the re-arm time.
    static let answerLimit = 64

    /// The state of an equal previous request; nil for a new request.
    func former(of request: OpeningRequest?, at now: Instant) -> Former? {
        guard let request, reArmTime > .zero else { return nil }
        for entry in entries {
            if let opening = entry.opening, opening.request == request { return .waits(opening.token) }
        }
        if let (opening, _) = decided.first(where: { $0.opening.request == request }) { return .waits(opening.token) }
        return answered.first { $0.request == request && now < $0.until }.map { .answered($0.answer) }
    }

    /// Records the event of a phone's opening, which waits for its verdict.
    mutating func request(_ requester: Opening.Requester, _ event: AuditEvent, at now: Instant) {
        lastNumber &+= 1
        let isUpdate = if case .command(let command) = requester.wanted { command.asksForUpdater } else { false }
        request(isUpdate ? .update(lastNumber) : .phone(lastNumber), requester, event, at: now)
    }

    /// Adds an equal request that waits for the same answer.
    mutating func follow(_ token: OpeningToken, _ requester: Opening.Requester) {
        for index in entries.indices where entries[index].opening?.token == token {
            entries[index].follow(requester)
        }
        for index in decided.indices where decided[index].opening.token == token {
            decided[index].opening.followers.append(requester)
        }
    }

    /// Returns the next verdict.
    public mutating func nextVerdict() -> OpeningVerdict? {
        for index in entries.indices {
            guard let status = entries[index].verdict, let opening = entries[index].opening else { continue }
            entries[index].verdict = nil
            return OpeningVerdict(
                opening: opening.token, status: status, sequence: entries[index].sequence,
                channel: entries[index].event.channel)
        }
        return nil
    }

    /// Returns an opening for its decision, with the event of its record, and ends its wait; nil for another token,
    /// and after the decision.
    mutating func endWait(_ token: OpeningToken) -> (opening: Opening, event: AuditEvent)? {
        guard let index = entries.firstIndex(where: { $0.opening?.token == token }) else { return nil }
        let event = entries[index].event
        let opening = removeOpening(at: index)
        (entries[index].deadline, entries[index].verdict) = (nil, nil)
        if entries[index].state == .over { entries.remove(at: index) }
        return (opening, event)
    }

    /// Returns the oldest decided opening for its answers.
    mutating func nextAnswer(at now: Instant) -> (opening: Opening, answer: Opening.Answer)? {
        guard let (opening, answer) = decided.first else { return nil }
        decided.removeFirst()
        keep(answer, to: opening.request, until: opening.until, at: now)
        return (opening, answer)
    }

    /// Keeps the answer to an opening that was answered at once.
    mutating func keep(_ answer: Opening.Answer, to wanted: Opening.Wanted, at now: Instant) {
        keep(answer, to: wanted.request, until: now + reArmTime, at: now)
    }

    private mutating func keep(
        _ answer: Opening.Answer, to request: OpeningRequest?, until end: Instant, at now: Instant
    ) {
        guard let request else { return }
        answered.removeAll { $0.until <= now || $0.request == request }
        guard answer.isKept, now < end else { return }
        if answered.count >= RecordLedger.answerLimit { answered.removeFirst() }
        answered.append(AnsweredRequest(request: request, answer: answer.repeated, until: end))
    }

    /// True if an opening is without its answer.
    var hasOpenings: Bool { !decided.isEmpty || entries.contains { $0.opening != nil } }

    /// The openings that wait for their decision, with their events.
    public var waiting: [(token: OpeningToken, event: AuditEvent)] {
        entries.compactMap { entry in entry.opening.map { ($0.token, entry.event) } }
    }
}
