// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// A trail, and a disk that a test plays.
struct TrailBench: ~Copyable {
    var trail: AuditTrail
    var now = Instant.origin
    var submitted: [AuditTrail.Submission] = []
    private var decided: [OpeningVerdict] = []

    init(strict: Bool = true, letsIn: Bool = false) {
        trail = AuditTrail(AuditPolicy(isStrict: strict, grantsWhileFailing: letsIn))
    }

    mutating func drain() -> [AuditKind] {
        let new = all { trail.nextSubmission(at: now) }
        submitted += new
        return new.map(\.event.kind)
    }

    /// The verdicts since the last call.
    mutating func verdicts() -> [OpeningVerdict] { exchange(&decided, with: []) }

    mutating func notices() -> [TrailNotice] { all { trail.nextNotice() } }

    mutating func request(_ number: UInt64) {
        guard let status = trail.request(.phone(number), AuditSample.event(), at: now) else { return }
        decided.append(OpeningVerdict(opening: .phone(number), status: status))
    }

    mutating func store(isFull: Bool = false) {
        let submission = submitted.removeFirst()
        let stored = trail.stored(submission.id, isFull: isFull, at: now, AuditSample.time)
        #expect(stored?.event == submission.event)
        if let verdict = stored?.verdict { decided.append(verdict) }
    }

    mutating func fail(_ fault: DiskFault) {
        decided += submitted.compactMap { trail.failed($0.id, fault, at: now, AuditSample.time) }
        submitted = []
    }

    mutating func pass(_ milliseconds: Int) {
        // Not by `elapse`: the trail stays due until the disk, which is the test, has taken its submissions.
        let end = now + .milliseconds(milliseconds)
        while let deadline = trail.nextDeadline, deadline <= end {
            let former = now
            now = max(now, deadline)
            decided += trail.advance(to: now, AuditSample.time)
            if now == former, trail.nextDeadline == deadline { break }
        }
        now = end
        decided += trail.advance(to: now, AuditSample.time)
    }
}

@Suite struct AuditTrailTests {
    @Test func aStrictGrantWaitsForItsRecord() {
        var bench = TrailBench()
        bench.request(5)
        #expect(bench.drain() == [.granted] && bench.verdicts() == [])
        bench.pass(999)
        #expect(bench.verdicts() == [])
        bench.store()
        #expect(bench.verdicts() == [OpeningVerdict(opening: .phone(5), status: .ok)])
        #expect(bench.trail.pending == 0 && bench.trail.nextDeadline == nil && bench.notices() == [])
    }

    @Test func aRelaxedGrantDoesNot() {
        var bench = TrailBench(strict: false)
        bench.request(5)
        #expect(bench.verdicts() == [OpeningVerdict(opening: .phone(5), status: .ok)])
        #expect(bench.drain() == [.granted])
    }

    @Test func otherEventsWaitForNothing() {
        var bench = TrailBench()
        for kind in [AuditKind.requestToExit, .fire, .start] {
            bench.trail.record(AuditEvent(kind, at: AuditSample.time))
        }
        #expect(bench.drain() == [.requestToExit, .fire, .start] && bench.verdicts() == [])
    }

    @Test func aDiskThatStallsIsAFaultAndTheGrantIsWithdrawn() {
        var bench = TrailBench()
        bench.request(1)
        #expect(bench.drain() == [.granted])
        bench.pass(1000)
        #expect(bench.verdicts() == [OpeningVerdict(opening: .phone(1), status: .unavailable)])
        #expect(bench.notices() == [.failing(.stalled)])
        // Nobody after that waits a second to hear it.
        bench.request(2)
        #expect(bench.verdicts() == [OpeningVerdict(opening: .phone(2), status: .unavailable)])
        // The disk has one event and gets no more, however long it takes.
        bench.pass(60_000)
        #expect(bench.drain() == [])
        bench.store()
        #expect(bench.notices() == [.restored(lost: 0)] && bench.verdicts() == [])
        #expect(bench.drain() == [.diskFailed, .withdrawn, .denied, .diskRestored])
        bench.request(3)
        _ = bench.drain()
        while !bench.submitted.isEmpty { bench.store() }
        #expect(bench.verdicts() == [OpeningVerdict(opening: .phone(3), status: .ok)])
    }

    @Test func aPolicyMayLetPeopleInMeanwhile() {
        var bench = TrailBench(letsIn: true)
        bench.request(1)
        _ = bench.drain()
        bench.pass(1000)
        bench.request(2)
        #expect(bench.verdicts() == [1, 2].map { OpeningVerdict(opening: .phone($0), status: .ok) })
        bench.store()
        #expect(bench.drain() == [.diskFailed, .granted, .diskRestored])
    }

    /// The disk had the record in time, and the process was stopped before it read that.
    @Test func anAnswerThatIsReadLateOpensNothing() {
        for letsIn in [false, true] {
            var bench = TrailBench(letsIn: letsIn)
            bench.request(1)
            #expect(bench.drain() == [.granted])
            bench.now = bench.now + .seconds(10)
            bench.store()
            #expect(bench.verdicts() == [OpeningVerdict(opening: .phone(1), status: .unavailable)])
            #expect(bench.drain() == [.withdrawn])
        }
    }

    /// The end of the wait grants where the policy grants without a record, but not when it is noticed late.
    @Test func aWaitThatEndsLateOpensNothing() {
        for (late, status) in [(999, StatusCode.ok), (1000, .unavailable), (9000, .unavailable)] {
            var bench = TrailBench(letsIn: true)
            bench.request(1)
            _ = bench.drain()
            bench.now = bench.now + .milliseconds(1000 + late)
            let verdicts = bench.trail.advance(to: bench.now, AuditSample.time)
            #expect(verdicts == [OpeningVerdict(opening: .phone(1), status: status)])
        }
    }

    @Test func aDiskThatFailsIsTriedAgainWithPauses() {
        var bench = TrailBench()
        bench.request(1)
        bench.trail.record(AuditEvent(.fire, at: AuditSample.time))
        _ = bench.drain()
        bench.fail(.full)
        #expect(bench.verdicts() == [OpeningVerdict(opening: .phone(1), status: .unavailable)])
        #expect(bench.notices() == [.failing(.full)])
        var tries: [Int64] = []
        for _ in 0..<4000 {
            bench.pass(10)
            // What was never written as a grant is none.
            let taken = bench.drain()
            guard !taken.isEmpty else { continue }
            #expect(taken == [.denied, .fire, .diskFailed])
            tries.append(bench.now.nanoseconds / 1_000_000)
            bench.fail(.full)
        }
        #expect(tries == [500, 1500, 3500, 7500, 15_500, 23_500, 31_500, 39_500])
        #expect(bench.notices() == [])
        bench.pass(8000)
        #expect(bench.drain() == [.denied, .fire, .diskFailed])
        bench.store()
        #expect(bench.notices() == [.restored(lost: 0)])
        #expect(bench.drain() == [.diskRestored])
    }

    /// The disk has recovered once it has written what failed, not when it has taken something else.
    @Test func aDiskThatTakesASmallLotOnlyHasNotRecovered() {
        var bench = TrailBench()
        for kind in [AuditKind.fire, .doorOpened, .doorClosed] {
            bench.trail.record(AuditEvent(kind, at: AuditSample.time))
        }
        _ = bench.drain()
        let small = bench.submitted.removeLast()
        bench.fail(.full)
        #expect(bench.trail.stored(small.id, isFull: false, at: bench.now, AuditSample.time)?.event == small.event)
        #expect(bench.notices() == [.failing(.full)])
        bench.pass(500)
        #expect(bench.drain() == [.fire, .doorOpened, .diskFailed])
        bench.store()
        #expect(bench.notices() == [.restored(lost: 0)])
    }

    @Test func memoryIsBoundedAndTheLossIsRecorded() {
        var bench = TrailBench()
        for _ in 0..<AuditTrail.memoryLimit + 10 { bench.trail.record(AuditEvent(.withdrawn, at: AuditSample.time)) }
        #expect(bench.trail.pending == AuditTrail.memoryLimit)
        _ = bench.drain()
        bench.fail(.inputOutput)
        bench.request(1)
        #expect(bench.verdicts().map(\.status) == [.unavailable])
        bench.pass(600)
        _ = bench.drain()
        // The first answer makes room for one event: that it works again. The loss waits for the next.
        bench.store()
        #expect(bench.notices() == [.failing(.inputOutput), .restored(lost: 12)])
        bench.store()
        #expect(bench.drain() == [.diskRestored, .eventsLost])
        #expect(bench.submitted.last?.event.info == 12)
    }

    @Test func aFullLogThatRefusesLetsNobodyIn() {
        for strict in [true, false] {
            var bench = TrailBench(strict: strict)
            bench.request(1)
            _ = bench.drain()
            bench.store(isFull: true)
            #expect(bench.notices() == [.full])
            _ = bench.verdicts()
            bench.request(2)
            #expect(bench.verdicts() == [OpeningVerdict(opening: .phone(2), status: .storageFull)])
            #expect(bench.drain() == [.denied])
            #expect(bench.trail.refused(bench.submitted.removeFirst().id) == nil)
            bench.trail.record(AuditEvent(.logCleared, at: AuditSample.time))
            _ = bench.drain()
            bench.store()
            #expect(bench.notices() == [.hasRoom])
            bench.request(3)
            // What was refused is told now that there is room.
            #expect(bench.drain() == [.eventsLost, .granted])
            while !bench.submitted.isEmpty { bench.store() }
            #expect(bench.verdicts() == [OpeningVerdict(opening: .phone(3), status: .ok)])
        }
    }

    /// At the end of the process the door does not move any more, whatever the disk may still say.
    @Test func theEndWithdrawsWhatWaits() {
        var bench = TrailBench()
        bench.request(1)
        #expect(bench.drain() == [.granted])
        bench.request(2)
        bench.trail.record(AuditEvent(.doorOpened, at: AuditSample.time))
        let verdicts = bench.trail.end(at: AuditSample.time)
        #expect(verdicts == [1, 2].map { OpeningVerdict(opening: .phone($0), status: .aborted) })
        #expect(bench.drain() == [.denied, .doorOpened, .withdrawn])
        #expect(bench.submitted.map(\.event.info) == [2, -22, 0, -22])
        while !bench.submitted.isEmpty { bench.store() }
        #expect(bench.trail.end(at: AuditSample.time) == [])
        #expect(bench.verdicts() == [] && bench.trail.pending == 0)
    }

    @Test func answersToNothingAreIgnored() {
        var bench = TrailBench()
        #expect(bench.trail.stored(RecordID(99), isFull: false, at: bench.now, AuditSample.time) == nil)
        #expect(bench.trail.refused(RecordID(98)) == nil)
        #expect(bench.trail.failed(RecordID(97), .full, at: bench.now, AuditSample.time) == nil)
        #expect(bench.trail.pending == 0)
    }
}
