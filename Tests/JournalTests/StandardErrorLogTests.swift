// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Glibc
import Logging
import Synchronization
import Testing

@testable import Journal

/// Keeps what is logged.
private final class Sink: Sendable {
    private let stored = Mutex<[String]>([])
    var lines: [String] { stored.withLock { $0 } }
    func append(_ line: String) { stored.withLock { $0.append(line) } }
}

private struct Trouble: Error, CustomStringConvertible {
    let description = "trouble\nahead"
}

@Suite struct StandardErrorLogTests {
    private let sink = Sink()

    private func logger(_ reader: StandardErrorLog.Reader, level: Logger.Level = .trace) -> Logger {
        let sink = sink
        // 2026-01-02 03:04:05.678 UTC
        let now = timespec(tv_sec: 1_767_323_045, tv_nsec: 678_999_999)
        return Logger(label: "test") { _ in
            StandardErrorLog(threshold: LogThreshold(level), reader: reader, now: { now }, write: { sink.append($0) })
        }
    }

    @Test func aPersonGetsTimeAndLevel() {
        logger(.person).info("advertising", metadata: ["mode": "access", "link": "3"])
        #expect(sink.lines == ["2026-01-02T03:04:05.678Z info advertising link=3 mode=access\n"])
    }

    @Test func theJournalGetsThePriority() {
        let log = logger(.journal)
        for level in Logger.Level.allCases { log.log(level: level, "x") }
        #expect(sink.lines == ["<7>x\n", "<7>x\n", "<6>x\n", "<5>x\n", "<4>x\n", "<3>x\n", "<2>x\n"])
    }

    @Test func levelsBelowAreLeftOut() {
        let log = logger(.journal, level: .warning)
        log.notice("no")
        log.warning("yes")
        #expect(sink.lines == ["<4>yes\n"])
    }

    @Test func anEventIsOneLineWhateverAPhoneSends() {
        var log = logger(.journal)
        log[metadataKey: "peer"] = "a\r\n<0>b"
        log.error("text \u{1B}[2J\u{85}\u{2028} é", metadata: ["k\n": "v"])
        #expect(sink.lines == ["<3>text \\u{1b}[2J\\u{85}\\u{2028} é k\\u{a}=v peer=a\\u{d}\\u{a}<0>b\n"])
    }

    @Test func errorsAreShown() {
        logger(.journal).error("failed", error: Trouble())
        #expect(sink.lines == ["<3>failed: trouble\\u{a}ahead\n"])
    }

    @Test func isTheJournalOnlyWhereTheStreamIs() throws {
        let directory = try TemporaryDirectory()
        let descriptor = open(try directory.write("stream", ""), O_WRONLY)
        defer { close(descriptor) }
        var status = stat()
        try #require(fstat(descriptor, &status) == 0)
        #expect(StandardErrorLog.isJournal("\(status.st_dev):\(status.st_ino)", descriptor: descriptor))
        #expect(!StandardErrorLog.isJournal("\(status.st_dev):\(status.st_ino + 1)", descriptor: descriptor))
        #expect(!StandardErrorLog.isJournal("", descriptor: descriptor))
        #expect(!StandardErrorLog.isJournal(nil, descriptor: descriptor))
    }
}
