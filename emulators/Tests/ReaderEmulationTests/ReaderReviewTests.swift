// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Reader
import Testing
import Timekeeping

@testable import ReaderEmulation

/// Each rule provoked, and not provoked by a good app or by what a fault has caused.
@Suite struct ReaderReviewTests {
    private typealias Event = ReaderReview.Event
    private static let peer = BluetoothAddress.randomStatic(from: 7)
    private static let connected = Event.connected(peer)
    private static let handshake = Event.asked(isHandshake: true, isRequest: false)
    private static let request = Event.asked(isHandshake: false, isRequest: true)
    private static let proof = Event.proved(isRight: true)
    private static let gone = Event.ended(.byApp)
    private static let unfinished = UnfinishedMessage(received: 10, announced: 100)

    /// The rules that are broken by these events, one each 100 ms.
    private static func rules(_ events: [Event], pause: Duration = .milliseconds(100)) -> [String] {
        var review = ReaderReview()
        var now = Instant.origin
        var rules: [String] = []
        for event in events {
            rules += review.receive(event, link: 1, at: now).map(\.rule)
            now = now + pause
        }
        return rules
    }

    @Test func aGoodAppHasNoFindings() {
        let exchange = [Self.handshake, Self.proof, Self.request, .answered]
        #expect(Self.rules([Self.connected] + exchange + [Self.gone]) == [])
        #expect(Self.rules([Self.connected] + exchange + exchange + [Self.gone]) == [])
        #expect(Self.rules([Self.connected, Self.handshake, .refused(.tooFar(median: -70)), Self.gone]) == [])
    }

    @Test func aRequestAfterAWrongProofIsFound() {
        let wrong = [Self.connected, Self.handshake, .faulted, .proved(isRight: false)]
        #expect(Self.rules(wrong + [Self.request]) == ["trusted-unproven"])
        #expect(Self.rules(wrong + [Self.gone]) == [])
        #expect(Self.rules(wrong + [Self.handshake, Self.proof, Self.request]) == [])
    }

    @Test func aRequestWithoutAProofIsFound() {
        #expect(Self.rules([Self.connected, Self.request]) == ["request-before-proof"])
        let exchange = [Self.connected, Self.handshake, Self.proof, Self.request, .answered]
        #expect(Self.rules(exchange + [Self.request]) == ["request-before-proof"])
    }

    @Test func aMessageBeforeTheAnswerIsFound() {
        let asked = [Self.connected, Self.handshake, Self.proof, Self.request]
        #expect(Self.rules(asked + [Self.handshake]) == ["asked-again"])
        #expect(Self.rules([Self.connected, Self.handshake, Self.handshake]) == ["asked-again"])
        // A fault delays the answer.
        #expect(Self.rules(asked + [.faulted, Self.handshake], pause: .milliseconds(1600)) == [])
        #expect(Self.rules(asked + [.faulted, Self.handshake]) == ["asked-again"])
        #expect(Self.rules(asked + [.dropped, Self.handshake]) == [])
        // The reader is silent: there is nothing to wait for.
        #expect(Self.rules(asked + [.refusedMessage(.currentTime, told: false), Self.handshake]) == [])
    }

    @Test func anAppThatLeavesBeforeTheAnswerIsFound() {
        let asked = [Self.connected, Self.handshake, Self.proof, Self.request]
        #expect(Self.rules(asked + [Self.gone]) == ["did-not-wait"])
        #expect(Self.rules(asked + [.ended(.lost)]) == [])
        #expect(Self.rules(asked + [.dropped, Self.gone]) == [])
        #expect(Self.rules(asked + [.refused(.idle), Self.gone]) == [])
    }

    /// Its answer cannot come, or it waited as long as anybody would; or its phone was switched off.
    @Test func anAppThatLeavesForAReasonIsNotFound() {
        let asked = [Self.connected, Self.handshake, Self.proof, Self.request]
        #expect(Self.rules(asked + [.unanswerable(.absent), Self.gone]) == ["not-subscribed"])
        #expect(Self.rules(asked + [.unanswerable(.absent), Self.handshake]) == ["not-subscribed"])
        #expect(Self.rules(asked + [Self.gone], pause: .seconds(3)) == [])
        #expect(Self.rules(asked + [Self.handshake], pause: .seconds(3)) == [])
        #expect(Self.rules(asked + [.ended(.lost)]) == [])
    }

    @Test(arguments: [Refusal.idle, .evicted, .lifetimeExceeded])
    func aLinkThatTheReaderHasToEndIsFound(_ refusal: Refusal) {
        func rules(_ events: [Event], pause: Duration = .milliseconds(500)) -> [String] {
            Self.rules([Self.connected] + events + [.refused(refusal), .ended(.byReader)], pause: pause)
        }
        let asked = [Self.handshake, Self.proof, Self.request]
        #expect(rules(asked + [.answered]) == ["never-closed"])
        #expect(rules([]) == ["idle-link"])
        #expect(rules([Self.handshake, Self.proof]) == ["idle-link"])
        // It is owed an answer, or was sent a wrong one, or could not be answered.
        #expect(rules([Self.handshake]) == [])
        #expect(rules(asked + [.refusedMessage(.currentTime, told: false)]) == [])
        #expect(rules([Self.handshake, .dropped]) == [])
        #expect(rules([Self.handshake, .proved(isRight: false)]) == [])
        #expect(rules([Self.handshake, .unanswerable(.absent)]) == ["not-subscribed"])
        // It was active a moment ago: it discovers, or exchanges one message after the other.
        #expect(rules([.active], pause: .milliseconds(400)) == [])
        #expect(rules(asked + [.answered], pause: .milliseconds(400)) == [])
        // The phone was out of range: the end of its link takes a supervision time-out, or is the controller's.
        let late = [Self.connected, .refused(refusal), .ended(.byReader)] as [Event]
        #expect(Self.rules(late, pause: .milliseconds(720)) == [])
        #expect(Self.rules([Self.connected, .refused(refusal), .ended(.lost)], pause: .milliseconds(500)) == [])
    }

    /// A header that announces more octets than follow: not the same as nothing.
    @Test func aMessageWithoutItsEndIsFound() throws {
        func mistakes(_ message: UnfinishedMessage, after pause: Duration, _ end: [Event]) -> [ReaderMistake] {
            var review = ReaderReview()
            var mistakes: [ReaderMistake] = []
            let cut = Event.unfinished(message, since: .origin, entry: 7)
            for event in [Self.connected] + end.dropLast() + [cut, end[end.count - 1]] {
                mistakes += review.receive(event, link: 1, at: .origin + pause)
            }
            return mistakes
        }
        let idle: [Event] = [.refused(.idle), .ended(.byReader)]
        for end in [idle, [.ended(.byApp)]] {
            let found = mistakes(Self.unfinished, after: .seconds(3), end)
            #expect(found.map(\.rule) == ["unfinished-message"] && found.first?.entry == 7)
            #expect(
                found.first?.sentence
                    == "sent 10 of the 100 octets that its header announces: the reader waits for the rest")
            // The rest may have been on its way.
            #expect(mistakes(Self.unfinished, after: .milliseconds(900), end) == [])
        }
        #expect(mistakes(Self.unfinished, after: .seconds(3), [.ended(.lost)]) == [])
        let swapped = try #require(
            mistakes(UnfinishedMessage(received: 19, announced: 0x1300), after: .seconds(3), idle).first)
        #expect(
            swapped.sentence.hasSuffix("the length is in little-endian order; its most significant octet comes first"))
    }

    @Test func eachStateOfASubscriptionHasItsSentence() {
        for subscription in [ReaderSubscription.absent, .elsewhere, .indications, .ended] {
            #expect(Self.rules([Self.connected, Self.handshake, .unanswerable(subscription)]) == ["not-subscribed"])
        }
        let problems = [ReaderSubscription.absent, .elsewhere, .indications, .ended].map(\.problem)
        #expect(Set(problems).count == 4)
        // The link is gone, or too small for a frame.
        #expect(Self.rules([Self.connected, Self.handshake, .unanswerable(.present)]) == [])
    }

    @Test(arguments: [
        (400, ["retried-at-once"]), (460, []),
    ])
    func aReturnBeforeThePauseIsFound(_ milliseconds: Int, _ rules: [String]) {
        var review = ReaderReview()
        for event in [Self.connected, .refused(.tooFar(median: -70)), .ended(.lost)] as [Event] {
            #expect(review.receive(event, link: 1, at: .origin) == [])
        }
        let other = Event.connected(.randomStatic(from: 8))
        #expect(review.receive(other, link: 2, at: .origin) == [])
        let later = Instant.origin + .milliseconds(milliseconds)
        #expect(review.receive(Self.connected, link: 3, at: later).map(\.rule) == rules)
    }

    /// A link that the app or a fault has ended is no refusal.
    @Test func aReturnAfterAnotherEndIsNotFound() {
        for end in [Event.ended(.byApp), .ended(.byReader), .ended(.lost)] {
            #expect(Self.rules([Self.connected, end, Self.connected]) == [])
        }
    }

    @Test func whatTheReaderCannotUseIsFound() {
        for code in [StatusCode.invalidState, .overflow, .crc, .decode, .peerStatus] {
            #expect(
                Self.rules([Self.connected, .refusedMessage(code, told: false)]) == ["malformed-message"], "\(code)")
        }
        for code in [StatusCode.salt, .decrypt] {
            #expect(
                Self.rules([Self.connected, .refusedMessage(code, told: true)]) == ["malformed-message"], "\(code)")
        }
        // A credential's, the clock's, the disk's.
        for code in [StatusCode.signature, .validity, .unavailable, .decode] {
            #expect(Self.rules([Self.connected, .refusedMessage(code, told: true)]) == [], "\(code)")
        }
        #expect(Self.rules([Self.connected, .refusedMessage(.currentTime, told: false)]) == [])
        #expect(Self.rules([Self.connected, .faulted, .refusedMessage(.decrypt, told: true)]) == [])
    }

    @Test func othersAreFoundOnceALink() {
        let unanswerable = Event.unanswerable(.absent)
        #expect(Self.rules([Self.connected, unanswerable, unanswerable]) == ["not-subscribed"])
        #expect(Self.rules([Self.connected, .refused(.earlyDataExceeded)]) == ["too-much-too-early"])
    }

    /// One message can be too much as well.
    @Test(arguments: [(false, "more than the octets or frames of one message"), (true, "more than one message")])
    func tooMuchIsTold(_ hasAsked: Bool, _ amount: String) {
        var review = ReaderReview()
        var found: [ReaderMistake] = []
        for event in [Self.connected] + (hasAsked ? [Self.handshake] : []) + [.refused(.earlyDataExceeded)] {
            found += review.receive(event, link: 1, at: .origin)
        }
        #expect(found.map(\.sentence) == ["sent \(amount) before the distance was verified: wait for the proof"])
    }
}
