// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Contactless
import Crypto
import TestSupport
import Testing
import Timekeeping

@testable import Credentials
@testable import Reader
@testable import ReaderTestSupport

/// Aliro's phones at the door: the standard, fast and step-up phases, and what ends them.
@Suite struct AliroReaderTests {
    private static func audited(_ configuration: inout AccessConfiguration) { configuration.isAudited = true }

    @Test func listedPhoneOpensByTheStandardPhase() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)])
        #expect(try bench.touch(&phone) == .finish)
        let effects = bench.takeEffects()
        #expect(effects.opensLock && effects.outcomes == [.granted(.defaultTime)])
        #expect(effects.decisions.first?.credentialID?.text == "PHONE00001")
        #expect(effects.decisions.first?.kind == .aliro)
        // Only now: the phone has received the state of the door.
        #expect(phone.tap.status == [0x01, 0x01] && phone.tap.phase != .fast)
        #expect(effects.keepsAliro && bench.store?.persistentPoints == [phone.point])
    }

    @Test func secondTapIsFast() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)])
        _ = try bench.touch(&phone)
        bench.leave()
        _ = bench.takeEffects()
        #expect(try bench.touch(&phone) == .finish)
        let effects = bench.takeEffects()
        #expect(effects.opensLock && phone.tap.phase == .fast)
        #expect(phone.tap.status == [0x01, 0x01] && !effects.keepsAliro)
    }

    /// Check 9: the mailbox is in the log after the door has opened; a phone that is refused is not asked.
    @Test func mailboxIsReportedAfterTheOpening() throws {
        var phone = try AliroBench.phone()
        (phone.mailbox, phone.signals) = ([1, 2, 3, 4], 0b011000)
        var bench = try AliroBench([AliroBench.listed(phone)])
        var reader = bench.identity
        reader.mailbox = [AliroMailbox([.read(offset: 1, count: 2)])]
        let store = try bench.store ?? { throw CardRefusal.unavailable }()
        bench.bench.reader.aliro = AliroDoor(reader: reader, store: store)
        #expect(try bench.touch(&phone) == .finish)
        let effects = bench.takeEffects()
        let opening = try #require(
            effects.firstIndex { if case .door(.setLock(energised: true), _) = $0 { true } else { false } })
        let report = try #require(
            effects.firstIndex { if case .notice(.mailbox(.tap(1), [2, 3])) = $0 { true } else { false } })
        #expect(opening < report)
        bench.leave()
        bench.bench.reader.lockdown(true, at: bench.bench.moment)
        _ = bench.takeEffects()
        _ = try bench.touch(&phone)
        #expect(!bench.takeEffects().contains { if case .notice(.mailbox) = $0 { true } else { false } })
    }

    /// The phone is answered once the record is stored and the lock has moved.
    @Test func decisionWaitsForItsRecord() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)], Self.audited)
        #expect(try bench.touch(&phone) == nil)
        #expect(phone.tap.status == nil && !bench.bench.opened && bench.store?.persistentPoints == [])
        let waiting = try #require(bench.bench.reader.openRequests.first)
        #expect(waiting.event.kind == .granted && waiting.event.credential == "PHONE00001")
        bench.bench.reader.decideOpening(waiting.token, .ok, port: &bench.bench.port, at: bench.bench.moment)
        #expect(bench.bench.opened == true)
        #expect(try bench.goOn(&phone) == .finish)
        #expect(phone.tap.status == [0x01, 0x01] && bench.store?.persistentPoints == [phone.point])
    }

    /// The content of a document by which the bench's issuer revokes the phone.
    static func revocation(_ bench: borrowing AliroBench, of phone: AliroPhone) throws -> AliroEffect {
        let issuer = [UInt8](bench.issuer.publicPoint.octets)
        let digest = [UInt8](try SHA256.hash(phone.point.span))
        let revocation = AliroRevocation(isReplacing: false, added: [digest], removed: [])
        return .issuer(AliroIssuerChange(issuer: issuer, anchor: issuer, signed: 0, revocation: revocation))
    }

    /// A grant that is withdrawn before its record is stored: the phone is refused, and leaves no key.
    /// `AliroWaitingGrantTests` has the reasons.
    @Test func revocationBeforeTheOpeningRefuses() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)], Self.audited)
        #expect(try bench.touch(&phone) == nil)
        let waiting = try #require(bench.bench.reader.openRequests.first)
        bench.bench.reader.apply([try Self.revocation(bench, of: phone)])
        bench.bench.reader.decideOpening(waiting.token, .ok, port: &bench.bench.port, at: bench.bench.moment)
        #expect(try bench.goOn(&phone) == .finish)
        let effects = bench.takeEffects()
        #expect(!effects.opensLock && effects.records.last?.kind == .withdrawn)
        #expect(effects.records.last?.info == Int32(StatusCode.validity.rawValue))
        #expect(phone.tap.status == [0x00, 0x25] && bench.store?.persistentPoints == [])
    }

    @Test func fullLogRefuses() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)], Self.audited)
        bench.bench.reader.ledger.setFull(true)
        _ = try bench.touch(&phone)
        let next = bench.bench.reader.ledger.nextVerdict()
        let verdict = try #require(next)
        bench.bench.reader.decideOpening(
            verdict.opening, verdict.status, port: &bench.bench.port, at: bench.bench.moment)
        #expect(try bench.goOn(&phone) == .finish)
        #expect(!bench.bench.opened && phone.tap.status == [0x00, 0x25] && bench.store?.persistentPoints == [])
    }

    @Test func phoneThatLeavesBeforeTheDecisionLeavesNoKey() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)], Self.audited)
        _ = try bench.touch(&phone)
        bench.leave()
        #expect(bench.store?.persistentPoints == [] && !bench.takeEffects().keepsAliro)
        #expect(bench.bench.reader.nextCardAction() == nil)
    }

    /// A phone that leaves instead of responding to the refusal has tried all the same.
    @Test func phoneThatLeavesAfterAnInvalidProofHasTried() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)], Self.audited)
        var door = DoorConfiguration()
        door.lockout.attempts = 1
        bench.bench.reader.reconfigure(bench.bench.reader.configuration, door: door)
        phone.changes[.authenticate1] = .otherSigner
        bench.bench.reader.cardEntered(random: &bench.bench.random, at: bench.bench.moment)
        // Until the message about the refusal, CONTROL FLOW or EXCHANGE, which is not answered.
        while case .transmit(let command) = bench.bench.reader.nextCardAction(), ![0x3C, 0xC9].contains(command[1]) {
            let response = phone.respond(to: command)
            bench.bench.reader.receive(
                cardResponse: response.span, random: &bench.bench.random, at: bench.bench.moment)
        }
        bench.leave()
        let effects = bench.takeEffects()
        #expect(effects.refusals == [.proof] && !effects.opensLock)
        #expect(effects.records.first?.kind == .unproven)
        phone.changes = [:]
        _ = try bench.touch(&phone)
        #expect(bench.takeEffects().outcomes == [.denied(.lockedOut)])
    }

    @Test func lockdownRefuses() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)])
        bench.bench.reader.lockdown(true, at: bench.bench.moment)
        #expect(try bench.touch(&phone) == .finish)
        let effects = bench.takeEffects()
        #expect(effects.outcomes == [.denied(.lockdown)] && !effects.opensLock)
        #expect(phone.tap.status == [0x00, 0x25] && bench.store?.persistentPoints == [])
    }

    /// The phone learns of an unknown state: the panel may open the door, or not.
    @Test func panelThatDecidesLeavesTheStateUnknown() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)])
        bench.bench.reader.grantRoute = .panel
        #expect(try bench.touch(&phone) == .finish)
        #expect(!bench.takeEffects().opensLock && phone.tap.status == [0x01, 0x82])
    }

    @Test func unknownPolicyRefuses() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)])
        bench.bench.reader.awaitRestoration()
        #expect(try bench.touch(&phone) == .finish)
        let effects = bench.takeEffects()
        #expect(effects.refusals == [.unavailable] && !effects.opensLock && phone.tap.status == [0x00, 0x25])
        #expect(bench.store?.persistentPoints == [])
    }

    @Test func policyBeingLoadedIsAwaited() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)])
        bench.bench.reader.holdRequests()
        #expect(try bench.touch(&phone) == nil)
        #expect(bench.bench.reader.restore([], at: bench.bench.moment) == 0)
        bench.bench.reader.resumeRequests(
            port: &bench.bench.port, random: &bench.bench.random, at: bench.bench.moment)
        #expect(try bench.goOn(&phone) == .finish)
        #expect(bench.takeEffects().opensLock)
    }

    @Test func unlistedPhoneIsRefused() throws {
        var bench = try AliroBench()
        var phone = try AliroBench.phone()
        #expect(try bench.touch(&phone) == .finish)
        #expect(bench.takeEffects().refusals == [.unknown] && phone.tap.status == [0x00, 0x01])
    }

    @Test func phoneOfAnotherGroupIsRefused() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)])
        phone.trust = AliroPhone.Trust(point: try AliroBench.key(9).publicKey)
        #expect(try bench.touch(&phone) == .finish)
        let effects = bench.takeEffects()
        #expect(effects.refusals == [.statusWord] && !effects.opensLock)
    }

    @Test func unreadableListRefuses() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)])
        _ = try bench.touch(&phone)
        bench.leave()
        _ = bench.takeEffects()
        bench.bench.reader.cardList = nil
        #expect(try bench.touch(&phone) == .finish)
        #expect(bench.takeEffects().refusals == [.unavailable] && phone.tap.status == [0x00, 0x25])
        // A list that is read again finds the key.
        #expect(bench.store?.persistentPoints == [phone.point])
    }

    @Test func withoutAReaderIsUnavailable() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)])
        bench.bench.reader.aliro = nil
        #expect(try bench.touch(&phone) == .tryNext)
        #expect(bench.takeEffects().refusals == [.unavailable] && phone.tap.commands.isEmpty)
    }

    /// A new reader, as after a change of its key, ends the transaction of a phone in the field.
    @Test func newReaderEndsTheTransaction() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)])
        bench.bench.reader.cardEntered(random: &bench.bench.random, at: bench.bench.moment)
        bench.bench.reader.aliro = nil
        #expect(bench.bench.reader.nextCardAction() == .finish)
        let response = phone.respond(to: octets("00a4040009a000000909acce550100"))
        bench.bench.reader.receive(cardResponse: response.span, random: &bench.bench.random, at: bench.bench.moment)
        #expect(bench.bench.reader.nextCardAction() == nil && !bench.bench.opened)
    }

    /// A phone in the middle of its transaction gets CONTROL FLOW, and nothing after that.
    @Test("A new reader ends the transaction of a phone that has begun", arguments: 1...2)
    func newReaderTellsThePhone(responses: Int) throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)])
        phone.activate()
        bench.bench.reader.cardEntered(random: &bench.bench.random, at: bench.bench.moment)
        for _ in 0..<responses {
            guard case .transmit(let command) = bench.bench.reader.nextCardAction() else { break }
            let response = phone.respond(to: command)
            bench.bench.reader.receive(
                cardResponse: response.span, random: &bench.bench.random, at: bench.bench.moment)
        }
        bench.bench.reader.aliro = nil
        let failed = octets("803c000006410100420100")
        #expect(bench.bench.reader.nextCardAction() == .transmit(failed))
        bench.bench.reader.receive(
            cardResponse: octets("9000").span, random: &bench.bench.random, at: bench.bench.moment)
        #expect(bench.bench.reader.nextCardAction() == .finish && !bench.bench.opened)
    }

    /// A phone that does not respond to CONTROL FLOW is released at the end of its time.
    @Test func silentPhoneOfAFormerReaderIsReleased() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)])
        phone.activate()
        bench.bench.reader.cardEntered(random: &bench.bench.random, at: bench.bench.moment)
        guard case .transmit(let command) = bench.bench.reader.nextCardAction() else { throw CardRefusal.absent }
        let response = phone.respond(to: command)
        bench.bench.reader.receive(cardResponse: response.span, random: &bench.bench.random, at: bench.bench.moment)
        bench.bench.reader.aliro = nil
        #expect(bench.bench.reader.nextCardAction() != nil)
        bench.bench.now = bench.bench.now + .seconds(3)
        bench.bench.reader.advance(to: bench.bench.moment, port: &bench.bench.port)
        #expect(bench.bench.reader.nextCardAction() == .finish)
        #expect(bench.bench.reader.nextCardAction() == nil)
    }

    /// The status of a refused phone is on its way: it stays, and the response ends the touch.
    @Test func newReaderKeepsTheStatusOfARefusedPhone() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench()
        phone.activate()
        bench.bench.reader.cardEntered(random: &bench.bench.random, at: bench.bench.moment)
        while phone.tap.status == nil, case .transmit(let command) = bench.bench.reader.nextCardAction() {
            // The last command is not taken yet.
            let response = phone.respond(to: command)
            bench.bench.reader.receive(
                cardResponse: response.span, random: &bench.bench.random, at: bench.bench.moment)
            guard bench.bench.reader.polled?.transaction?.isConcluding != true else { break }
        }
        bench.bench.reader.aliro = nil
        guard case .transmit(let last) = bench.bench.reader.nextCardAction() else {
            Issue.record("no status for the phone")
            return
        }
        let response = phone.respond(to: last)
        bench.bench.reader.receive(cardResponse: response.span, random: &bench.bench.random, at: bench.bench.moment)
        #expect(phone.tap.status != nil && bench.bench.reader.nextCardAction() == .finish && !bench.bench.opened)
    }

    @Test func listedPhoneOutsideItsValidityIsRefused() throws {
        var phone = try AliroBench.phone()
        var card = AliroBench.listed(phone)
        card.validUntil = CivilTime(year: 2026, month: 1, day: 1)
        var bench = try AliroBench([card])
        _ = try bench.touch(&phone)
        #expect(bench.takeEffects().outcomes == [.denied(.validity)] && phone.tap.status == [0x00, 0x25])
    }

    // MARK: - Removal and revocation

    @Test func phoneThatIsTakenFromTheListLosesItsKey() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)])
        _ = try bench.touch(&phone)
        bench.leave()
        _ = bench.takeEffects()
        bench.bench.reader.cardList = CardList()
        bench.bench.reader.followPolicy()
        #expect(bench.takeEffects().keepsAliro)
        #expect(bench.store?.persistentPoints == [] && bench.store?.credential(phone.point) == nil)
        _ = try bench.touch(&phone)
        #expect(bench.takeEffects().refusals == [.unknown] && phone.tap.phase != .fast)
    }

    @Test func revokedPhoneLosesItsKey() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)])
        _ = try bench.touch(&phone)
        bench.leave()
        _ = bench.takeEffects()
        bench.bench.reader.blacklist.insert(
            Blacklist.Entry(credentialID: credentialID("PHONE00001"), expiresAt: nil), at: nil)
        _ = try bench.touch(&phone)
        let effects = bench.takeEffects()
        #expect(effects.outcomes == [.denied(.blacklisted)] && effects.keepsAliro && phone.tap.phase != .fast)
        #expect(phone.tap.status == [0x00, 0x25] && bench.store?.persistentPoints == [])
    }

    // MARK: - Documents

    @Test func documentOfATrustedIssuerOpens() throws {
        var bench = try AliroBench()
        var phone = try AliroBench.phone()
        try bench.issue(to: &phone) { $0.value = .map([(0, 1), (2, .array([.map([(0, 2)])]))]) }
        #expect(try bench.touch(&phone) == .finish)
        let effects = bench.takeEffects()
        #expect(effects.opensLock && phone.tap.phase == .stepUp && phone.tap.status == [0x01, 0x01])
        let decision = try #require(effects.decisions.first)
        #expect(decision.credentialID == OSSCredentialID(unlisted: phone.point))
        #expect(bench.store?.credential(phone.point)?.grant != nil)
        bench.leave()
        // What the document grants stays in force without it.
        _ = try bench.touch(&phone)
        #expect(bench.takeEffects().opensLock && phone.tap.phase == .fast)
    }

    @Test func documentForAMomentOpens() throws {
        var bench = try AliroBench()
        var phone = try AliroBench.phone()
        try bench.issue(to: &phone) { $0.value = .map([(0, 1), (2, .array([.map([(0, 8)])]))]) }
        _ = try bench.touch(&phone)
        #expect(bench.takeEffects().opensLock)
    }

    @Test func documentThatOnlyLocksIsRefused() throws {
        var bench = try AliroBench()
        var phone = try AliroBench.phone()
        try bench.issue(to: &phone) { $0.value = .map([(0, 1), (2, .array([.map([(0, 1)])]))]) }
        _ = try bench.touch(&phone)
        #expect(bench.takeEffects().refusals == [.noRight] && phone.tap.status == [0x00, 0x25])
        #expect(bench.store?.credentials == [])
    }

    @Test func documentOfAnUntrustedIssuerIsRefused() throws {
        var bench = try AliroBench()
        var phone = try AliroBench.phone()
        try bench.issue(to: &phone)
        var stranger = try AliroDocumentMaker(try AliroBench.key(9), for: phone.point)
        stranger.element = "matter1"
        phone.documents = ["aliro-a": try stranger.document]
        _ = try bench.touch(&phone)
        #expect(bench.takeEffects().refusals == [.document] && bench.store?.credentials == [])
    }

    @Test func expiredGrantDoesNotOpenByTheFastPhase() throws {
        var bench = try AliroBench()
        var phone = try AliroBench.phone()
        try bench.issue(to: &phone) { $0.validUntil = "2026-11-21T12:00:05Z" }
        _ = try bench.touch(&phone)
        #expect(bench.takeEffects().opensLock)
        bench.leave()
        _ = try bench.touch(&phone)
        let effects = bench.takeEffects()
        #expect(!effects.opensLock && effects.refusals == [.notValidNow] && phone.tap.status == [0x00, 0x02])
    }

    @Test func revokedGrantIsRemoved() throws {
        var bench = try AliroBench()
        var phone = try AliroBench.phone()
        try bench.issue(to: &phone)
        _ = try bench.touch(&phone)
        bench.leave()
        _ = bench.takeEffects()
        let id = try #require(OSSCredentialID(unlisted: phone.point))
        bench.bench.reader.blacklist.insert(Blacklist.Entry(credentialID: id, expiresAt: nil), at: nil)
        bench.bench.reader.followPolicy()
        #expect(bench.store?.credentials == [] && bench.store?.persistentPoints == [])
        // Its document is still valid: the reader's own list decides.
        _ = try bench.touch(&phone)
        let effects = bench.takeEffects()
        #expect(effects.outcomes == [.denied(.blacklisted)] && !effects.opensLock)
        #expect(bench.store?.credentials == [])
    }

    @Test func withoutAClockADocumentIsRefused() throws {
        var bench = try AliroBench()
        var phone = try AliroBench.phone()
        try bench.issue(to: &phone)
        bench.bench.epochSeconds = nil
        _ = try bench.touch(&phone)
        #expect(bench.takeEffects().outcomes == [.denied(.clockUnset)] && bench.store?.credentials == [])
    }

    // MARK: - Records of refused phones

    /// The record of the one refusal, as its kind, credential, information and detail.
    private static func refusal(_ bench: inout AliroBench, _ phone: inout AliroPhone) throws -> String {
        _ = try bench.touch(&phone)
        let effects = bench.takeEffects()
        #expect(!effects.opensLock && effects.refusals.count == 1)
        let record = try #require(effects.records.first)
        #expect(effects.records.count == 1)
        return "\(record.kind) \(record.credential) \(record.info) \(record.detail)"
    }

    /// The phone opens, and leaves.
    private static func open(_ bench: inout AliroBench, _ phone: inout AliroPhone) throws {
        _ = try bench.touch(&phone)
        let waiting = try #require(bench.bench.reader.openRequests.first)
        bench.bench.reader.decideOpening(waiting.token, .ok, port: &bench.bench.port, at: bench.bench.moment)
        _ = try bench.goOn(&phone)
        #expect(bench.takeEffects().opensLock)
        bench.leave()
    }

    /// A phone has proven its key: whoever lists it compares the end of the key with that of the record.
    @Test func unlistedPhoneIsRecordedByItsKey() throws {
        var bench = try AliroBench([], Self.audited)
        var phone = try AliroBench.phone()
        let label = CardEvidence(kind: .aliro, identity: phone.point).label
        #expect(try Self.refusal(&bench, &phone) == "\(AuditKind.unlisted)  128 aliro \(label)")
        bench.leave()
        phone.changes[.authenticate1] = .otherSigner
        #expect(try Self.refusal(&bench, &phone) == "\(AuditKind.unproven)  -12 aliro invalid-proof")
    }

    /// Anyone can write a document: the phone is recorded as an unlisted one.
    @Test func phoneWithAForgedDocumentIsRecordedByItsKey() throws {
        var bench = try AliroBench([], Self.audited)
        var phone = try AliroBench.phone()
        try bench.issue(to: &phone)
        var stranger = try AliroDocumentMaker(try AliroBench.key(9), for: phone.point)
        stranger.element = "matter1"
        phone.documents = ["aliro-a": try stranger.document]
        let label = CardEvidence(kind: .aliro, identity: phone.point).label
        #expect(
            try Self.refusal(&bench, &phone) == "\(AuditKind.unlisted)  128 aliro \(label) invalid-document")
    }

    /// An issuer has named the phone: its refusals have the name by which it is revoked.
    @Test func phoneWithADocumentIsRecordedByItsName() throws {
        var bench = try AliroBench([], Self.audited)
        var phone = try AliroBench.phone()
        let name = try #require(OSSCredentialID(unlisted: phone.point)).text
        try bench.issue(to: &phone) { $0.value = .map([(0, 1), (2, .array([.map([(0, 1)])]))]) }
        #expect(try Self.refusal(&bench, &phone) == "\(AuditKind.denied) \(name) 128 no-access-right")
        bench = try AliroBench([], Self.audited)
        try bench.issue(to: &phone) { $0.validUntil = "2026-11-21T12:00:05Z" }
        try Self.open(&bench, &phone)
        #expect(try Self.refusal(&bench, &phone) == "\(AuditKind.denied) \(name) 131 credential-not-valid-now")
    }

    /// An issuer's revocation refuses a listed phone too, in the fast phase, by the name of the list.
    @Test func revokedPhoneIsRecordedByItsName() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)], Self.audited)
        try Self.open(&bench, &phone)
        let held = bench.bench.reader.aliro
        var door = try #require(held)
        let isChanged = door.apply([try Self.revocation(bench, of: phone)])
        #expect(isChanged)
        bench.bench.reader.aliro = door
        _ = bench.takeEffects()
        #expect(try Self.refusal(&bench, &phone) == "\(AuditKind.denied) PHONE00001 130 credential-revoked")
        #expect(phone.tap.phase == .fast)
    }

    // MARK: - The store

    /// A restart: the octets of the store are those of a reader that opens by the fast phase.
    @Test func storeSurvivesARestart() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)])
        _ = try bench.touch(&phone)
        let octets = try bench.store?.octets() ?? []
        var after = try AliroBench([AliroBench.listed(phone)])
        after.bench.reader.aliro = AliroDoor(reader: after.identity, store: try AliroStore(octets: octets.span))
        _ = try after.touch(&phone)
        #expect(after.takeEffects().opensLock && phone.tap.phase == .fast)
    }

    @Test func anotherKeyErasesThePersistentKeys() throws {
        var phone = try AliroBench.phone()
        var bench = try AliroBench([AliroBench.listed(phone)])
        _ = try bench.touch(&phone)
        let held = bench.store
        let store = try #require(held)
        var other = try AliroBench([AliroBench.listed(phone)], key: 8)
        other.bench.reader.aliro = AliroDoor(reader: other.identity, store: store)
        #expect(other.store?.persistentPoints == [] && other.store?.credential(phone.point) != nil)
        phone.trust = AliroPhone.Trust(point: other.identity.key.publicKey)
        _ = try other.touch(&phone)
        #expect(other.takeEffects().opensLock && phone.tap.phase != .fast)
    }
}
