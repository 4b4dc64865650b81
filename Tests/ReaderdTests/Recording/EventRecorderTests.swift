// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import CLinux
import Configuration
import EventStore
import Glibc
import Logging
import Testing
import Timekeeping

@testable import Reader
@testable import readerd

/// The recorder between the reader and its log, on a real log.
@Suite struct EventRecorderTests {
    private let directory: TemporaryDirectory
    private let key: AuditKey
    private static let time = AuditTime(
        epochSeconds: 1_795_262_400, utcOffsetMinutes: 0, quality: .system, uptimeMilliseconds: 0)

    init() throws {
        directory = try TemporaryDirectory()
        key = try #require(AuditKey([UInt8](repeating: 7, count: AuditKey.count)))
    }

    private func recorder(_ settings: ReaderSettings = ReaderSettings()) throws -> EventRecorder {
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return try EventRecorder(
            settings, directory: directory.path, key: key, closeTimeoutSeconds: TestTimeout.seconds, log: log
        ) { Self.time }
    }

    /// Every record, with its information.
    private func records() throws -> [String] {
        try EventArchive(directory: directory.path).records(AuditQuery()).map {
            "\($0.event.kind.name) \($0.event.info)"
        }
    }

    /// Waits, as the reactor does, for the verdict that an answer of the store gives.
    private func wait(_ recorder: EventRecorder, _ ledger: inout RecordLedger) throws -> OpeningVerdict {
        while true {
            try #require(becomes(recorder.descriptor, POLLIN), "the store does not answer")
            recorder.forEachResult { _ = recorder.receive($0, &ledger, at: .origin) }
            if let verdict = ledger.nextVerdict() { return verdict }
        }
    }

    private func request(_ ledger: inout RecordLedger) {
        let event = AuditEvent(.granted, at: Self.time, info: 2, channel: .bluetooth, credential: "CRED000001")
        ledger.request(.phone(1), Opening.Requester(wanted: .door(.pulse)), event, at: .origin)
    }

    /// A grant whose record is on its way, and perhaps on the disk, when the process ends: nobody was let in.
    @Test func aGrantWithoutAVerdictAtTheEndIsWithdrawn() throws {
        let recorder = try recorder()
        var ledger = RecordLedger(AuditPolicy())
        ledger.record(AuditEvent(.start, at: Self.time))
        recorder.release()
        recorder.submit(&ledger, at: .origin)
        request(&ledger)
        recorder.submit(&ledger, at: .origin)
        #expect(ledger.nextVerdict() == nil)
        #expect(recorder.close(&ledger, at: .origin))
        #expect(try records() == ["start 0", "granted 2", "withdrawn -22", "stop 0"])
    }

    @Test func aGrantWithItsVerdictIsNot() throws {
        let recorder = try recorder()
        var ledger = RecordLedger(AuditPolicy())
        recorder.release()
        request(&ledger)
        recorder.submit(&ledger, at: .origin)
        let verdict = try wait(recorder, &ledger)
        #expect(
            verdict == OpeningVerdict(opening: .phone(1), status: .ok, sequence: 1, channel: .bluetooth))
        #expect(recorder.close(&ledger, at: .origin))
        #expect(try records() == ["granted 2", "stop 0"])
    }
}
