// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reader
import Testing

@testable import EventStore

/// Kills a writer at any instant: whatever it told is there, and the chain holds.
@Suite struct CrashTests {
    /// The number of kills, and of those of each log, of which every other is a small ring.
    static let kills = 300
    static let killsPerLog = 50

    @Test func nothingAcknowledgedIsLost() throws {
        var random = SystemRandomNumberGenerator()
        var (acknowledged, unborn, most) = (0, 0, UInt64(0))
        for log in 0..<Self.kills / Self.killsPerLog {
            let bench = try StoreBench()
            let capacity = log % 2 == 0 ? 100_000 : 40
            var highest: UInt64 = 0
            for kill in 0..<Self.killsPerLog {
                let (process, pipe) = try EventWriter.start([bench.directory, "\(capacity)"])
                defer { close(pipe) }
                // Now while it opens what the last one left, now while it writes; and then some microseconds.
                var told: [UInt64] = []
                EventWriter.read(pipe, &told, atMost: kill % 4 == 0 ? 0 : Int.random(in: 1...60, using: &random))
                let until = microseconds() + Int64.random(in: 0...(told.isEmpty ? 25_000 : 1500), using: &random)
                while microseconds() < until {}
                try #require(Glibc.kill(process, SIGKILL) == 0)
                #expect(EventWriter.wait(process) & 0x7F == SIGKILL, "the writer ended by itself")
                EventWriter.read(pipe, &told)
                acknowledged += told.count
                if told.isEmpty { unborn += 1 }
                highest = max(highest, told.last ?? 0)
                guard let archive = try? EventArchive(directory: bench.directory) else {
                    #expect(highest == 0, "the log is gone")
                    continue
                }
                let report = try archive.verify(key: bench.key)
                // A log that was being begun has no head yet.
                #expect(report.isSound || highest == 0 && report.findings == [.headMissing], "\(report.findings)")
                let last = report.range?.upperBound ?? report.droppedThrough
                #expect(last >= highest, "told \(highest), and the log ends with \(last)")
                #expect(report.count + report.droppedThrough == last)
                if let first = told.first, report.droppedThrough < first {
                    let kept = try archive.records(AuditQuery(first...highest))
                    #expect(kept.map(\.sequence) == told && kept.allSatisfy { $0.event.kind == .granted })
                }
            }
            most = max(most, highest)
        }
        print(
            "killed \(Self.kills) times, \(unborn) before the first answer;",
            "\(acknowledged) events acknowledged, all there; the longest log has \(most)")
        #expect(acknowledged > Self.kills)
    }

    private func microseconds() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
    }

    /// RLIMIT_FSIZE: the kernel refuses to let a file grow, in the middle of the log's life.
    @Test func aFileThatMayNotGrowIsAFaultAndLosesNothing() throws {
        let bench = try StoreBench()
        let (process, pipe) = try EventWriter.start([bench.directory, "100000", "100000", "300000"])
        defer { close(pipe) }
        var told: [UInt64] = []
        EventWriter.read(pipe, &told)
        let status = EventWriter.wait(process)
        #expect(status >> 8 == 10 + DiskFault.inputOutput.rawValue || status >> 8 == 10 + DiskFault.full.rawValue)
        #expect(told.count > 10)
        let report = try bench.verify()
        #expect(report.isSound && report.count >= UInt64(told.count))
        // With room again the next run goes on.
        let database = try bench.database(100_000)
        #expect(try database.append([StoreBench.event()]) == [.stored(database.state.last)])
    }
}
