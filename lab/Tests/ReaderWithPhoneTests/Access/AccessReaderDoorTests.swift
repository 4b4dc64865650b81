// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Phone
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// The door as the reader runs it: what is told and recorded, repeated requests, and a door that lets nobody in.
@Suite struct AccessReaderDoorTests {
    private func input(_ bench: inout ReaderBench, _ input: DoorInput, _ isActive: Bool, bounce: Int = 0) {
        bench.reader.doorLine(input, isActive: isActive, since: bench.now, at: bench.moment)
        bench.pass(until: Int((bench.now - .origin).wholeMilliseconds) + bounce)
    }

    private func decide(_ bench: inout ReaderBench, _ id: OpeningToken, _ status: StatusCode) {
        bench.decide(id, status)
        bench.pass(until: Int((bench.now - .origin).wholeMilliseconds))
    }

    private func expectFree(
        _ bench: borrowing ReaderBench, _ expected: Bool, location: SourceLocation = #_sourceLocation
    ) {
        let isFree = bench.reader.door.isUnlocked
        #expect(isFree == expected, sourceLocation: location)
    }

    private func doorEvents(_ bench: inout ReaderBench) -> [DoorEvent] {
        bench.takeNotices().compactMap { if case .door(let event) = $0 { event } else { nil } }
    }

    @Test func whatHappensAtTheDoorIsToldAndRecorded() throws {
        var bench = try ReaderBench {
            $0.isAudited = true
            for input in DoorInput.allCases { $0.debounce[input] = .zero }
        }
        _ = bench.takeNotices()
        input(&bench, .contact, false)
        input(&bench, .contact, true)
        input(&bench, .contact, false)
        input(&bench, .exit, true)
        input(&bench, .exit, false)
        input(&bench, .tamper, true)
        input(&bench, .fire, true)
        #expect(
            doorEvents(&bench) == [
                .forced, .closed, .restored(.forced), .exitRequest(active: true), .released(.exit),
                .exitRequest(active: false), .tamper(active: true), .fire(active: true), .released(.fire),
            ])
        #expect(
            bench.reader.auditEvents.map(\.kind) == [
                .doorForced, .doorClosed, .doorRestored, .requestToExit, .tamper, .fire,
            ])
        #expect(bench.reader.auditEvents.allSatisfy { $0.channel == .local && $0.time.epochSeconds == 1_795_262_400 })
    }

    /// The alarm of a door that stands open comes by the clock alone, and with the time at which it came.
    @Test func anAlarmThatTimeBringsIsRecordedWithItsTime() throws {
        var bench = try ReaderBench { $0.isAudited = true }
        input(&bench, .contact, true)
        bench.pass(until: 30_000)
        #expect(bench.reader.auditEvents.map(\.kind) == [.doorOpened, .doorHeldOpenWarning, .doorHeldOpenTooLong])
        #expect(bench.reader.auditEvents.map(\.time.uptimeMilliseconds) == [0, 20_000, 30_000])
    }

    /// No loss opens: a request to exit ends with its pulse, and fire stays as it was.
    @Test func aLostInputOpensNothing() throws {
        var bench = try ReaderBench()
        for lost in DoorInput.allCases {
            let moment = bench.moment
            bench.reader.doorLineLost(lost, at: moment)
            expectFree(bench, false)
        }
        input(&bench, .exit, true)
        bench.pass(until: 60_000)
        // Taken by the loss as being at rest, so it has to be seen so.
        expectFree(bench, false)
        input(&bench, .exit, false)
        input(&bench, .exit, true, bounce: 20)
        expectFree(bench, true)
        bench.pass(until: 70_000)
        expectFree(bench, true)
        var moment = bench.moment
        bench.reader.doorLineLost(.exit, at: moment)
        bench.pass(until: 75_000)
        expectFree(bench, false)
        input(&bench, .fire, true)
        moment = bench.moment
        bench.reader.doorLineLost(.fire, at: moment)
        bench.pass(until: 600_000)
        expectFree(bench, true)
    }

    @Test func theSameRequestWithinTheReArmTimeOpensOnceAndIsAnsweredTheSame() throws {
        var bench = try ReaderBench()
        let first = bench.connect(0, generation: 1)
        #expect(try bench.exchange(first, token: ReaderBench.token(.open)) == .completed([]))
        bench.pass(until: 1999)
        let second = bench.connect(1, generation: 2, phone: 200)
        _ = bench.takeNotices()
        bench.reader.doorActions = []
        #expect(try bench.exchange(second, token: ReaderBench.token(.open)) == .completed([]))
        #expect(bench.reader.timesOpened == 1 && bench.reader.doorActions.isEmpty)
        #expect(bench.takeNotices().contains(.repeated(.link(second), credential: "CRED000001")))
        // Another command of the same credential is another request.
        #expect(try bench.exchange(second, token: ReaderBench.token(.ping)) != .completed([]))
        bench.pass(until: 2000)
        #expect(try bench.exchange(second, token: ReaderBench.token(.open)) == .completed([]))
        #expect(bench.reader.timesOpened == 2)
    }

    /// An answer is not repeated once the door refuses the request.
    @Test func aLockdownWithinTheReArmTimeRefusesARepeat() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 1)
        #expect(try bench.exchange(link, token: ReaderBench.token(.open)) == .completed([]))
        bench.pass(until: 500)
        bench.reader.door.lockdown(true, at: bench.now, into: &bench.reader.effects)
        #expect(
            try bench.exchange(link, token: ReaderBench.token(.open))
                == .failed(PhoneFailure(.peerStatus, terminal: .unavailable)))
        #expect(bench.reader.timesOpened == 1)
    }

    @Test func withoutAReArmTimeEveryRequestOpens() throws {
        var bench = try ReaderBench { $0.reArm = .zero }
        let link = bench.connect(0, generation: 1)
        for _ in 0..<3 { _ = try bench.exchange(link, token: ReaderBench.token(.open)) }
        #expect(bench.reader.timesOpened == 3)
    }

    /// A phone that got no answer yet asks over another link: one record, one opening, two answers.
    @Test(arguments: [StatusCode.ok, .unavailable]) func aRepeatWaitsForTheRecordOfTheFirst(status: StatusCode) throws {
        var bench = try ReaderBench { $0.isAudited = true }
        let first = bench.connect(0, generation: 1)
        let second = bench.connect(1, generation: 2, phone: 200)
        _ = try bench.exchange(first, token: ReaderBench.token(.open))
        bench.pass(until: 1500)
        _ = try bench.exchange(second, token: ReaderBench.token(.open))
        #expect(bench.reader.openRequests.map(\.token) == [.phone(1)])
        #expect(bench.port.notified.isEmpty)
        _ = bench.takeNotices()
        decide(&bench, .phone(1), status)
        #expect(bench.port.notified.map { $0.0 } == [first, second])
        let told = bench.takeNotices()
        for link in [first, second] {
            #expect(told.contains(.executed(.link(link), credential: "CRED000001", command: "tokn", status)))
        }
        #expect(bench.reader.timesOpened == (status == .ok ? 1 : 0))
        // What was refused may be tried again at once.
        bench.port.notified = []
        _ = try bench.exchange(first, token: ReaderBench.token(.open))
        #expect(bench.reader.openRequests.map(\.token) == (status == .ok ? [] : [.phone(2)]))
    }

    /// A request that a door in lockdown refuses is no grant, and may be made again as soon as that is over.
    @Test func aRefusedRequestMayBeTriedAtOnce() throws {
        var bench = try ReaderBench { $0.isAudited = true }
        let link = bench.connect(0, generation: 1)
        bench.reader.door.lockdown(true, at: bench.now, into: &bench.reader.effects)
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        #expect(
            bench.takeNotices().contains(
                .executed(.link(link), credential: "CRED000001", command: "tokn", .unavailable)))
        #expect(bench.reader.openRequests.isEmpty)
        #expect(bench.reader.auditEvents.map(\.kind) == [.lockdown, .denied])
        #expect(bench.reader.auditEvents.last?.info == -21)
        bench.reader.door.lockdown(false, at: bench.now, into: &bench.reader.effects)
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        #expect(bench.reader.openRequests.count == 1)
    }

    /// Too many refused attempts: then nobody is let in, also with a good token, until the pause is over.
    @Test func theLockOutIsAnsweredAndEnds() throws {
        var lockout = LockoutRule()
        lockout.attempts = 2
        var door = DoorConfiguration()
        door.lockout = lockout
        var bench = try ReaderBench(door: door) { $0.isAudited = true }
        let link = bench.connect(0, generation: 1)
        let stranger = P256PrivateKey.generate
        for _ in 0..<2 { _ = try bench.exchange(link, token: ReaderBench.token(.open, key: stranger())) }
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        #expect(bench.reader.openRequests.isEmpty)
        #expect(
            bench.reader.auditEvents.map(\.kind) == [.unproven, .unproven, .lockedOut, .denied])
        bench.pass(until: 30_000)
        #expect(bench.reader.auditEvents.last?.kind == .lockedOutEnded)
        let next = bench.connect(0, generation: 2)
        _ = try bench.exchange(next, token: ReaderBench.token(.open))
        #expect(bench.reader.openRequests.count == 1)
    }

    /// Two phones of two people at once: each is let in, in the order in which they came.
    @Test func twoPhonesAtOnceAreServedInOrder() throws {
        var bench = try ReaderBench { $0.isAudited = true }
        let first = bench.connect(0, generation: 1)
        let second = bench.connect(1, generation: 2, phone: 200)
        let validity = TokenValidity(
            from: CivilTime(year: 2020, month: 1, day: 1), through: CivilTime(year: 2030, month: 1, day: 1))
        let other = try TokenIssuer.demo().commandToken(
            credentialID: "CRED000002", command: .open, validity: validity)
        _ = try bench.exchange(first, token: ReaderBench.token(.open))
        _ = try bench.exchange(second, token: other)
        #expect(bench.reader.openRequests.map(\.event.credential) == ["CRED000001", "CRED000002"])
        decide(&bench, .phone(1), .ok)
        #expect(bench.port.notified.map { $0.0 } == [first])
        bench.pass(until: 1000)
        decide(&bench, .phone(2), .ok)
        #expect(bench.port.notified.map { $0.0 } == [first, second])
        #expect(bench.reader.timesOpened == 2)
        // One pulse after the second; the lock saw no edge in between.
        bench.pass(until: 5999)
        expectFree(bench, true)
        bench.pass(until: 6000)
        expectFree(bench, false)
        let edges = bench.reader.doorActions.filter { $0.output == .lock }
        #expect(edges == [.setLock(energised: true), .setLock(energised: false)])
    }
}
