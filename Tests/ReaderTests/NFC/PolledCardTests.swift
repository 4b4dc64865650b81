// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// Cards in the reader's field: their proven identity is decided, recorded and carried out as a credential of the
/// access protocol (PKOC NFC 1.1; access protocol, 7.1 for the order of the checks).
@Suite struct PolledCardTests {
    private static func listed(
        _ card: ModelCard, _ change: (inout ListedCard) throws -> Void = { _ in }
    ) rethrows -> ListedCard {
        var listed = ListedCard(card.evidence, credentialID("CARD000001"))
        try change(&listed)
        return listed
    }

    private static func audited(_ configuration: inout AccessConfiguration) { configuration.isAudited = true }

    @Test func listedCardOpens() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([Self.listed(card)])
        #expect(try bench.touch(card) == .finish)
        #expect(bench.opened == true)
        let effects = bench.takeEffects()
        #expect(effects.decisions.map(\.outcome) == [.granted(.defaultTime)])
        #expect(effects.decisions.first?.kind == .pkoc)
    }

    /// Without its keys a kind is passed over; a card of no other kind is refused for that, and the next one is tried.
    @Test func kindWithoutItsKeysIsRefusedAsUnavailable() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([Self.listed(card)]) { $0.cards.kinds = [.desfire, .pkoc] }
        var stranger = card
        stranger.selectResponse = octets("6a82")
        #expect(try bench.touch(stranger) == .tryNext)
        #expect(bench.takeEffects().refusals == [.unavailable])
        bench.leave()
        #expect(try bench.touch(card) == .finish)
        #expect(bench.takeEffects().decisions.map(\.isGranted) == [true])
    }

    @Test func selectionOfDESFireFollowsThatOfPKOC() throws {
        let key = try #require(DESFireCredential.Key(number: 0, octets: [UInt8](1...16)))
        var bench = try CardBench { $0.cards.kinds = [.pkoc, .desfire] }
        bench.reader.desfire = DESFireCredential(application: octets("f51bc0"), file: 1, count: 8, key: key)
        bench.reader.cardEntered(random: &bench.random, at: bench.moment)
        #expect(bench.reader.nextCardAction() == .transmit(octets("00a4040008a00000089800000100")))
        let notFound = octets("6a82")
        bench.reader.receive(cardResponse: notFound.span, random: &bench.random, at: bench.moment)
        #expect(bench.reader.nextCardAction() == .transmit(octets("905a000003c01bf500")))
        let noApplication = octets("91a0")
        bench.reader.receive(cardResponse: noApplication.span, random: &bench.random, at: bench.moment)
        #expect(bench.reader.nextCardAction() == .tryNext)
        #expect(bench.takeEffects().refusals == [.absent])
    }

    @Test func firstCommandIsSelect() throws {
        var bench = try CardBench()
        bench.reader.cardEntered(random: &bench.random, at: bench.moment)
        #expect(bench.reader.nextCardAction() == .transmit(octets("00a4040008a00000089800000100")))
        #expect(bench.reader.nextCardAction() == nil)
    }

    /// With a strict audit the door opens once the record is stored, and the card is finished after that.
    @Test func grantWaitsForItsRecord() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([Self.listed(card)], Self.audited)
        #expect(try bench.touch(card) == nil)
        #expect(bench.opened == false)
        let waiting = try #require(bench.reader.openRequests.first)
        #expect(waiting.event.kind == .granted)
        #expect(waiting.event.credential == "CARD000001")
        #expect(waiting.event.channel == .nfc)
        #expect(waiting.event.info == EventAccessInfo.grantedDefault.rawValue)
        bench.reader.decide(waiting.token, .ok, at: bench.moment)
        #expect(bench.opened == true)
        bench.reader.answerOpenings(port: &bench.port, at: bench.moment)
        #expect(bench.reader.nextCardAction() == .finish)
    }

    /// The person stands at the door: the grant of a card that has left meanwhile is carried out.
    @Test func grantOfCardThatHasLeftIsCarriedOut() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([Self.listed(card)], Self.audited)
        _ = try bench.touch(card)
        bench.reader.cardLeft()
        let token = try #require(bench.reader.openRequests.first?.token)
        bench.reader.decideOpening(token, .ok, port: &bench.port, at: bench.moment)
        #expect(bench.opened == true)
        #expect(bench.takeEffects().decisions.map(\.isGranted) == [true])
        #expect(bench.reader.nextCardAction() == nil)
    }

    /// A full log and a failed disk refuse, as for tokens.
    @Test(arguments: [StatusCode.storageFull, .unavailable]) func grantWithoutRecordIsRefused(
        _ status: StatusCode
    ) throws {
        let card = try ModelCard(1)
        var bench = try CardBench([Self.listed(card)], Self.audited)
        _ = try bench.touch(card)
        let token = try #require(bench.reader.openRequests.first?.token)
        bench.reader.decideOpening(token, status, port: &bench.port, at: bench.moment)
        #expect(bench.opened == false)
        #expect(bench.reader.nextCardAction() == .finish)
        #expect(bench.takeEffects().decisions.map(\.outcome) == [.failed(status)])
    }

    @Test func fullLogRefuses() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([Self.listed(card)], Self.audited)
        bench.reader.ledger.setFull(true)
        _ = try bench.touch(card)
        let next = bench.reader.ledger.nextVerdict()
        let verdict = try #require(next)
        #expect(verdict.status == .storageFull)
        bench.reader.decideOpening(verdict.opening, verdict.status, port: &bench.port, at: bench.moment)
        #expect(bench.opened == false)
    }

    @Test func unlistedCardIsRefusedAndRecordedAsOfAStranger() throws {
        let card = try ModelCard(2)
        var bench = try CardBench([Self.listed(try ModelCard(1))], Self.audited)
        #expect(try bench.touch(card) == .finish)
        let effects = bench.takeEffects()
        #expect(!effects.opensLock)
        #expect(effects.decisions.map(\.outcome) == [.denied(.notListed)])
        let event = try #require(effects.records.first)
        #expect(event.kind == .unlisted)
        #expect(event.credential.isEmpty)

        // The last eight octets of X of 2 × G.
        #expect(event.detail == "pkoc A60B48FC47669978")
        #expect(RecordOrigin(event) == .strangers)
    }

    enum Case: CaseIterable { case before, after, otherTime, revoked, clockUnset }

    @Test(arguments: Case.allCases) func listedCardIsRefused(_ which: Case) throws {
        let card = try ModelCard(1)
        let listed = try Self.listed(card) { listed in
            switch which {
            case .before: listed.validFrom = CivilTime(year: 2026, month: 11, day: 21, hour: 12, minute: 1)
            case .after: listed.validUntil = CivilTime(year: 2026, month: 11, day: 21, hour: 11, minute: 59)
            case .otherTime:
                listed.schedules = [
                    // Monday to Friday; the test's day is a Saturday.
                    DoorGroup.Schedule(
                        weekdays: 0x1F,
                        period: try OSSTimePeriod(fromHour: 8, fromMinute: 0, toHour: 18, toMinute: 0))
                ]
            case .revoked, .clockUnset: break
            }
        }
        var bench = try CardBench([listed], Self.audited)
        if which == .revoked {
            bench.reader.blacklist.insert(.init(credentialID: credentialID("CARD000001"), expiresAt: nil), at: nil)
        }
        if which == .clockUnset { bench.epochSeconds = nil }
        #expect(try bench.touch(card) == .finish)
        let effects = bench.takeEffects()
        #expect(!effects.opensLock)
        let expected: (CredentialDecision.Denial, [AuditKind]) =
            switch which {
            case .before, .after: (.validity, [.denied])
            case .otherTime: (.schedule, [.denied])
            case .revoked: (.blacklisted, [.credentialBlacklisted, .denied])
            case .clockUnset: (.clockUnset, [])
            }
        #expect(effects.decisions.map(\.outcome) == [.denied(expected.0)])
        #expect(effects.records.map(\.kind) == expected.1)
        #expect(effects.records.allSatisfy { $0.credential == "CARD000001" })
    }

    @Test func cardInItsTimesOpensForTheExtendedTime() throws {
        let card = try ModelCard(1)
        let listed = try Self.listed(card) { listed in
            listed.validFrom = CivilTime(year: 2026, month: 11, day: 21, hour: 12)
            listed.validUntil = CivilTime(year: 2026, month: 11, day: 21, hour: 12)
            listed.isExtended = true
            listed.schedules = [
                DoorGroup.Schedule(
                    weekdays: 0x20, period: try OSSTimePeriod(fromHour: 8, fromMinute: 0, toHour: 18, toMinute: 0))
            ]
        }
        var bench = try CardBench([listed])
        _ = try bench.touch(card)
        #expect(bench.takeEffects().decisions.map(\.outcome) == [.granted(.extendedTime)])
    }

    @Test func lockdownRefuses() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([Self.listed(card)], Self.audited)
        bench.reader.lockdown(true, at: bench.moment)
        _ = try bench.touch(card)
        let effects = bench.takeEffects()
        #expect(!effects.opensLock)
        #expect(effects.decisions.map(\.outcome) == [.denied(.lockdown)])
    }

    /// Fire has released the door; the card is decided as ever, and changes nothing.
    @Test func fireKeepsTheDoorReleased() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([Self.listed(card)])
        bench.reader.doorLine(.fire, isActive: true, since: bench.now, at: bench.moment)
        _ = try bench.touch(card)
        #expect(bench.takeEffects().decisions.map(\.isGranted) == [true])
        #expect(bench.reader.doorStatus.isUnlocked == true)
        bench.leave(after: .seconds(60))
        #expect(bench.reader.doorStatus.isUnlocked == true)
    }

    /// Refused cards and forged proofs count as attempts; other cards do not.
    @Test func refusedCardsBeginALockout() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([Self.listed(card)])
        var door = DoorConfiguration()
        door.lockout.attempts = 2
        bench.reader.reconfigure(bench.reader.configuration, door: door)
        var foreign = try ModelCard(2)
        foreign.selectResponse = octets("6a82")
        for _ in 0..<4 {
            _ = try bench.touch(foreign)
            bench.leave()
        }
        _ = try bench.touch(ModelCard(2))
        bench.leave()
        var forged = try ModelCard(1)
        forged.signsWrongly = true
        _ = try bench.touch(forged)
        bench.leave(after: .seconds(3))
        _ = bench.takeEffects()
        _ = try bench.touch(card)
        let effects = bench.takeEffects()
        #expect(effects.decisions.map(\.outcome) == [.denied(.lockedOut)])
        #expect(!effects.opensLock)
    }

    @Test func forgedProofIsRecordedWithoutAName() throws {
        var card = try ModelCard(1)
        card.signsWrongly = true
        var bench = try CardBench([Self.listed(card)], Self.audited)
        #expect(try bench.touch(card) == .finish)
        let effects = bench.takeEffects()
        #expect(effects.refusals == [.proof])
        #expect(effects.decisions.isEmpty)
        let event = try #require(effects.records.first)
        #expect(event.kind == .unproven)
        #expect(event.credential.isEmpty)
        #expect(event.detail == "pkoc invalid-proof")
    }

    /// A card with an identifier only, or of another application, is no identity.
    @Test func cardWithoutKnownApplicationIsRefused() throws {
        var card = try ModelCard(1)
        card.selectResponse = octets("6a82")
        var bench = try CardBench([Self.listed(card)], Self.audited)
        #expect(try bench.touch(card) == .tryNext)
        let effects = bench.takeEffects()
        #expect(effects.refusals == [.absent])
        #expect(effects.records.isEmpty)
    }

    @Test func cardIsRefusedWithoutReadableList() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([Self.listed(card)])
        bench.reader.cardList = nil
        #expect(try bench.touch(card) == .finish)
        let effects = bench.takeEffects()
        #expect(effects.refusals == [.unavailable])
        #expect(!effects.opensLock)
    }

    @Test func unknownPolicyRefuses() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([Self.listed(card)])
        bench.reader.awaitRestoration()
        #expect(try bench.touch(card) == .finish)
        #expect(bench.takeEffects().refusals == [.unavailable])
    }

    @Test func cardWaitsWhileThePolicyIsLoaded() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([Self.listed(card)])
        bench.reader.holdRequests()
        #expect(try bench.touch(card) == nil)
        #expect(bench.reader.restore([], at: bench.moment) == 0)
        bench.reader.resumeRequests(port: &bench.port, random: &bench.random, at: bench.moment)
        #expect(bench.opened == true)
        #expect(bench.reader.nextCardAction() == .finish)
    }

    /// An access panel that decides gets the card's identity, and the lock does not move.
    @Test func panelThatDecidesGetsTheCard() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([Self.listed(card)], Self.audited)
        bench.reader.grantRoute = .panel
        _ = try bench.touch(card)
        let waiting = try #require(bench.reader.openRequests.first)
        #expect(waiting.event.kind == .handedOn)
        bench.reader.decideOpening(waiting.token, .ok, port: &bench.port, at: bench.moment)
        let effects = bench.takeEffects()
        #expect(!effects.opensLock)
        #expect(effects.handedOn == [ShownCredential("CARD000001", card: card.evidence)])
    }

    /// A panel compares a number that is shorter than the key, so that an unlisted key does not reach it; nor does a
    /// forged proof.
    @Test(arguments: [UInt8(1), 2]) func panelThatDecidesGetsNoUnlistedOrForgedCard(_ scalar: UInt8) throws {
        var card = try ModelCard(scalar)
        card.signsWrongly = scalar == 1
        var bench = try CardBench([Self.listed(ModelCard(1))], Self.audited)
        bench.reader.grantRoute = .panel
        #expect(try bench.touch(card) == .finish)
        let effects = bench.takeEffects()
        #expect(effects.handedOn.isEmpty && !effects.opensLock && bench.reader.openRequests.isEmpty)
    }

    @Test func silentPanelRefuses() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([Self.listed(card)])
        bench.reader.grantRoute = .nowhere
        _ = try bench.touch(card)
        #expect(bench.takeEffects().decisions.map(\.outcome) == [.denied(.leftToPanel)])
    }

    /// A second touch within the re-arm time does not move the door.
    @Test func repeatedTouchGetsTheSameAnswer() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([Self.listed(card)])
        _ = try bench.touch(card)
        bench.leave(after: .seconds(1))
        let openings = bench.reader.timesOpened
        #expect(try bench.touch(card) == .finish)
        #expect(bench.reader.timesOpened == openings)
        bench.leave()
        _ = try bench.touch(card)
        #expect(bench.reader.timesOpened == openings + 1)
    }

    /// A card that does not answer is given up after the time of a link; a late response opens nothing.
    @Test func silentCardIsGivenUp() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([Self.listed(card)])
        bench.reader.cardEntered(random: &bench.random, at: bench.moment)
        guard case .transmit = bench.reader.nextCardAction() else { throw StatusCode.unavailable }
        #expect(bench.reader.nextDeadline == bench.now + .seconds(3))
        bench.now = bench.now + .seconds(3)
        bench.reader.receive(cardResponse: card.selectResponse.span, random: &bench.random, at: bench.moment)
        #expect(bench.reader.nextCardAction() == .finish)
        #expect(bench.opened == false)
        bench.reader.receive(cardResponse: card.selectResponse.span, random: &bench.random, at: bench.moment)
        #expect(bench.reader.nextCardAction() == nil)
    }

    @Test func responsesWithoutCardAreIgnored() throws {
        var bench = try CardBench()
        let response = octets("9000")
        bench.reader.receive(cardResponse: response.span, random: &bench.random, at: bench.moment)
        #expect(bench.reader.nextCardAction() == nil)
        bench.reader.cardLeft()
        #expect(bench.takeEffects() == [])
    }

    @Test func readerThatShutsDownServesNoCard() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([Self.listed(card)])
        bench.reader.shutDown(port: &bench.port, at: bench.now)
        #expect(try bench.touch(card) == .finish)
        #expect(bench.takeEffects().decisions == [])
    }
}
