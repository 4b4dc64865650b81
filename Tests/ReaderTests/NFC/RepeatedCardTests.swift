// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// One credential that is presented again before its first answer, by another way at once, or without an end: it opens
/// once, and is recorded once.
@Suite struct RepeatedCardTests {
    private static let id = credentialID("CARD000001")

    private static func audited(_ configuration: inout AccessConfiguration) {
        configuration.isAudited = true
        configuration.cards.kinds = [.pkoc]
    }

    /// The second touch waits for the record of the first, and gets its answer.
    @Test func cardThatReturnsBeforeItsRecordWaitsForTheSame() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([ListedCard(card.evidence, Self.id)], Self.audited)
        #expect(try bench.touch(card) == nil)
        bench.leave(after: .milliseconds(500))
        #expect(try bench.touch(card) == nil)
        let waiting = bench.reader.openRequests
        #expect(waiting.count == 1)
        let token = try #require(waiting.first?.token)
        _ = bench.takeEffects()
        bench.reader.decideOpening(token, .ok, port: &bench.port, at: bench.moment)
        #expect(bench.reader.nextCardAction() == .finish)
        #expect(bench.reader.timesOpened == 1)
        let effects = bench.takeEffects()
        #expect(effects.decisions.map(\.isGranted) == [true, true])
        #expect(effects.records.isEmpty)
    }

    /// A revocation meanwhile refuses both.
    @Test func revocationRefusesEachTouchThatWaits() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([ListedCard(card.evidence, Self.id)], Self.audited)
        #expect(try bench.touch(card) == nil)
        bench.leave(after: .milliseconds(500))
        #expect(try bench.touch(card) == nil)
        let token = try #require(bench.reader.openRequests.first?.token)
        _ = bench.reader.execute(
            .revoke(Self.id, until: nil), ticket: .control(1),
            AuditEvent(.blacklistChanged, at: AuditTime(bench.moment, zone: .utc)), at: bench.moment)
        _ = bench.takeEffects()
        bench.reader.decideOpening(token, .ok, port: &bench.port, at: bench.moment)
        #expect(bench.reader.timesOpened == 0)
        #expect(bench.reader.nextCardAction() == .finish)
        #expect(bench.takeEffects().decisions.map(\.outcome) == [.denied(.blacklisted), .denied(.blacklisted)])
        // Nothing of the previous request is left.
        bench.leave(after: .milliseconds(500))
        _ = try bench.touch(card)
        #expect(bench.takeEffects().decisions.map(\.outcome) == [.denied(.blacklisted)])
    }

    /// A phone with the credential of a card connects while the card is in the field.
    @Test func cardAndPhoneOfOneCredentialOpenOnce() throws {
        let (card, phone) = (try ModelCard(1), try ModelLinkPhone(1))
        #expect(card.evidence == phone.evidence)
        var bench = try LinkBench([ListedCard(card.evidence, Self.id)], Self.audited)
        let link = bench.connect()
        #expect(try bench.show(phone, on: link) == [])
        bench.reader.cardEntered(random: &bench.random, at: bench.moment)
        while case .transmit(let command) = bench.reader.nextCardAction() {
            let response = try card.response(command)
            bench.reader.receive(cardResponse: response.span, random: &bench.random, at: bench.moment)
        }
        let waiting = bench.reader.openRequests
        #expect(waiting.map(\.event.channel) == [.bluetooth])
        let token = try #require(waiting.first?.token)
        bench.reader.decideOpening(token, .ok, port: &bench.port, at: bench.moment)
        #expect(bench.reader.nextCardAction() == .finish)
        #expect(bench.takeMessages() == [[0x04, 0x01, 0x03]])
        #expect(bench.reader.timesOpened == 1)
    }

    /// A card that lies in the field opens once; the door is secured by its time.
    @Test func cardThatStaysOpensOnce() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([ListedCard(card.evidence, Self.id)])
        #expect(try bench.touch(card) == .finish)
        for _ in 0..<600 {
            bench.now = bench.now + .seconds(1)
            bench.reader.advance(to: bench.moment, port: &bench.port)
            #expect(bench.reader.nextCardAction() == nil)
        }
        #expect(bench.reader.timesOpened == 1)
        #expect(bench.reader.doorStatus.isUnlocked == false)
    }

    /// The answer to the first touch does not outlive a lockdown, whose end makes the next touch a new request.
    @Test func lockdownRefusesATouchWithinTheRearmTime() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([ListedCard(card.evidence, Self.id)])
        _ = try bench.touch(card)
        bench.leave(after: .milliseconds(500))
        bench.reader.lockdown(true, at: bench.moment)
        _ = bench.takeEffects()
        _ = try bench.touch(card)
        #expect(bench.takeEffects().decisions.map(\.outcome) == [.denied(.lockdown)])
        bench.leave(after: .milliseconds(500))
        bench.reader.lockdown(false, at: bench.moment)
        _ = try bench.touch(card)
        #expect(bench.takeEffects().decisions.map(\.isGranted) == [true])
        #expect(bench.reader.timesOpened == 2)
    }
}
