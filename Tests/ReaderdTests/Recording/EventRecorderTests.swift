// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import CLinux
import Configuration
import EventStore
import Glibc
import Logging
import Reader
import Testing
import Timekeeping

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

    /// Waits, as the reactor does, for what an answer of the store comes to.
    private func wait(_ recorder: EventRecorder) throws -> EventRecorder.Outcome {
        var outcomes: [EventRecorder.Outcome] = []
        while outcomes.isEmpty {
            try #require(becomes(recorder.descriptor, POLLIN), "the store does not answer")
            recorder.takeResults(at: .origin) { outcomes.append($0) }
        }
        return outcomes[0]
    }

    /// A grant whose record is on its way, and perhaps on the disk, when the process ends: nobody was let in.
    @Test func aGrantWithoutAVerdictAtTheEndIsWithdrawn() throws {
        let recorder = try recorder()
        recorder.start()
        recorder.release { $0 }
        #expect(recorder.submit(at: .origin) == nil)
        let event = AuditEvent(.granted, at: Self.time, info: 2, channel: .bluetooth, credential: "CRED000001")
        #expect(recorder.request(.phone(1), event, at: .origin) == nil)
        #expect(recorder.submit(at: .origin) == nil)
        #expect(recorder.close(at: .origin))
        #expect(try records() == ["start 0", "granted 2", "withdrawn -22", "stop 0"])
    }

    @Test func aGrantWithItsVerdictIsNot() throws {
        let recorder = try recorder()
        recorder.release { $0 }
        let event = AuditEvent(.granted, at: Self.time, info: 2, channel: .bluetooth, credential: "CRED000001")
        #expect(recorder.request(.phone(1), event, at: .origin) == nil)
        #expect(recorder.submit(at: .origin) == nil)
        guard case .decided(let verdict) = try wait(recorder) else { throw DiskFault.other }
        #expect(verdict == OpeningVerdict(opening: .phone(1), status: .ok, sequence: 1))
        #expect(recorder.close(at: .origin))
        #expect(try records() == ["granted 2", "stop 0"])
    }
}
