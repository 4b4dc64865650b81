// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import Reader

/// The cost of a flood of attempts to the log, as a number of records.
@Suite struct AttemptBudgetTests {
    fileprivate static func time(_ milliseconds: Int) -> AuditTime {
        AuditTime(
            epochSeconds: 1_795_262_400 + Int64(milliseconds / 1000), utcOffsetMinutes: 0, quality: .system,
            uptimeMilliseconds: Int64(milliseconds))
    }

    private static func unproven(at milliseconds: Int) -> AuditEvent {
        AuditEvent(.unproven, at: time(milliseconds), info: -12, channel: .bluetooth, command: "tokn")
    }

    private static func denied(_ credential: String, at milliseconds: Int, info: Int32 = 131) -> AuditEvent {
        AuditEvent(.denied, at: time(milliseconds), info: info, channel: .bluetooth, credential: credential)
    }

    /// A ledger whose disk works at once, and what it was handed, by moments at which it was handed anything.
    private struct Disk: ~Copyable {
        var ledger = RecordLedger(AuditPolicy())
        var writes: [[AuditEvent]] = []

        mutating func attempt(at milliseconds: Int) {
            let now = Instant.origin + .milliseconds(milliseconds)
            if let due = ledger.nextDeadline, due <= now {
                ledger.advance(to: now, AttemptBudgetTests.time(milliseconds))
                #expect(ledger.nextVerdict() == nil)
            }
            var written: [AuditEvent] = []
            while let submission = ledger.nextSubmission(at: now) {
                written.append(submission.event)
                ledger.stored(submission.id, isFull: false, at: now, AttemptBudgetTests.time(milliseconds))
            }
            if !written.isEmpty { writes.append(written) }
        }

        var records: [AuditEvent] { writes.flatMap { $0 } }
    }

    /// 100 forged tokens a second for a day: 16 records and then 288, none of them anybody's, in 289 writes.
    @Test func aDayOfForgedTokensCostsThreeHundredRecords() {
        var disk = Disk()
        let day = 86_400_000
        for milliseconds in stride(from: 0, to: day, by: 10) {
            disk.ledger.record(Self.unproven(at: milliseconds))
            disk.attempt(at: milliseconds)
        }
        disk.ledger.end(at: Self.time(day))
        disk.attempt(at: day)
        let kinds = Dictionary(grouping: disk.records, by: \.kind)
        #expect(Set(kinds.keys) == [.unproven, .unprovenSuppressed])
        #expect(kinds[.unproven]?.count == 16 + 143 && kinds[.unprovenSuppressed]?.count == 144)
        #expect(disk.records.allSatisfy { $0.credential.isEmpty })
        // Each attempt is a record or counted in one.
        let counted = kinds[.unprovenSuppressed, default: []].reduce(0) { $0 + Int($1.info) }
        #expect(counted + 16 + 143 == day / 10)
        // The first sixteen are one write.
        #expect(disk.writes.first?.count == 16 && disk.writes.count <= 289)
    }

    /// Proven records go at once, and take the waiting ones along.
    @Test func recordsOfStrangersWaitASecondForOneAnother() {
        var disk = Disk()
        disk.ledger.record(Self.unproven(at: 0))
        disk.attempt(at: 999)
        #expect(disk.writes.isEmpty && disk.ledger.nextDeadline == .origin + .seconds(1))
        disk.attempt(at: 1000)
        #expect(disk.writes.map(\.count) == [1])
        disk.ledger.record(Self.unproven(at: 2000))
        disk.ledger.record(AuditEvent(.doorOpened, at: Self.time(2100)))
        disk.attempt(at: 2100)
        #expect(disk.writes.last?.map(\.kind) == [.unproven, .doorOpened])
        disk.ledger.record(Self.unproven(at: 3000))
        disk.ledger.stopGathering()
        disk.attempt(at: 3000)
        #expect(disk.writes.count == 3)
    }

    /// The same of one who has a credential that is called back, and shows it ten times a second for an hour.
    @Test func aRefusedCredentialCostsSeventyFiveRecordsAnHour() {
        var disk = Disk()
        for milliseconds in stride(from: 0, to: 3_600_000, by: 100) {
            disk.ledger.record(Self.denied("CALLEDBACK", at: milliseconds))
            disk.attempt(at: milliseconds)
        }
        disk.ledger.end(at: Self.time(3_600_000))
        disk.attempt(at: 3_600_000)
        let kinds = Dictionary(grouping: disk.records, by: \.kind)
        #expect(kinds[.denied]?.count == 64 + 5 && kinds[.denialsSuppressed]?.count == 6)
        let counted = kinds[.denialsSuppressed, default: []].reduce(0) { $0 + Int($1.info) }
        #expect(counted + 64 + 5 == 36_000)
        let last = disk.records.last
        #expect(last?.credential == "CALLEDBACK" && last?.detail == "denied 131" && last?.channel == .bluetooth)
    }

    /// Nobody's flood hides what is refused to somebody else, or to himself for another reason.
    @Test func bucketsAreApart() {
        var budget = RecordBudget(capacity: 10_000)
        for _ in 0..<100 { _ = budget.admits(Self.denied("CALLEDBACK", at: 0)) }
        for _ in 0..<100 { _ = budget.admits(Self.unproven(at: 0)) }
        #expect(budget.admits(Self.denied("CALLEDBACK", at: 1)) == false)
        #expect(budget.admits(Self.denied("CALLEDBACK", at: 1, info: 130)) == true)
        #expect(budget.admits(Self.denied("CRED000001", at: 1)) == true)
        #expect(budget.admits(AuditEvent(.doorOpened, at: Self.time(1))) == true)
    }

    /// Refused attempts lock the door out again and again: each kind costs as much as the attempts, which hide none.
    @Test func lockoutsHaveTheRoomOfStrangers() {
        var budget = RecordBudget(capacity: 10_000)
        var admitted = 0
        for number in 0..<10_000 {
            for kind in [AuditKind.lockedOut, .lockedOutEnded] {
                if budget.admits(AuditEvent(kind, at: Self.time(number), channel: .local)) { admitted += 1 }
            }
            if budget.admits(Self.unproven(at: number)) { admitted += 1 }
        }
        #expect(admitted == 3 * RecordBudget.unproven.size)
        #expect(Set(AuditKind.unprovenKinds).isSuperset(of: [.lockedOut, .lockedOutEnded]))
    }

    /// One who holds many tokens that are refused for many reasons has four buckets of refusals, and no more.
    @Test func manyReasonsAreNoManyBudgets() {
        var budget = RecordBudget(capacity: 10_000)
        var admitted = 0
        for number in 0..<10_000 {
            if budget.admits(Self.denied("CALLEDBACK", at: number, info: Int32(number % 100))) { admitted += 1 }
        }
        #expect(admitted == RecordBudget.refusalsApart * RecordBudget.refusal.size)
    }

    /// So many names that they have no room: what was counted of the quietest is told before it is forgotten.
    @Test func whatWasCountedIsToldWhenItMakesRoom() {
        var budget = RecordBudget(capacity: 10_000)
        for _ in 0..<70 { _ = budget.admits(Self.denied("FIRST", at: 0)) }
        for number in 1..<RecordBudget.capacity { _ = budget.admits(Self.denied("N\(number)", at: number)) }
        #expect(budget.nextDisplaced() == nil)
        #expect(budget.admits(Self.denied("LAST", at: 1000)) == true)
        let count = budget.nextDisplaced()
        #expect(count?.kind == .denialsSuppressed && count?.credential == "FIRST" && count?.info == 6)
        #expect(budget.nextDisplaced() == nil && budget.nextDeadline == nil)
    }
}
