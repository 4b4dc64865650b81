// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

extension RecordLedger {
    /// An operator's opening.
    mutating func request(_ token: OpeningToken, _ event: AuditEvent, at now: Instant) {
        request(token, Opening.Requester(wanted: .door(.pulse)), event, at: now)
    }

    /// The verdicts so far, which end their openings.
    mutating func verdicts() -> [OpeningVerdict] {
        let verdicts = all { nextVerdict() }
        for verdict in verdicts where endWait(verdict.opening) == nil { Issue.record("decided twice") }
        return verdicts
    }
}

extension OpeningVerdict {
    init(_ number: UInt64, _ status: StatusCode) {
        self.init(opening: .phone(number), status: status, channel: .bluetooth)
    }
}

/// A ledger, and a disk that a test plays.
struct LedgerBench: ~Copyable {
    var ledger: RecordLedger
    var now = Instant.origin
    var submitted: [RecordLedger.Submission] = []

    init(strict: Bool = true, letsIn: Bool = false) {
        ledger = RecordLedger(AuditPolicy(isStrict: strict, grantsWhileFailing: letsIn))
    }

    mutating func drain() -> [AuditKind] {
        let new = all { ledger.nextSubmission(at: now) }
        submitted += new
        return new.map(\.event.kind)
    }

    /// The verdicts since the last call.
    mutating func verdicts() -> [OpeningVerdict] { ledger.verdicts() }

    mutating func notices() -> [LogNotice] { all { ledger.nextNotice() } }

    mutating func request(_ number: UInt64) { ledger.request(.phone(number), AuditSample.event(), at: now) }

    mutating func store(isFull: Bool = false) {
        let submission = submitted.removeFirst()
        let stored = ledger.stored(submission.id, isFull: isFull, at: now, AuditSample.time)
        #expect(stored == submission.event)
    }

    mutating func fail(_ fault: DiskFault) {
        for submission in submitted { ledger.failed(submission.id, fault, at: now, AuditSample.time) }
        submitted = []
    }

    mutating func pass(_ milliseconds: Int) {
        // Not by `elapse`: the ledger stays due until the disk, which is the test, has taken its submissions.
        let end = now + .milliseconds(milliseconds)
        while let deadline = ledger.nextDeadline, deadline <= end {
            let former = now
            now = max(now, deadline)
            ledger.advance(to: now, AuditSample.time)
            if now == former, ledger.nextDeadline == deadline { break }
        }
        now = end
        ledger.advance(to: now, AuditSample.time)
    }
}

@Suite struct RecordLedgerTests {
    @Test func aStrictGrantWaitsForItsRecord() {
        var bench = LedgerBench()
        bench.request(5)
        #expect(bench.drain() == [.granted] && bench.verdicts() == [])
        bench.pass(999)
        #expect(bench.verdicts() == [])
        bench.store()
        #expect(bench.verdicts() == [OpeningVerdict(5, .ok)])
        #expect(bench.ledger.pending == 0 && bench.ledger.nextDeadline == nil && bench.notices() == [])
    }

    @Test func aRelaxedGrantDoesNot() {
        var bench = LedgerBench(strict: false)
        bench.request(5)
        #expect(bench.verdicts() == [OpeningVerdict(5, .ok)])
        #expect(bench.drain() == [.granted])
    }

    @Test func otherEventsWaitForNothing() {
        var bench = LedgerBench()
        for kind in [AuditKind.requestToExit, .fire, .start] {
            bench.ledger.record(AuditEvent(kind, at: AuditSample.time))
        }
        #expect(bench.drain() == [.requestToExit, .fire, .start] && bench.verdicts() == [])
    }

    @Test func aDiskThatStallsIsAFaultAndTheGrantIsWithdrawn() {
        var bench = LedgerBench()
        bench.request(1)
        #expect(bench.drain() == [.granted])
        bench.pass(1000)
        #expect(bench.verdicts() == [OpeningVerdict(1, .unavailable)])
        #expect(bench.notices() == [.failing(.stalled)])
        // Nobody after that waits a second to hear it.
        bench.request(2)
        #expect(bench.verdicts() == [OpeningVerdict(2, .unavailable)])
        // The disk has one event and gets no more, however long it takes.
        bench.pass(60_000)
        #expect(bench.drain() == [])
        bench.store()
        #expect(bench.notices() == [.restored(lost: 0)] && bench.verdicts() == [])
        #expect(bench.drain() == [.diskFailed, .withdrawn, .denied, .diskRestored])
        bench.request(3)
        _ = bench.drain()
        while !bench.submitted.isEmpty { bench.store() }
        #expect(bench.verdicts() == [OpeningVerdict(3, .ok)])
    }

    @Test func aPolicyMayLetPeopleInMeanwhile() {
        var bench = LedgerBench(letsIn: true)
        bench.request(1)
        _ = bench.drain()
        bench.pass(1000)
        bench.request(2)
        #expect(bench.verdicts() == [1, 2].map { OpeningVerdict($0, .ok) })
        bench.store()
        #expect(bench.drain() == [.diskFailed, .granted, .diskRestored])
    }

    /// The disk had the record in time, and the process was stopped before it read that.
    @Test func anAnswerThatIsReadLateOpensNothing() {
        for letsIn in [false, true] {
            var bench = LedgerBench(letsIn: letsIn)
            bench.request(1)
            #expect(bench.drain() == [.granted])
            bench.now = bench.now + .seconds(10)
            bench.store()
            #expect(bench.verdicts() == [OpeningVerdict(1, .unavailable)])
            #expect(bench.drain() == [.withdrawn])
        }
    }

    /// The end of the wait grants where the policy grants without a record, but not when it is noticed late.
    @Test func aWaitThatEndsLateOpensNothing() {
        for (late, status) in [(999, StatusCode.ok), (1000, .unavailable), (9000, .unavailable)] {
            var bench = LedgerBench(letsIn: true)
            bench.request(1)
            _ = bench.drain()
            bench.now = bench.now + .milliseconds(1000 + late)
            bench.ledger.advance(to: bench.now, AuditSample.time)
            #expect(bench.verdicts() == [OpeningVerdict(1, status)])
        }
    }

    @Test func aDiskThatFailsIsTriedAgainWithPauses() {
        var bench = LedgerBench()
        bench.request(1)
        bench.ledger.record(AuditEvent(.fire, at: AuditSample.time))
        _ = bench.drain()
        bench.fail(.full)
        #expect(bench.verdicts() == [OpeningVerdict(1, .unavailable)])
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
        var bench = LedgerBench()
        for kind in [AuditKind.fire, .doorOpened, .doorClosed] {
            bench.ledger.record(AuditEvent(kind, at: AuditSample.time))
        }
        _ = bench.drain()
        let small = bench.submitted.removeLast()
        bench.fail(.full)
        #expect(bench.ledger.stored(small.id, isFull: false, at: bench.now, AuditSample.time) == small.event)
        #expect(bench.notices() == [.failing(.full)])
        bench.pass(500)
        #expect(bench.drain() == [.fire, .doorOpened, .diskFailed])
        bench.store()
        #expect(bench.notices() == [.restored(lost: 0)])
    }

    @Test func memoryIsBoundedAndTheLossIsRecorded() {
        var bench = LedgerBench()
        for _ in 0..<RecordLedger.memoryLimit + 10 { bench.ledger.record(AuditEvent(.withdrawn, at: AuditSample.time)) }
        #expect(bench.ledger.pending == RecordLedger.memoryLimit)
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
            var bench = LedgerBench(strict: strict)
            bench.request(1)
            _ = bench.drain()
            bench.store(isFull: true)
            #expect(bench.notices() == [.full])
            _ = bench.verdicts()
            bench.request(2)
            #expect(bench.verdicts() == [OpeningVerdict(2, .storageFull)])
            #expect(bench.drain() == [.denied])
            bench.ledger.refused(bench.submitted.removeFirst().id)
            #expect(bench.verdicts() == [])
            bench.ledger.record(AuditEvent(.logCleared, at: AuditSample.time))
            _ = bench.drain()
            bench.store()
            #expect(bench.notices() == [.hasRoom])
            bench.request(3)
            // What was refused is told now that there is room.
            #expect(bench.drain() == [.eventsLost, .granted])
            while !bench.submitted.isEmpty { bench.store() }
            #expect(bench.verdicts() == [OpeningVerdict(3, .ok)])
        }
    }

    /// At the end of the process the door does not move any more, whatever the disk may still say.
    @Test func theEndWithdrawsWhatWaits() {
        var bench = LedgerBench()
        bench.request(1)
        #expect(bench.drain() == [.granted])
        bench.request(2)
        bench.ledger.record(AuditEvent(.doorOpened, at: AuditSample.time))
        bench.ledger.end(at: AuditSample.time)
        #expect(bench.verdicts() == [1, 2].map { OpeningVerdict($0, .aborted) })
        #expect(bench.drain() == [.denied, .doorOpened, .withdrawn])
        #expect(bench.submitted.map(\.event.info) == [2, -22, 0, -22])
        while !bench.submitted.isEmpty { bench.store() }
        bench.ledger.end(at: AuditSample.time)
        #expect(bench.verdicts() == [] && bench.ledger.pending == 0)
    }

    @Test func answersToNothingAreIgnored() {
        var bench = LedgerBench()
        #expect(bench.ledger.stored(RecordID(99), isFull: false, at: bench.now, AuditSample.time) == nil)
        bench.ledger.refused(RecordID(98))
        bench.ledger.failed(RecordID(97), .full, at: bench.now, AuditSample.time)
        #expect(bench.ledger.pending == 0 && bench.verdicts() == [])
    }

    /// The quality is the clock's, and no quality makes an unset time one.
    @Test func recordsHaveTheQualityOfTheClock() {
        var bench = LedgerBench()
        bench.ledger.clockQuality = .synchronised
        bench.request(1)
        bench.ledger.record(AuditEvent(.fire, at: AuditSample.time))
        var unset = AuditSample.time
        unset.quality = .unset
        bench.ledger.record(AuditEvent(.fire, at: unset))
        _ = bench.drain()
        #expect(bench.submitted.map(\.event.time.quality) == [.synchronised, .synchronised, .unset])
    }

    /// All of its memory is reserved at the start.
    @Test func entriesAreSmall() {
        let count = MemoryLayout<RecordLedger.Entry>.stride
        #expect(count * RecordLedger.memoryLimit <= 400 * 1024, "\(count) octets each")
    }

    /// An opening is in the ledger once, with its event, until it is decided; its record may end before or after.
    @Test func anOpeningWaitsInOneEntry() throws {
        var bench = LedgerBench()
        bench.request(1)
        #expect(bench.ledger.waiting.map(\.token) == [.phone(1)] && bench.ledger.entries.count == 1)
        _ = bench.drain()
        bench.store()
        #expect(bench.ledger.pending == 0 && bench.ledger.entries.count == 1)
        #expect(bench.verdicts() == [OpeningVerdict(1, .ok)] && bench.ledger.entries.isEmpty)
        bench.request(2)
        _ = bench.drain()
        bench.fail(.full)
        let verdict = bench.ledger.nextVerdict()
        #expect(verdict == OpeningVerdict(2, .unavailable) && bench.ledger.nextVerdict() == nil)
        let ended = bench.ledger.endWait(.phone(2))
        let (opening, event) = try #require(ended)
        #expect(opening.token == .phone(2) && event.kind == .denied)
        #expect(bench.ledger.waiting.isEmpty)
        #expect(bench.ledger.pending == 2, "the denial and the fault")
    }
}
