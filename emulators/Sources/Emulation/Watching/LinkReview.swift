// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The review of one link's app, as a value: events come in, findings come out, each rule once.
///
/// A finding states a fact that the device observes, never a guess: values that were lost, not subscriptions that may
/// turn out to be missing; a time that has passed, not a time after the end of the run.
struct LinkReview {
    private let expectations: AppExpectations
    let device: Int
    private let link: UInt32
    private var told: Set<String> = []
    private var findings: [Finding] = []

    /// The entry of the app's last write.
    private var written: Int?
    /// The values that the app has lost for want of a subscription.
    private var lost: Set<String> = []
    /// The entry of the unanswered request.
    private var open: Int?
    /// The time of the unanswered request.
    private var openSince: Instant
    /// True while the device is at work for the app.
    private var isAwaiting = false
    /// The entry of the failure without a reaction.
    private var failure: Int?
    /// The entry of the final value, after which the app has to disconnect.
    private var end: Int?
    private var last: (number: Int, at: Instant)
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

    mutating func receive(_ event: TimelineEntry.Event, number: Int, at now: Instant) {
        switch event {
        case .connected, .read, .confirmed, .mtu, .secured: last = (number, now)
        case .subscribed(let to, let notifications, let indications):
            last = (number, now)
            if notifications || indications, lost.contains(to) {
                find("subscribed-late", "subscribed to \(to) after values of it were lost: subscribe first", number)
            }
        case .wrote(let step, _, let withResponse, _):
            last = (number, now)
            wrote(step, withResponse, number, at: now)
        case .fault(let step, _): if reviewed.contains(step) { faulted.insert(step) }
        case .unsent(let step, _, let lacking):
            if let lacking { missed(step, lacking) }
            // An answer that was not sent is not to be waited for.
            faulted.remove(step)
            noteValue(step)
        case .refused(let step, _, _):
            last = (number, now)
            faulted.remove(step)
            if expectations.requests.contains(step) { open = nil }
            if expectations.begins.contains(step) { isAwaiting = false }
        case .sent(let step, _, _, _): sent(step, number, at: now)
        default: break
        }
    }

    /// Handles a value that was lost for want of a subscription to `name`.
    private mutating func missed(_ step: String, _ name: String) {
        guard let written else { return }
        lost.insert(name)
        find(
            "not-subscribed", "wrote without having subscribed to \(name), and \(step) is lost: subscribe first",
            written)
    }

    /// The steps on which the rules depend.
    private var reviewed: Set<String> {
        expectations.requests.union(expectations.answers).union(expectations.begins).union(expectations.concludes)
            .union(expectations.failures).union(expectations.ends)
    }

    /// True if the app has waited for the answer as long as can be expected.
    private func hasWaited(at now: Instant) -> Bool { now - openSince >= expectations.patience }

    private mutating func wrote(_ step: String, _ withResponse: Bool, _ number: Int, at now: Instant) {
        failure = nil
        end = nil
        written = number
        if expectations.begins.contains(step) { isAwaiting = true }
        if !withResponse, !expectations.allowsWriteWithoutResponse {
            find(
                "write-without-response",
                "wrote without asking for a response: errors are not seen; write with response", number)
        }
        guard expectations.requests.contains(step) else { return }
        if open != nil, !hasWaited(at: now) {
            find("did-not-wait", "sent a request before the one before was answered: wait for the answer", number)
        }
        open = number
        openSince = now
    }

    /// Handles a value that is sent or suppressed. Nothing replaces a suppressed value.
    private mutating func noteValue(_ step: String) {
        if expectations.answers.contains(step) { open = nil }
        if expectations.concludes.union(expectations.failures).union(expectations.ends).contains(step) {
            isAwaiting = false
        }
    }

    private mutating func sent(_ step: String, _ number: Int, at now: Instant) {
        last.at = now
        noteValue(step)
        if expectations.answers.contains(step) { faulted.subtract(expectations.requests) }
        // A value that a fault has changed means something else to the app, and a value that answers another app
        // requires no reaction.
        guard faulted.remove(step) == nil, written != nil else { return }
        if expectations.failures.contains(step) { failure = number }
        if expectations.ends.contains(step) { end = number }
    }

    // MARK: - Time

    private var owesReaction: Bool {
        failure != nil && !told.contains("ignored-failure") || end != nil && !told.contains("never-closed")
    }

    var deadline: Instant? {
        if owesReaction { return last.at + expectations.reactionTime }
        // The app waits for a value that a fault delays, or for the device.
        guard faulted.isEmpty, !isAwaiting, !told.contains("long-idle") else { return nil }
        return expectations.idleTime.map { last.at + $0 }
    }

    mutating func advance(to now: Instant) {
        guard let deadline, deadline <= now else { return }
        guard owesReaction else {
            let seconds = expectations.idleTime?.components.seconds ?? 0
            return find(
                "long-idle", "asked nothing of the device for \(seconds) s: close links that are not needed",
                last.number)
        }
        let seconds = expectations.reactionTime.components.seconds
        if let failure {
            find(
                "ignored-failure",
                "got a failure, and for \(seconds) s neither tried again nor closed the link", failure)
        }
        if let end {
            find("never-closed", "had the final value, and for \(seconds) s did not close the link", end)
        }
    }

    /// Handles the end of the link.
    ///
    /// - Parameter isByApp: true if the app has ended it; not if the device has, or the connection was lost.
    mutating func ended(isByApp: Bool, at now: Instant) {
        if let open, isByApp, !hasWaited(at: now) {
            find("did-not-wait", "closed the link before the request was answered: wait for the answer", open)
        }
    }
}
