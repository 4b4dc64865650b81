// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// An operator's orders about single credentials.
@Suite struct RevocationTests {
    private final class Bench {
        var reader: AccessReader
        var port = FakePort()
        /// 2026-05-04 12:00:00 UTC; nil for a clock that is not set.
        var seconds: Int64? = 1_777_896_000
        var moment: Moment { Moment(instant: .origin + .milliseconds(10), epochSeconds: seconds) }

        init(capacity: Int = 4, isAudited: Bool = true) throws {
            var configuration = AccessConfiguration(modes: [])
            (configuration.isAudited, configuration.blacklistCapacity) = (isAudited, capacity)
            reader = AccessReader(
                configuration: configuration, identity: try .demo(), table: try .demo(configuration),
                door: DoorConfiguration())
            reader.startDoor(at: .origin)
            reader.effects = []
        }

        var names: [String] { reader.blacklist.entries.map(\.credentialID.text) }

        func execute(_ order: RevocationOrder, ticket: UInt64 = 1) -> RevocationOutcome {
            reader.effects = []
            return reader.execute(order, ticket: .control(ticket), Self.event(order), at: moment)
        }

        static func event(_ order: RevocationOrder) -> AuditEvent {
            AuditEvent(
                .command, at: AuditTime(Moment(instant: .origin, epochSeconds: 1), zone: .utc), channel: .control,
                credential: order.credential.text, command: order.command, actor: "uid 0", detail: order.detail)
        }

        /// The request to the store of the last order.
        func stored() -> StorageRequest? {
            for case .store(let request) in reader.effects { return request }
            return nil
        }

        func answer(_ id: CommandID?, _ answer: StorageAnswer) {
            reader.effects = []
            if let id { reader.answerStorage(id, answer, port: &port, at: moment) }
        }

        /// A credential that carries a revocation from another door.
        func carry(_ name: String, until: CivilTime? = nil) throws {
            let entry = Blacklist.Entry(credentialID: try RevocationTests.id(name), expiresAt: until)
            let former = reader.blacklist
            if reader.blacklist.insert(entry, at: nil) == .inserted { reader.keep([entry], since: former) }
        }
    }

    fileprivate static func id(_ name: String) throws -> OSSCredentialID { try #require(OSSCredentialID(name)) }
    private static let summer = CivilTime(year: 2026, month: 6, day: 30, hour: 23, minute: 59)
    private static let past = CivilTime(year: 2026, month: 5, day: 3, hour: 23, minute: 59)

    @Test func aRevocationIsInForceAtOnceAndAnsweredOnceKept() throws {
        let bench = try Bench()
        let order = RevocationOrder.revoke(try Self.id("ALICE04711"), until: nil)
        #expect(bench.execute(order) == .waits)
        #expect(bench.names == ["ALICE04711"])
        #expect(bench.reader.effects.first == .recorded(Bench.event(order)), "with who ordered it, before the change")
        let request = try #require(bench.stored())
        #expect(
            request.work
                == .blacklist(
                    .put([BlacklistRow(credential: "ALICE04711", until: CivilTime(year: 0, month: 0, day: 0))])))
        bench.answer(request.id, .done)
        #expect(
            bench.reader.effects == [
                .recorded(Bench.event(order).changed(to: .blacklistChanged, info: 1)),
                .revocation(.control(1), .revoked(until: nil)),
            ])
        // Once is all.
        bench.answer(request.id, .done)
        #expect(bench.reader.effects == [])
    }

    /// A restriction does not depend on the disk: it stays in memory, and the shell stores it later.
    @Test func aRevocationOutlastsAFailedDisk() throws {
        let bench = try Bench()
        #expect(bench.execute(.revoke(try Self.id("ALICE04711"), until: nil)) == .waits)
        bench.answer(bench.stored()?.id, .failed(.unavailable))
        #expect(bench.reader.effects == [.revocation(.control(1), .refused(.notKept))])
        #expect(bench.names == ["ALICE04711"])
        // Repeated, it is stored, and changes nothing.
        #expect(bench.execute(.revoke(try Self.id("ALICE04711"), until: nil), ticket: 2) == .waits)
        let request = bench.stored()
        #expect(bench.reader.effects.count == 1 && request != nil)
        bench.answer(request?.id, .done)
        #expect(bench.reader.effects == [.revocation(.control(2), .revoked(until: nil))])
    }

    @Test func anEndIsNeverMovedForward() throws {
        let bench = try Bench()
        let alice = try Self.id("ALICE04711")
        #expect(bench.execute(.revoke(alice, until: Self.summer)) == .waits)
        bench.answer(bench.stored()?.id, .done)
        var stored = Self.summer
        stored.second = 59
        #expect(bench.reader.effects.last == .revocation(.control(1), .revoked(until: stored)))
        // Later moves it.
        #expect(bench.execute(.revoke(alice, until: nil)) == .waits)
        bench.answer(bench.stored()?.id, .done)
        #expect(bench.reader.effects.last == .revocation(.control(1), .revoked(until: nil)))
        #expect(bench.execute(.revoke(alice, until: Self.summer)) == .waits)
        bench.answer(bench.stored()?.id, .done)
        #expect(bench.reader.effects.last == .revocation(.control(1), .revoked(until: nil)), "the end in force")
    }

    @Test func withoutAClockThereIsNoEnd() throws {
        let bench = try Bench()
        let alice = try Self.id("ALICE04711")
        bench.seconds = nil
        #expect(bench.execute(.revoke(alice, until: Self.summer)) == .refused(.clockUnset))
        #expect(bench.reader.effects == [] && bench.names == [])
        #expect(bench.execute(.revoke(alice, until: nil)) == .waits)
        #expect(bench.names == ["ALICE04711"])
    }

    @Test func ordersThatCannotHoldAreRefused() throws {
        let bench = try Bench(capacity: 1)
        let (alice, bob) = (try Self.id("ALICE04711"), try Self.id("BOB0000815"))
        #expect(bench.execute(.revoke(alice, until: Self.past)) == .refused(.ended))
        #expect(bench.execute(.unrevoke(alice)) == .refused(.notRevoked))
        #expect(bench.execute(.revoke(alice, until: nil)) == .waits)
        #expect(bench.execute(.revoke(bob, until: nil)) == .refused(.listFull))
        #expect(bench.names == ["ALICE04711"] && bench.reader.effects == [])
        // Until the policy is known, phones open nothing, and nothing could be kept.
        bench.reader.awaitRestoration()
        #expect(bench.execute(.revoke(bob, until: nil)) == .refused(.policyUnknown))
        #expect(bench.execute(.unrevoke(alice)) == .refused(.policyUnknown))
    }

    /// An entry that has ended makes room, and the stored list is replaced as a whole then.
    @Test func anEndedEntryMakesRoom() throws {
        let bench = try Bench(capacity: 1)
        #expect(bench.execute(.revoke(try Self.id("ALICE04711"), until: Self.summer)) == .waits)
        bench.answer(bench.stored()?.id, .done)
        bench.seconds = 1_800_000_000
        #expect(bench.execute(.revoke(try Self.id("BOB0000815"), until: nil)) == .waits)
        guard case .blacklist(.replace(let rows)) = bench.stored()?.work else {
            Issue.record("the stored list keeps the ended entry")
            return
        }
        #expect(rows.map(\.credential) == ["BOB0000815"] && bench.names == ["BOB0000815"])
    }

    @Test func anEndIsInForceOnceItIsKept() throws {
        let bench = try Bench()
        let alice = try Self.id("ALICE04711")
        try bench.carry("ALICE04711")
        try bench.carry("BOB0000815")
        #expect(bench.execute(.unrevoke(alice)) == .waits)
        #expect(bench.reader.effects.first == .recorded(Bench.event(.unrevoke(alice))), "before the change")
        #expect(bench.stored()?.work == .blacklist(.remove(["ALICE04711"])))
        #expect(bench.names == ["ALICE04711", "BOB0000815"], "the disk does not have it yet")
        bench.answer(bench.stored()?.id, .failed(.unavailable))
        #expect(bench.reader.effects == [.revocation(.control(1), .refused(.notKept))])
        #expect(bench.names == ["ALICE04711", "BOB0000815"])
        #expect(bench.execute(.unrevoke(alice)) == .waits)
        bench.answer(bench.stored()?.id, .done)
        #expect(
            bench.reader.effects == [
                .recorded(Bench.event(.unrevoke(alice)).changed(to: .blacklistChanged, info: 1)),
                .revocation(.control(1), .unrevoked),
            ])
        #expect(bench.names == ["BOB0000815"])
    }

    /// A revocation that comes by a credential, a phone or a back end while the end of the old one is being kept, or
    /// later, counts: none of them says when it was decided.
    @Test func aLaterRevocationWins() throws {
        let bench = try Bench()
        let alice = try Self.id("ALICE04711")
        try bench.carry("ALICE04711", until: Self.summer)
        #expect(bench.execute(.unrevoke(alice)) == .waits)
        let removal = bench.stored()?.id
        try bench.carry("ALICE04711")
        bench.answer(removal, .done)
        #expect(bench.names == ["ALICE04711"], "the store has it after the removal")
        #expect(bench.reader.blacklist.entries.first?.expiresAt == nil)

        let second = bench.execute(.unrevoke(alice))
        let pending = bench.stored()?.id
        let state = bench.reader.beginReplacement(
            [Blacklist.Entry(credentialID: alice, expiresAt: nil)], at: bench.moment)
        bench.answer(pending, .done)
        #expect(second == .waits && bench.names == ["ALICE04711"], "the state comes after the removal")
        bench.reader.endReplacement(state.id, isKept: true)
        #expect(bench.names == ["ALICE04711"])

        #expect(bench.execute(.unrevoke(alice)) == .waits)
        bench.answer(bench.stored()?.id, .done)
        #expect(bench.names == [])
        try bench.carry("ALICE04711")
        #expect(bench.names == ["ALICE04711"])
    }

    /// A revocation while a list is being replaced stays, whatever becomes of the replacement; so does an end.
    @Test(arguments: [true, false]) func ordersDuringAReplacementHold(isKept: Bool) throws {
        let bench = try Bench()
        let (alice, bob) = (try Self.id("ALICE04711"), try Self.id("BOB0000815"))
        try bench.carry("BOB0000815")
        let state = bench.reader.beginReplacement(
            [Blacklist.Entry(credentialID: bob, expiresAt: nil)], at: bench.moment)
        #expect(bench.execute(.revoke(alice, until: nil), ticket: 1) == .waits)
        let revocation = bench.stored()?.id
        #expect(bench.execute(.unrevoke(bob), ticket: 2) == .waits)
        let end = bench.stored()?.id
        bench.reader.endReplacement(state.id, isKept: isKept)
        #expect(bench.names == ["ALICE04711", "BOB0000815"])
        bench.answer(revocation, .done)
        bench.answer(end, .done)
        #expect(bench.names == ["ALICE04711"])
    }

    /// Without an event store, as in a lab, orders are executed in memory.
    @Test func withoutAStoreOrdersAreExecutedAtOnce() throws {
        let bench = try Bench(isAudited: false)
        let alice = try Self.id("ALICE04711")
        #expect(bench.execute(.revoke(alice, until: nil)) == .revoked(until: nil))
        #expect(bench.names == ["ALICE04711"] && bench.stored() == nil)
        #expect(bench.execute(.unrevoke(alice)) == .unrevoked)
        #expect(bench.names == [] && bench.stored() == nil)
    }

    @Test func onlyAnEndMayRelease() throws {
        let alice = try Self.id("ALICE04711")
        #expect(!RevocationOrder.revoke(alice, until: nil).mayRelease && RevocationOrder.unrevoke(alice).mayRelease)
        #expect(RevocationOrder.revoke(alice, until: Self.summer).detail == "until 2026-06-30T23:59")
        for order in [RevocationOrder.revoke(alice, until: nil), .unrevoke(alice)] {
            #expect((1...8).contains(order.command.utf8.count) && order.detail == "")
        }
    }
}
