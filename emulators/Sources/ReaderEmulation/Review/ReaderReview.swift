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
    /// The entry that shows it, if that is not the event's own.
    var entry: Int?

    init(_ rule: String, _ sentence: String, entry: Int? = nil) {
        (self.rule, self.sentence, self.entry) = (rule, sentence, entry)
    }
}

/// The review of the apps of a reader, as a value: events come in, mistakes come out, each rule once a link.
///
/// Only facts that the reader observes count. The effects of a fault or of a lost radio link are not the app's
/// mistake: silence is judged at the end of a link, and only if the phone was within range then.
struct ReaderReview {
    /// An event of a link.
    enum Event: Equatable {
        case connected(BluetoothAddress)
        /// The app has sent any ATT PDU.
        case active
        /// The app has sent a message: a handshake, a request, or anything else.
        case asked(isHandshake: Bool, isRequest: Bool, hasSwappedLength: Bool = false)
        /// The link ends before the app's last message is complete: fewer octets have arrived than its header
        /// announces. The time is the last frame's.
        case unfinished(UnfinishedMessage, since: Instant, entry: Int)
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
        /// An answer cannot be sent, for this state of the app's subscription.
        case unanswerable(ReaderSubscription)
        /// The link has ended.
        case ended(LinkEnding)
    }

    /// The end of a link as the reader's controller reports it.
    enum LinkEnding: Equatable {
        /// The phone's user or app has ended it (0x13).
        case byApp
        /// The reader has ended it.
        case byReader
        /// The connection was lost, or the phone was switched off.
        case lost
    }

    /// The pause after a refusal (access profile, 2), less an interval by which app and reader see it apart.
    static let pause = Duration.milliseconds(450)
    /// The time after which an app may give up an answer: no reader takes so long without a fault or a state on
    /// command.
    static let patience = Duration.seconds(3)
    /// The time in which an app reacts to an answer or a proof; an app that was active since is not idle.
    static let reaction = Duration.milliseconds(450)
    /// The time in which a phone within range acknowledges the end of its link. Below the shortest supervision time-out
    /// of phones, 720 ms: the end of a link to a phone out of range takes longer.
    static let acknowledgement = Duration.milliseconds(700)
    /// The time after a frame from which on no more of its message is to come.
    static let frameTime = Duration.seconds(1)

    private struct Link {
        let peer: BluetoothAddress
        var told: Set<String> = []
        /// The time of the last activity of the app, or of the last answer.
        var activeAt: Instant
        /// The time of the message without an answer.
        var askedAt: Instant?
        var isProven = false
        var hasWrongProof = false
        var hasAsked = false
        var hasSwappedLength = false
        var isAnswered = false
        /// True if nothing has followed the last message: the reader is silent, or the app has not subscribed.
        var isLeftWaiting = false
        var isFaulted = false
        /// The reader's refusal, with its time.
        var refusal: (reason: Refusal, at: Instant)?
        var unfinished: (message: UnfinishedMessage, since: Instant, entry: Int)?
    }

    private var links: [UInt32: Link] = [:]
    /// The times at which the reader has refused an address, of the last pause.
    private var refusals: [(peer: BluetoothAddress, at: Instant)] = []

    /// The mistakes that an event reveals.
    mutating func receive(_ event: Event, link number: UInt32, at now: Instant) -> [ReaderMistake] {
        if case .connected(let peer) = event { return begin(number, peer, at: now) }
        guard var link = links[number] else { return [] }
        let found = judge(event, &link, at: now)
        if case .ended = event {
            if link.refusal != nil { refusals.append((link.peer, now)) }
            links[number] = nil
        } else {
            links[number] = link
        }
        return found
    }

    private mutating func begin(_ number: UInt32, _ peer: BluetoothAddress, at now: Instant) -> [ReaderMistake] {
        links[number] = Link(peer: peer, activeAt: now)
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
        case .active:
            link.activeAt = now
            mistake = nil
        case .asked(let isHandshake, let isRequest, let isSwapped):
            link.hasSwappedLength = isSwapped
            mistake = asked(isHandshake, isRequest, &link, at: now)
        case .unfinished(let message, let since, let entry):
            link.unfinished = (message, since, entry)
            mistake = nil
        case .proved(let isRight):
            (link.isProven, link.hasWrongProof, link.askedAt, link.activeAt) = (isRight, !isRight, nil, now)
            mistake = nil
        case .answered:
            (link.isProven, link.isAnswered, link.askedAt, link.activeAt) = (false, true, nil, now)
            mistake = nil
        case .refusedMessage(let code, let told): mistake = refused(code, told, &link)
        case .faulted:
            link.isFaulted = true
            mistake = nil
        case .dropped:
            (link.isFaulted, link.isProven, link.askedAt) = (true, false, nil)
            mistake = nil
        case .refused(let refusal):
            link.refusal = (refusal, now)
            mistake = refusal == .earlyDataExceeded ? ReaderReview.tooMuch(link) : nil
        case .unanswerable(let subscription):
            // There is no answer to wait for.
            (link.askedAt, link.isProven, link.isLeftWaiting) = (nil, false, true)
            mistake = subscription.problem.map { ReaderMistake("not-subscribed", $0) }
        case .ended(let ending): mistake = ended(ending, link, at: now)
        }
        guard let mistake, link.told.insert(mistake.rule).inserted else { return [] }
        return [mistake]
    }

    private func asked(
        _ isHandshake: Bool, _ isRequest: Bool, _ link: inout Link, at now: Instant
    ) -> ReaderMistake? {
        defer {
            (link.askedAt, link.hasAsked, link.isAnswered, link.activeAt) = (now, true, false, now)
            (link.isProven, link.hasWrongProof, link.isLeftWaiting) = (false, false, false)
        }
        if let since = link.askedAt, now - since < ReaderReview.patience {
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
            "request-before-proof",
            "sent a request without a proof of the reader before it: begin each exchange with a handshake")
    }

    private func refused(_ code: StatusCode, _ told: Bool, _ link: inout Link) -> ReaderMistake? {
        // Nothing follows: the app need not wait any longer. A frame before the answer was judged when it came.
        if !told, code != .unavailable { (link.askedAt, link.isLeftWaiting) = (nil, true) }
        let codes = told ? ReaderReview.unusableRequests : ReaderReview.unusableMessages
        guard !link.isFaulted, codes.contains(code) else { return nil }
        let hint = link.hasSwappedLength ? "; \(UnfinishedMessage.swappedHint)" : ""
        return ReaderMistake(
            "malformed-message",
            "sent a message that the reader cannot use, status \(code.explained): "
                + "docs/protocol/access-profile.md, 4 and 5\(hint)"
        )
    }

    /// Statuses for octets that no credential, clock or disk has a part in (access profile, 8).
    private static let unusableMessages: Set<StatusCode> = [.invalidState, .overflow, .crc, .decode, .peerStatus]
    private static let unusableRequests: Set<StatusCode> = [.overflow, .salt, .decrypt]

    /// Both.
    static let unusable = unusableMessages.union(unusableRequests)

    private static func tooMuch(_ link: Link) -> ReaderMistake {
        let amount = link.hasAsked ? "more than one message" : "more than the octets or frames of one message"
        return ReaderMistake(
            "too-much-too-early", "sent \(amount) before the distance was verified: wait for the proof")
    }

    // MARK: - The end of a link

    private func ended(_ ending: LinkEnding, _ link: Link, at now: Instant) -> ReaderMistake? {
        switch ending {
        case .lost: return nil
        case .byReader:
            guard let (reason, at) = link.refusal, now - at <= ReaderReview.acknowledgement else { return nil }
            return ReaderReview.unfinished(link, at: at) ?? ReaderReview.idle(reason, link, at: at)
        case .byApp:
            guard link.refusal == nil else { return nil }
            if let mistake = ReaderReview.unfinished(link, at: now) { return mistake }
            guard let since = link.askedAt, now - since < ReaderReview.patience else { return nil }
            return ReaderMistake(
                "did-not-wait", "closed the link before its message was answered: wait for the answer")
        }
    }

    private static func unfinished(_ link: Link, at now: Instant) -> ReaderMistake? {
        guard let (message, since, entry) = link.unfinished, now - since >= frameTime else { return nil }
        return ReaderMistake("unfinished-message", message.problem, entry: entry)
    }

    private static func idle(_ refusal: Refusal, _ link: Link, at now: Instant) -> ReaderMistake? {
        guard [.idle, .evicted, .lifetimeExceeded].contains(refusal), now - link.activeAt >= reaction else {
            return nil
        }
        // An app that is owed an answer, or was sent a wrong one, may wait.
        guard link.askedAt == nil, !link.isLeftWaiting, !link.isFaulted, !link.hasWrongProof else { return nil }
        if link.isAnswered {
            return ReaderMistake(
                "never-closed", "had its answer, and did not close the link: others wait for the slot")
        }
        guard link.isProven || !link.hasAsked else { return nil }
        return ReaderMistake(
            "idle-link",
            link.hasAsked
                ? "had the reader's proof, and sent no request before the reader closed the link"
                : "connected, and sent no message before the reader closed the link: ask at once, or disconnect")
    }
}
