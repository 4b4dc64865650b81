// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Protobuf
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// Grants that wait for their record: the door opens by nothing that would be refused at that moment.
@Suite struct WaitingGrantTests {
    private static func audited(_ configuration: inout AccessConfiguration) { configuration.isAudited = true }

    // MARK: - Cards

    /// The changes while a grant waits, and the outcome.
    enum Change: CaseIterable {
        case none, removed, noOrder, ended, notBegun, otherTimes, shortened, blacklisted, unreadable, clockLost, unknown
        case lockdown, shutDown, panel, silentPanel

        var outcome: CredentialDecision.Outcome {
            switch self {
            case .none, .noOrder: .granted(.extendedTime)
            case .removed: .denied(.notListed)
            case .ended, .notBegun: .denied(.validity)
            case .otherTimes: .denied(.schedule)
            case .blacklisted: .denied(.blacklisted)
            case .clockLost: .denied(.clockUnset)
            case .shortened, .unreadable, .unknown: .failed(.unavailable)
            case .lockdown: .denied(.lockdown)
            case .shutDown: .failed(.aborted)
            case .panel, .silentPanel: .denied(.leftToPanel)
            }
        }
    }

    private static func listed(_ card: ModelCard, _ change: Change) throws -> ListedCard {
        var listed = ListedCard(card.evidence, credentialID("CARD000001"), isExtended: change != .shortened)
        let hours: (start: UInt8, end: UInt8) = change == .otherTimes ? (19, 20) : (8, 18)
        listed.schedules = [
            // The day of the bench is a Saturday.
            DoorGroup.Schedule(
                weekdays: 0x20,
                period: try OSSTimePeriod(fromHour: hours.start, fromMinute: 0, toHour: hours.end, toMinute: 0))
        ]
        if change == .ended { listed.validUntil = CivilTime(year: 2026, month: 11, day: 21, hour: 11, minute: 59) }
        if change == .notBegun { listed.validFrom = CivilTime(year: 2026, month: 11, day: 21, hour: 12, minute: 1) }
        return listed
    }

    private static func apply(_ change: Change, _ card: ModelCard, _ bench: inout CardBench) throws {
        switch change {
        case .none: break
        case .removed: bench.reader.cardList = CardList()
        case .noOrder, .ended, .notBegun, .otherTimes, .shortened:
            bench.reader.cardList = CardList([try listed(card, change)])
        case .blacklisted:
            bench.reader.blacklist.insert(.init(credentialID: credentialID("CARD000001"), expiresAt: nil), at: nil)
        case .unreadable: bench.reader.cardList = nil
        case .clockLost: bench.epochSeconds = nil
        case .unknown: bench.reader.awaitRestoration()
        case .lockdown: bench.reader.lockdown(true, at: bench.moment)
        case .shutDown: bench.reader.shutDown(port: &bench.port, at: bench.now)
        case .panel: bench.reader.grantRoute = .panel
        case .silentPanel: bench.reader.grantRoute = .nowhere
        }
    }

    @Test(arguments: Change.allCases) func card(change: Change) throws {
        let card = try ModelCard(1)
        var bench = try CardBench([try Self.listed(card, .none)], Self.audited)
        _ = try bench.touch(card)
        let waiting = try #require(bench.reader.openRequests.first)
        // The person stands at the door.
        if change != .shutDown { bench.reader.cardLeft() }
        try Self.apply(change, card, &bench)
        _ = bench.takeEffects()
        bench.reader.decideOpening(waiting.token, .ok, port: &bench.port, at: bench.moment)
        let effects = bench.takeEffects()
        let opens = change == .none || change == .noOrder
        #expect(effects.opensLock == opens && effects.handedOn.isEmpty)
        #expect(effects.decisions.map(\.outcome) == [change.outcome])
        #expect(effects.records.map(\.kind).contains(.withdrawn) != opens)
    }

    /// The number is proven by keys that the reader does not accept any more.
    @Test func desfireKeyRemoved() throws {
        let evidence = CardEvidence(kind: .desfire, identity: [1, 2, 3, 4])
        var bench = try CardBench([ListedCard(evidence, credentialID("CARD000001"))], Self.audited)
        let key = try #require(DESFireCredential.Key(number: 0, octets: [UInt8](1...16)))
        bench.reader.desfire = DESFireCredential(application: octets("f51bc0"), file: 1, count: 4, key: key)
        #expect(try Self.outcome(.card(evidence), &bench) { _ in } == .granted(.defaultTime))
        #expect(try Self.outcome(.card(evidence), &bench) { $0.reader.desfire = nil } == .failed(.unavailable))
    }

    // MARK: - Credentials of the access protocol

    /// Asks for an opening, changes the reader, and decides once the record is stored.
    private static func outcome(
        _ credential: AuthorizedCredential, _ bench: inout CardBench, _ change: (inout CardBench) -> Void
    ) throws -> CredentialDecision.Outcome? {
        // Not a repetition of the last request.
        bench.leave()
        let times = LinkTimes(idle: .seconds(3), longest: .seconds(60))
        let link = AccessLink(id: .tap(1), times: times, at: bench.now)
        let clock = bench.reader.clock(at: bench.moment)
        let progress = bench.reader.decide(credential, link, clock: clock, at: bench.moment)
        #expect(progress == .waits)
        change(&bench)
        let token = try #require(bench.reader.openRequests.last?.token)
        bench.reader.decide(token, .ok, at: bench.moment)
        guard case .credential(let decision) = bench.reader.ledger.decided.last?.answer else { return nil }
        bench.reader.answerOpenings(port: &bench.port, at: bench.moment)
        return decision.outcome
    }

    private static func losePolicy(_ bench: inout CardBench) { bench.reader.awaitRestoration() }

    /// The lists and the settings are asked again.
    @Test func secureIdentifier() throws {
        let info = octets("010000 43524544303030303031")
        let credential = AuthorizedCredential.secureIdentifier(OssSidMobile(infoFile: try BoundedBytes(info)))
        var bench = try CardBench {
            $0.isAudited = true
            $0.credentials.secureIdentifiers = [credentialID("CRED000001")]
        }
        #expect(try Self.outcome(credential, &bench) { _ in } == .granted(.defaultTime))
        let unlisted = try Self.outcome(credential, &bench) {
            $0.reader.configuration.credentials.secureIdentifiers = []
        }
        #expect(unlisted == .denied(.notListed))
        bench.reader.configuration.credentials.secureIdentifiers = [credentialID("CRED000001")]
        #expect(try Self.outcome(credential, &bench, Self.losePolicy) == .failed(.unavailable))
    }

    /// The validity and the times of the credential itself, by the clock of that moment; the blacklist that it has
    /// carried is added once.
    @Test func standardOffline() throws {
        let credential = AuthorizedCredential.standardOffline(try CredentialFiles().message())
        var bench = try CardBench {
            $0.isAudited = true
            $0.credentials.takesInterventionMedia = false
        }
        #expect(try Self.outcome(credential, &bench) { _ in } == .granted(.extendedTime))
        #expect(bench.reader.blacklist.count == 1)
        let ended = try Self.outcome(credential, &bench) { $0.epochSeconds = 1_924_992_000 }
        #expect(ended == .denied(.validity))
        bench.epochSeconds = 1_795_262_400
        let otherDoor = try Self.outcome(credential, &bench) { $0.reader.configuration.credentials.doorID = 2 }
        #expect(otherDoor == .denied(.otherDoor))
        bench.reader.configuration.credentials.doorID = 1
        let unsupported = try Self.outcome(credential, &bench) {
            $0.reader.configuration.credentials.takesStandardOffline = false
        }
        #expect(unsupported == .failed(.notSupported))
        bench.reader.configuration.credentials.takesStandardOffline = true
        #expect(try Self.outcome(credential, &bench, Self.losePolicy) == .failed(.unavailable))
    }

    // MARK: - Commands

    enum CommandChange: CaseIterable { case none, revoked, ended, clockLost, unknown }

    @Test(arguments: CommandChange.allCases) func command(change: CommandChange) throws {
        var bench = try CardBench([], Self.audited)
        let command = AuthorizedCommand(
            credentialID: "CRED000001", name: .open, data: [],
            validity: TokenValidity(
                from: CivilTime(year: 2026, month: 11, day: 21, hour: 11),
                through: CivilTime(year: 2026, month: 11, day: 21, hour: 12)),
            wasValidityChecked: true)
        let times = LinkTimes(idle: .seconds(3), longest: .seconds(60))
        let link = AccessLink(id: .tap(1), times: times, at: bench.now)
        let event = AuditSample.event()
        bench.reader.ledger.request(Opening.Requester(link: link, wanted: .command(command)), event, at: bench.now)
        switch change {
        case .none: break
        case .revoked:
            bench.reader.blacklist.insert(.init(credentialID: credentialID("CRED000001"), expiresAt: nil), at: nil)
        case .ended: bench.epochSeconds = 1_795_262_401
        case .clockLost: bench.epochSeconds = nil
        case .unknown: bench.reader.awaitRestoration()
        }
        let token = try #require(bench.reader.openRequests.first?.token)
        bench.reader.decide(token, .ok, at: bench.moment)
        let expected: StatusCode = change == .none ? .ok : change == .unknown ? .unavailable : .validity
        #expect(bench.reader.ledger.decided.last?.answer == .command(expected))
        #expect(bench.opened == (change == .none))
    }
}
