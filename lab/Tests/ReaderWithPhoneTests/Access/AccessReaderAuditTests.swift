// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Phone
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// Recorded events, and requests that wait for their record.
@Suite struct AccessReaderAuditTests {
    private static let granted: AuditEvent = {
        let moment = Moment(instant: .origin, epochSeconds: 1_795_262_400)
        var event = AuditEvent(
            .granted, at: AuditTime(moment, utcOffsetMinutes: 0), info: 2, channel: .bluetooth,
            credential: "CRED000001", command: "tokn")
        event.link = 4
        event.mode = .classic
        return event
    }()

    private func bench() throws -> ReaderBench { try ReaderBench { $0.isAudited = true } }

    @Test func theDoorOpensWhenTheGrantIsRecorded() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        #expect(bench.reader.openRequests == [OpenRequest(token: .phone(1), event: Self.granted)])
        #expect(bench.reader.doorActions.isEmpty && bench.port.notified.isEmpty)
        _ = bench.takeNotices()
        bench.decide(.phone(1), .ok)
        #expect(bench.reader.doorActions.first == .setLock(energised: true))
        #expect(!bench.port.notified.isEmpty)
        #expect(bench.reader.auditEvents == [])
        #expect(bench.reader.nextNotice() == .door(.released(.pulse)))
        #expect(bench.reader.nextNotice() == .executed(.link(link), credential: "CRED000001", command: "tokn", .ok))
        // Once is all.
        bench.reader.doorActions = []
        bench.port.notified = []
        bench.decide(.phone(1), .ok)
        #expect(bench.reader.doorActions.isEmpty && bench.port.notified.isEmpty)
        // And the link serves on.
        #expect(try bench.exchange(link, token: ReaderBench.token(.ping)) != .send)
        #expect(bench.reader.auditEvents.map(\.kind) == [.command])
        #expect(bench.reader.auditEvents.first?.command == "PING" && bench.reader.auditEvents.first?.info == 0)
    }

    /// Sealing an answer takes a while, and nobody at the door is to wait for that.
    @Test func theDoorMovesBeforeThePhoneIsTold() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        _ = bench.takeNotices()
        let now = bench.moment
        bench.reader.decide(.phone(1), .ok, at: now)
        #expect(bench.reader.doorActions.first == .setLock(energised: true))
        #expect(bench.port.notified.isEmpty)
        bench.reader.doorActions = []
        bench.reader.answerOpenings(port: &bench.port, at: now)
        #expect(!bench.port.notified.isEmpty && bench.reader.doorActions.isEmpty)
        #expect(bench.reader.nextNotice() == .door(.released(.pulse)))
        #expect(bench.reader.nextNotice() == .executed(.link(link), credential: "CRED000001", command: "tokn", .ok))
        // Once is all.
        bench.port.notified = []
        bench.reader.answerOpenings(port: &bench.port, at: now)
        #expect(bench.port.notified.isEmpty)
    }

    /// From the packet that completed the token, however long the disk takes: the lock's effect says since when.
    @Test func theLocksEffectSaysWhenTheRequestCame() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        bench.pass(until: 10)
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        bench.pass(until: 25)
        let asked = Instant.origin + .milliseconds(10)
        bench.reader.effects = []
        bench.decide(.phone(1), .ok)
        #expect(bench.reader.effects.first == .door(.setLock(energised: true), since: asked))
        let others = bench.reader.effects.dropFirst()
        #expect(
            others.allSatisfy { effect in if case .door(_, let since) = effect { since == nil } else { true } },
            "lights and buzzer are not the lock")
        // What secures the door is nobody's request.
        bench.reader.effects = []
        bench.pass(until: 6000)
        #expect(bench.reader.effects.contains(.door(.setLock(energised: false), since: nil)))
    }

    /// A refused phone moves no lock, and neither does one that comes while the door is unlocked.
    @Test func whatMovesNoLockIsNotMeasured() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        let now = bench.moment
        bench.decide(.phone(1), .unavailable)
        #expect(!bench.reader.doorActions.contains { $0.output == .lock })
        #expect(bench.reader.operate(.officeOn, at: now) == .done)
        #expect(bench.reader.effects.contains(.door(.setLock(energised: true), since: nil)), "asked by no packet")
        bench.reader.effects = []
        bench.port.notified = []
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        bench.decide(.phone(2), .ok)
        #expect(!bench.reader.doorActions.contains { $0.output == .lock })
    }

    @Test(arguments: [StatusCode.unavailable, .storageFull]) func aGrantThatIsNotRecordedIsNone(
        status: StatusCode
    ) throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        _ = bench.takeNotices()
        bench.decide(.phone(1), status)
        #expect(!bench.reader.doorActions.contains(.setLock(energised: true)))
        #expect(bench.reader.doorActions.contains(.setIndicator(.denied, on: true)))
        #expect(bench.reader.nextNotice() == .executed(.link(link), credential: "CRED000001", command: "tokn", status))
        // The status message in clear.
        #expect(bench.port.notified.count == 1)
    }

    @Test func aPhoneThatLeftMeanwhileIsStillLetIn() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        bench.event(.disconnected(link, reason: .remoteUserTerminated))
        // Its slot may be another's by now, who gets nothing of it.
        _ = bench.connect(0, generation: 5, phone: 200)
        bench.decide(.phone(1), .ok)
        #expect(bench.reader.doorActions.first == .setLock(energised: true))
        #expect(bench.port.notified.isEmpty)
    }

    @Test func theEndOfTheProcessWithdrawsWhatWaits() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        bench.reader.shutDown(port: &bench.port, at: bench.now)
        bench.decide(.phone(1), .ok)
        #expect(!bench.reader.doorActions.contains(.setLock(energised: true)))
        #expect(bench.reader.auditEvents == [Self.granted.changed(to: .withdrawn, info: -22)])
    }

    /// Access protocol, 7.1, step 9: the grant's record, which the door waits for, is not the only event.
    @Test(arguments: [StatusCode.ok, .unavailable]) func aFullBlacklistIsRecordedBehindTheGrant(
        status: StatusCode
    ) throws {
        var bench = try bench()
        bench.epochSeconds = wednesday(12, 0).epochSeconds
        bench.reader.policy.blacklist = Blacklist("CRED000002", capacity: 1)
        let link = bench.connect(0, generation: 4)
        let files = try CredentialFiles().message()
        _ = try bench.exchange(link, token: TokenIssuer.demo().standardOfflineToken(files))
        let grant = try #require(bench.reader.openRequests.first?.event)
        #expect(grant.kind == .granted && bench.reader.auditEvents == [])
        bench.decide(.phone(1), status)
        #expect(bench.reader.auditEvents == [grant.changed(to: .blacklistFull, info: 0)])
    }

    /// It names whom its forger likes, and a command of his making: neither is proven, and neither is recorded.
    @Test(arguments: [(CommandName.open, "tokn"), (CommandName(rawValue: "VICTIM01"), "")])
    func aForgedTokenIsRecordedWithoutWhatItClaims(command: CommandName, recorded: String) throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        _ = try bench.exchange(link, token: ReaderBench.token(command, key: P256PrivateKey.generate()))
        #expect(bench.reader.openRequests == [])
        let event = try #require(bench.reader.auditEvents.first)
        #expect(bench.reader.auditEvents.count == 1 && event.kind == .unproven && event.info == -12)
        #expect(event.credential.isEmpty && event.command == recorded && event.link == 4)
    }

    @Test func aForgedCredentialIsRecordedWithoutItsName() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        let forger = TokenIssuer(signatureKey: try P256PrivateKey.generate())
        _ = try bench.exchange(link, token: forger.standardOfflineToken(CredentialFiles().message()))
        #expect(bench.reader.auditEvents.map(\.kind) == [.unproven])
        #expect(bench.reader.auditEvents.first?.credential == "")
    }

    /// Its signature is good, so the record says whose it is.
    @Test func anEndedTokenIsRecordedWithItsCredential() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        _ = try bench.exchange(link, token: ReaderBench.token(.open, through: 2025))
        #expect(bench.reader.auditEvents == [Self.granted.changed(to: .denied, info: -13)])
    }

    @Test func theMedianIsInTheRecord() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4, set: 0)
        bench.measure(link, -42)
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        #expect(bench.reader.openRequests.first?.event.dBm == -42)
        #expect(bench.reader.openRequests.first?.event.mode == .onTouch)
    }

    @Test func nothingIsKeptForNobody() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 4)
        #expect(try bench.exchange(link, token: ReaderBench.token(.open)) == .completed([]))
        _ = try bench.exchange(link, token: ReaderBench.token(.open, key: P256PrivateKey.generate()))
        #expect(bench.reader.auditEvents == [] && bench.reader.openRequests == [])
    }
}
