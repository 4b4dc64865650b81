// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The review of one link's app, as a value: events come in, findings come out, each rule once.
struct LinkReview {
    private let expectations: AppExpectations
    let device: Int
    private let link: UInt32
    private var told: Set<String> = []
    private var findings: [Finding] = []

    private var wanted: Set<String> = []
    private var isEncrypted = false
    private var hasLargeMTU = false
    /// The entry of the unanswered request.
    private var open: Int?
    /// The entry of the failure without a reaction.
    private var failure: Int?
    /// The entry of the final value, after which the app has to disconnect.
    private var end: Int?
    /// The entry of the first request without the required subscriptions.
    private var unsubscribed: Int?
    private var last: (number: Int, at: Instant)
    /// The time of the unanswered request.
    private var openSince: Instant
    /// The steps whose next value a fault has changed or delayed.
    private var faulted: Set<String> = []

    init(_ expectations: AppExpectations, device: Int, link: UInt32, at now: Instant) {
        self.expectations = expectations
        self.device = device
        self.link = link
        last = (0, now)
        openSince = now
    }

    mutating func takeFindings() -> [Finding] {
        defer { findings.removeAll() }
        return findings
    }

    private mutating func find(_ rule: String, _ sentence: String, _ entry: Int) {
        guard told.insert(rule).inserted else { return }
        findings.append(Finding(rule: rule, sentence, entry: entry, device: device, link: link))
    }

    // MARK: - Events

    mutating func take(_ event: TimelineEntry.Event, number: Int, at now: Instant) {
        switch event {
        case .connected, .read, .confirmed: last = (number, now)
        case .mtu(let mtu):
            last = (number, now)
            // An app that has asked is not to blame for a device that offers no more.
            hasLargeMTU = mtu > 23 || mtu >= expectations.offeredMTU
        case .secured(_, let isEncrypted): self.isEncrypted = isEncrypted
        case .subscribed(let to, let notifications, let indications):
            last = (number, now)
            subscribed(to, notifications || indications, number)
        case .wrote(let step, _, let withResponse, _):
            last = (number, now)
            wrote(step, withResponse, number, at: now)
        case .fault(let step, _): if reviewed.contains(step) { faulted.insert(step) }
        case .unsent(let step, _):
            // An answer that a fault has dropped is not to be waited for.
            if faulted.remove(step) != nil, expectations.answers.contains(step) { open = nil }
        case .refused(let step, _, _):
            faulted.remove(step)
            if expectations.requests.contains(step) { open = nil }
        case .sent(let step, let octets, _, _): sent(step, octets.count, number, at: now)
        default: break
        }
    }

    private mutating func subscribed(_ to: String, _ isWanted: Bool, _ number: Int) {
        guard isWanted else {
            wanted.remove(to)
            return
        }
        wanted.insert(to)
        if unsubscribed != nil, expectations.subscribesFirst.allSatisfy(wanted.contains) {
            find(
                "subscribed-late", "subscribed to \(to) after writing: values in between are lost; subscribe first",
                number)
            unsubscribed = nil
        }
    }

    /// The steps of which the rules depend.
    private var reviewed: Set<String> {
        expectations.requests.union(expectations.answers).union(expectations.failures).union(expectations.ends)
    }

    /// True if a fault delays the answer to the unanswered request, and the app has waited for some time.
    private func isKeptWaiting(at now: Instant) -> Bool {
        !faulted.isDisjoint(with: expectations.answers.union(expectations.requests))
            && now - openSince >= expectations.patience
    }

    private mutating func wrote(_ step: String, _ withResponse: Bool, _ number: Int, at now: Instant) {
        failure = nil
        end = nil
        if unsubscribed == nil, !expectations.subscribesFirst.allSatisfy(wanted.contains) {
            unsubscribed = number
            let missing = expectations.subscribesFirst.filter { !wanted.contains($0) }.joined(separator: " and ")
            find(
                "not-subscribed",
                "wrote without having subscribed to \(missing): the answer cannot come; subscribe first", number)
        }
        if expectations.needsEncryption, !isEncrypted {
            find("not-encrypted", "wrote before the link was encrypted: pair, or let the system do it, first", number)
        }
        if !withResponse, !expectations.allowsWriteWithoutResponse {
            find(
                "write-without-response",
                "wrote without asking for a response: errors are not seen; write with response", number)
        }
        guard expectations.requests.contains(step) else { return }
        if open != nil, !isKeptWaiting(at: now) {
            find("did-not-wait", "sent a request before the one before was answered: wait for the answer", number)
        }
        open = number
        openSince = now
    }

    private mutating func sent(_ step: String, _ count: Int, _ number: Int, at now: Instant) {
        last.at = now
        if expectations.answers.contains(step) {
            open = nil
            faulted.subtract(expectations.requests)
        }
        // A value that a fault has changed says something else to the app.
        if faulted.remove(step) == nil {
            if expectations.failures.contains(step) { failure = number }
            if expectations.ends.contains(step) { end = number }
        }
        if expectations.needsLargeMTU, !hasLargeMTU, count >= 20 {
            find(
                "small-mtu",
                "values are cut to 20 octets, since no larger ATT_MTU was agreed: exchange it after connecting", number)
        }
    }

    // MARK: - Time

    private var owesReaction: Bool {
        failure != nil && !told.contains("ignored-failure") || end != nil && !told.contains("never-closed")
    }

    var deadline: Instant? {
        if owesReaction { return last.at + expectations.reactionTime }
        // The app waits for a value that a fault delays.
        guard faulted.isEmpty else { return nil }
        return told.contains("long-idle") ? nil : last.at + expectations.idleTime
    }

    mutating func advance(to now: Instant) {
        guard let deadline, deadline <= now else { return }
        if owesReaction { return finish() }
        find(
            "long-idle",
            "did nothing for \(expectations.idleTime.components.seconds) s: close links that are not needed",
            last.number)
    }

    /// Reports the app's omissions at the end of the run, or of its time.
    mutating func finish() {
        if let failure {
            find("ignored-failure", "was told of a failure, and neither tried again nor closed the link", failure)
        }
        if let end { find("never-closed", "did not close the link when there was nothing more to do", end) }
    }

    /// Handles the end of the link.
    ///
    /// - Parameter isByApp: true if the app has ended it; not if the device has, or the connection was lost.
    mutating func ended(isByApp: Bool, at now: Instant) {
        if let open, isByApp, !isKeptWaiting(at: now) {
            find("did-not-wait", "closed the link before the request was answered: wait for the answer", open)
        }
    }
}
