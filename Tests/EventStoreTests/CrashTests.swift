import Glibc
import Reader
import Testing

@testable import EventStore

/// Kills a writer at any instant: whatever it told is there, and the chain holds.
@Suite struct CrashTests {
    /// How often it is killed, and in how many of these its log is a small ring.
    static let kills = 300
    static let killsPerLog = 50

    private func products() throws -> String {
        // As SwiftPM runs them: …/readerdPackageTests.xctest, as an argument or as the program.
        let arguments = CommandLine.arguments
        let bundle =
            arguments.firstIndex(of: "--test-bundle-path").flatMap { arguments.dropFirst($0 + 1).first }
            ?? arguments[0]
        let parts = bundle.split(separator: "/", omittingEmptySubsequences: false)
        let index = try #require(parts.firstIndex { $0 == "readerdPackageTests.xctest" }, "\(bundle)")
        return parts[..<index].joined(separator: "/")
    }

    /// Starts the writer; its process and the end of the pipe that it tells on.
    private func start(_ arguments: [String]) throws -> (process: pid_t, pipe: Int32) {
        let program = try products() + "/event-writer"
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        // A writer that another test starts just now must not hold this one's pipe open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        defer {
            posix_spawn_file_actions_destroy(&actions)
            for word in words { free(word) }
            close(ends[1])
        }
        var process: pid_t = 0
        try #require(posix_spawn(&process, program, &actions, nil, &words, environ) == 0, "\(program)")
        return (process, ends[0])
    }

    /// Reads numbers until there are so many, or the writer has ended.
    private func read(_ pipe: Int32, _ numbers: inout [UInt64], atMost limit: Int = .max) {
        var number: UInt64 = 0
        while numbers.count < limit, Glibc.read(pipe, &number, 8) == 8 { numbers.append(UInt64(littleEndian: number)) }
    }

    private func wait(_ process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }

    @Test func nothingAcknowledgedIsLost() throws {
        var random = SystemRandomNumberGenerator()
        var (acknowledged, unborn, most) = (0, 0, UInt64(0))
        for log in 0..<Self.kills / Self.killsPerLog {
            let bench = try StoreBench()
            let capacity = log % 2 == 0 ? 100_000 : 40
            var highest: UInt64 = 0
            for kill in 0..<Self.killsPerLog {
                let (process, pipe) = try start([bench.directory, "\(capacity)"])
                defer { close(pipe) }
                // Now while it opens what the last one left, now while it writes; and then some microseconds.
                var told: [UInt64] = []
                read(pipe, &told, atMost: kill % 4 == 0 ? 0 : Int.random(in: 1...60, using: &random))
                let until = microseconds() + Int64.random(in: 0...(told.isEmpty ? 25_000 : 1500), using: &random)
                while microseconds() < until {}
                try #require(Glibc.kill(process, SIGKILL) == 0)
                #expect(wait(process) & 0x7F == SIGKILL, "the writer ended by itself")
                read(pipe, &told)
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
        let (process, pipe) = try start([bench.directory, "100000", "100000", "300000"])
        defer { close(pipe) }
        var told: [UInt64] = []
        read(pipe, &told)
        let status = wait(process)
        #expect(status >> 8 == 10 + DiskFault.inputOutput.rawValue || status >> 8 == 10 + DiskFault.full.rawValue)
        #expect(told.count > 10)
        let report = try bench.verify()
        #expect(report.isSound && report.count >= UInt64(told.count))
        // With room again the next run goes on.
        let database = try bench.database(100_000)
        #expect(try database.append([StoreBench.event()]) == [.stored(database.state.last)])
    }
}
