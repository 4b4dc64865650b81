// SPDX-License-Identifier: Apache-2.0

import Reader
import Testing

@testable import EventStore

/// A check of the newest records alone.
@Suite struct TailTests {
    private func tail(_ bench: StoreBench, _ count: UInt64, key: AuditKey? = nil) throws -> ChainReport {
        try EventArchive(directory: bench.directory).verifyTail(key: key ?? bench.key, count: count)
    }

    @Test(
        arguments: [
            (0, nil, 0), (1, 20...20, 1), (5, 16...20, 5), (19, 2...20, 19), (20, 1...20, 20), (21, 1...20, 20),
            (UInt64.max, 1...20, 20),
        ] as [(UInt64, ClosedRange<UInt64>?, UInt64)])
    func aSoundLog(count: UInt64, range: ClosedRange<UInt64>?, looked: UInt64) throws {
        let bench = try StoreBench()
        try bench.fill(20)
        let report = try tail(bench, count)
        #expect(report.isSound)
        #expect(report.range == range)
        #expect(report.count == looked)
    }

    @Test(arguments: [
        ("UPDATE event SET kind = 2 WHERE sequence = 18", [ChainFinding.changed(18)]),
        ("DELETE FROM event WHERE sequence = 18", [.missing(18...18)]),
        ("DELETE FROM event WHERE sequence > 18", [.truncated(after: 18, head: 20)]),
        ("DELETE FROM event", [.truncated(after: 0, head: 20)]),
        // Where it would begin there is nothing: all of it is checked.
        ("DELETE FROM event WHERE sequence = 15", [.missing(15...15)]),
        // Before it: that is for a check of all.
        ("UPDATE event SET kind = 2 WHERE sequence = 3", []),
    ])
    func whatIsDoneToTheFileIsFound(sql: String, findings: [ChainFinding]) throws {
        let bench = try StoreBench()
        try bench.fill(20)
        try bench.tamper(sql)
        #expect(try tail(bench, 5).findings == findings)
    }

    @Test func aForgedBeginningIsFoundWhereverTheTailBegins() throws {
        let bench = try StoreBench()
        try bench.fill(20)
        try bench.tamper("DELETE FROM event WHERE sequence < 4; UPDATE checkpoint SET sequence = 3")
        #expect(try tail(bench, 5).findings.first == .foreign)
    }

    @Test func anotherDevicesKeyFitsNothing() throws {
        let bench = try StoreBench()
        try bench.fill(20)
        let other = try #require(AuditKey([UInt8](repeating: 9, count: 32)))
        #expect(try tail(bench, 5, key: other).findings.contains(.foreign))
    }

    @Test func withoutALogThereIsNothingToCheck() throws {
        let bench = try StoreBench()
        #expect(throws: DiskFault.cannotOpen) { _ = try tail(bench, 5) }
    }
}
