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
    private static let gone = Event.ended(byApp: true)

    /// The rules that are broken by these events, one each 100 ms.
    private static func rules(_ events: [Event], pause: Duration = .milliseconds(100)) -> [String] {
        var review = ReaderReview()
        var now = Instant.origin
        var rules: [String] = []
        for event in events {
            rules += review.take(event, link: 1, at: now).map(\.rule)
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
        #expect(Self.rules(asked + [.ended(byApp: false)]) == [])
        #expect(Self.rules(asked + [.dropped, Self.gone]) == [])
        #expect(Self.rules(asked + [.refused(.idle), Self.gone]) == [])
    }

    @Test(arguments: [Refusal.idle, .evicted, .lifetimeExceeded])
    func aLinkThatTheReaderHasToEndIsFound(_ refusal: Refusal) {
        let answered = [Self.connected, Self.handshake, Self.proof, Self.request, .answered]
        #expect(Self.rules(answered + [.refused(refusal)]) == ["never-closed"])
        #expect(Self.rules([Self.connected, .refused(refusal)]) == ["idle-link"])
        #expect(Self.rules([Self.connected, Self.handshake, Self.proof, .refused(refusal)]) == ["idle-link"])
        // It is owed an answer, or was sent a wrong one.
        #expect(Self.rules([Self.connected, Self.handshake, .refused(refusal)]) == [])
        let silence = Event.refusedMessage(.currentTime, told: false)
        #expect(
            Self.rules([Self.connected, Self.handshake, Self.proof, Self.request, silence, .refused(refusal)]) == [])
        #expect(Self.rules([Self.connected, Self.handshake, .dropped, .refused(refusal)]) == [])
        #expect(Self.rules([Self.connected, Self.handshake, .proved(isRight: false), .refused(refusal)]) == [])
    }

    @Test(arguments: [
        (400, ["retried-at-once"]), (460, []),
    ])
    func aReturnBeforeThePauseIsFound(_ milliseconds: Int, _ rules: [String]) {
        var review = ReaderReview()
        for event in [Self.connected, .refused(.tooFar(median: -70)), .ended(byApp: false)] as [Event] {
            #expect(review.take(event, link: 1, at: .origin) == [])
        }
        let other = Event.connected(.randomStatic(from: 8))
        #expect(review.take(other, link: 2, at: .origin) == [])
        let later = Instant.origin + .milliseconds(milliseconds)
        #expect(review.take(Self.connected, link: 3, at: later).map(\.rule) == rules)
    }

    /// A link that the app or a fault has ended is no refusal.
    @Test func aReturnAfterAnotherEndIsNotFound() {
        for end in [Event.ended(byApp: true), .ended(byApp: false)] {
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
        #expect(Self.rules([Self.connected, .unanswerable, .unanswerable]) == ["not-subscribed"])
        #expect(Self.rules([Self.connected, .refused(.earlyDataExceeded)]) == ["too-much-too-early"])
    }
}
