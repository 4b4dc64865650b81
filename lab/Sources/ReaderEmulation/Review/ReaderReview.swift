// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Reader
import Timekeeping

/// A mistake of an app with a reader.
struct ReaderMistake: Equatable {
    /// The name of the rule.
    var rule: String
    /// The mistake and the remedy.
    var sentence: String

    init(_ rule: String, _ sentence: String) { (self.rule, self.sentence) = (rule, sentence) }
}

/// The review of the apps of a reader, as a value: events come in, mistakes come out, each rule once a link.
///
/// Only what the reader can see with certainty counts. What a fault has caused is not the app's mistake.
struct ReaderReview {
    /// An event of a link.
    enum Event: Equatable {
        case connected(BluetoothAddress)
        /// The app has sent a message: a handshake, or anything else.
        case asked(isHandshake: Bool, isRequest: Bool)
        /// The reader proves its key, rightly or as a fault.
        case proved(isRight: Bool)
        /// The reader answers a request. A fault may have delayed it.
        case answered
        /// The reader leaves a message without an answer, or refuses it.
        case refusedMessage(StatusCode, told: Bool)
        /// A fault changes or delays what the app is sent.
        case faulted
        /// A fault drops what the app is sent.
        case dropped
        /// The reader ends the link.
        case refused(Refusal)
        /// The app has not subscribed to the answer.
        case unanswerable
        /// The link has ended.
        case ended(byApp: Bool)
    }

    /// The pause after a refusal (access profile, 2), less an interval by which app and reader see it apart.
    static let pause = Duration.milliseconds(450)
    /// The time after which an app may give up an answer that a fault delays.
    static let patience = Duration.seconds(3)

    private struct Link {
        let peer: BluetoothAddress
        var told: Set<String> = []
        /// The time of the message without an answer.
        var askedAt: Instant?
        var isProven = false
        var hasWrongProof = false
        var hasAsked = false
        var isAnswered = false
        /// True if the reader has left the last message without an answer.
        var isLeftWaiting = false
        var isFaulted = false
        var wasRefused = false
    }

    private var links: [UInt32: Link] = [:]
    /// The times at which the reader has refused an address, of the last pause.
    private var refusals: [(peer: BluetoothAddress, at: Instant)] = []

    /// The mistakes that an event reveals.
    mutating func take(_ event: Event, link number: UInt32, at now: Instant) -> [ReaderMistake] {
        if case .connected(let peer) = event { return begin(number, peer, at: now) }
        guard var link = links[number] else { return [] }
        let found = judge(event, &link, at: now)
        if case .ended = event {
            if link.wasRefused { refusals.append((link.peer, now)) }
            links[number] = nil
        } else {
            links[number] = link
        }
        return found
    }

    private mutating func begin(_ number: UInt32, _ peer: BluetoothAddress, at now: Instant) -> [ReaderMistake] {
        links[number] = Link(peer: peer)
        refusals.removeAll { now - $0.at >= ReaderReview.pause }
        guard let refusal = refusals.last(where: { $0.peer == peer }) else { return [] }
        let time = (now - refusal.at).wholeMilliseconds
        return [
            ReaderMistake(
                "retried-at-once", "connected again \(time) ms after a refusal: wait 500 ms before the next attempt")
        ]
    }

    private func judge(_ event: Event, _ link: inout Link, at now: Instant) -> [ReaderMistake] {
        let mistake: ReaderMistake?
        switch event {
        case .connected: mistake = nil
        case .asked(let isHandshake, let isRequest): mistake = asked(isHandshake, isRequest, &link, at: now)
        case .proved(let isRight):
            (link.isProven, link.hasWrongProof, link.askedAt) = (isRight, !isRight, nil)
            mistake = nil
        case .answered:
            (link.isProven, link.isAnswered, link.askedAt) = (false, true, nil)
            mistake = nil
        case .refusedMessage(let code, let told): mistake = refused(code, told, &link)
        case .faulted:
            link.isFaulted = true
            mistake = nil
        case .dropped:
            (link.isFaulted, link.isProven, link.askedAt) = (true, false, nil)
            mistake = nil
        case .refused(let refusal): mistake = ended(by: refusal, &link)
        case .unanswerable:
            mistake = ReaderMistake(
                "not-subscribed", "sent a message before it had subscribed to TX: the answer is lost; subscribe first")
        case .ended(let byApp): mistake = ended(byApp, link, at: now)
        }
        guard let mistake, link.told.insert(mistake.rule).inserted else { return [] }
        return [mistake]
    }

    private func asked(
        _ isHandshake: Bool, _ isRequest: Bool, _ link: inout Link, at now: Instant
    ) -> ReaderMistake? {
        defer {
            (link.askedAt, link.hasAsked, link.isAnswered) = (now, true, false)
            (link.isProven, link.hasWrongProof, link.isLeftWaiting) = (false, false, false)
        }
        if let since = link.askedAt, !(link.isFaulted && now - since >= ReaderReview.patience) {
            return ReaderMistake(
                "asked-again", "sent a message before the one before was answered: wait for the answer")
        }
        guard isRequest, !isHandshake else { return nil }
        if link.hasWrongProof {
            return ReaderMistake(
                "trusted-unproven",
                "sent its request to a reader whose signature is wrong: check it with the reader's key, and disconnect")
        }
        guard !link.isProven else { return nil }
        return ReaderMistake(
            "request-before-proof", "sent a request without a handshake: begin each exchange with one")
    }

    private func refused(_ code: StatusCode, _ told: Bool, _ link: inout Link) -> ReaderMistake? {
        // Nothing follows: the app need not wait any longer. A frame before the answer was judged when it came.
        if !told, code != .unavailable { (link.askedAt, link.isLeftWaiting) = (nil, true) }
        let codes = told ? ReaderReview.unusableRequests : ReaderReview.unusableMessages
        guard !link.isFaulted, codes.contains(code) else { return nil }
        return ReaderMistake(
            "malformed-message",
            "sent a message that the reader cannot use, status \(code.explained): docs/access-profile.md, 4 and 5")
    }

    /// Statuses for octets that no credential, clock or disk has a part in (access profile, 8).
    private static let unusableMessages: Set<StatusCode> = [.invalidState, .overflow, .crc, .decode, .peerStatus]
    private static let unusableRequests: Set<StatusCode> = [.overflow, .salt, .decrypt]

    private func ended(by refusal: Refusal, _ link: inout Link) -> ReaderMistake? {
        link.wasRefused = true
        switch refusal {
        case .earlyDataExceeded:
            return ReaderMistake(
                "too-much-too-early", "sent more than one message before the distance was verified: wait for the proof")
        case .idle, .evicted, .lifetimeExceeded:
            // An app that is owed an answer, or was sent a wrong one, may wait.
            guard link.askedAt == nil, !link.isLeftWaiting, !link.isFaulted, !link.hasWrongProof else { return nil }
            return link.isAnswered
                ? ReaderMistake("never-closed", "had its answer, and did not close the link: others wait for the slot")
                : ReaderMistake(
                    "idle-link",
                    link.hasAsked
                        ? "had the reader's proof, and sent no request before the reader closed the link"
                        : "connected, and sent nothing before the reader closed the link: ask at once, or disconnect")
        default: return nil
        }
    }

    private func ended(_ byApp: Bool, _ link: Link, at now: Instant) -> ReaderMistake? {
        guard byApp, !link.wasRefused, let since = link.askedAt,
            !(link.isFaulted && now - since >= ReaderReview.patience)
        else { return nil }
        return ReaderMistake("did-not-wait", "closed the link before its message was answered: wait for the answer")
    }
}
