import TestSupport
import AccessProtocol
import CLinux
import EventStore
import Glibc
import Logging
import Reader
import Testing
import Timekeeping

@testable import readerd

/// The desk between the reader and its log, on a real log.
@Suite struct AuditDeskTests {
    private let directory: TemporaryDirectory
    private let key: AuditKey
    private static let time = AuditTime(
        epochSeconds: 1_795_262_400, utcOffsetMinutes: 0, quality: .system, uptimeMilliseconds: 0)

    init() throws {
        directory = try TemporaryDirectory()
        key = try #require(AuditKey([UInt8](repeating: 7, count: AuditKey.count)))
    }

    private func desk(_ settings: ReaderSettings = ReaderSettings()) throws -> AuditDesk {
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return try AuditDesk(
            settings, directory: directory.path, key: key, farewellSeconds: Patience.seconds, log: log
        ) { Self.time }
    }

    /// Every record, with its information.
    private func records() throws -> [String] {
        try EventArchive(directory: directory.path).records(AuditQuery()).map {
            "\($0.event.kind.name) \($0.event.info)"
        }
    }

    /// Waits, as the reactor does, until the desk has taken what it was answered.
    private func wait(_ desk: AuditDesk, until isDone: () -> Bool) throws {
        while !isDone() {
            try #require(becomes(desk.descriptor, POLLIN), "the store does not answer")
            desk.takeResults(at: .origin)
        }
    }

    /// A grant whose record is on its way, and perhaps on the disk, when the process ends: nobody was let in.
    @Test func aGrantWithoutAVerdictAtTheEndIsWithdrawn() throws {
        let desk = try desk()
        desk.start()
        desk.handOver(at: .origin)
        let event = AuditEvent(.granted, at: Self.time, info: 2, channel: .bluetooth, credential: "CRED000001")
        desk.request(grant: 1, event, at: .origin)
        desk.handOver(at: .origin)
        #expect(desk.close(at: .origin))
        #expect(try records() == ["start 0", "granted 2", "withdrawn -22", "stop 0"])
    }

    @Test func aGrantWithItsVerdictIsNot() throws {
        let desk = try desk()
        let event = AuditEvent(.granted, at: Self.time, info: 2, channel: .bluetooth, credential: "CRED000001")
        desk.request(grant: 1, event, at: .origin)
        desk.handOver(at: .origin)
        var verdict: GrantVerdict?
        try wait(desk) {
            verdict = desk.nextVerdict()
            return verdict != nil
        }
        #expect(verdict?.grant == 1 && verdict?.status == .ok)
        #expect(desk.close(at: .origin))
        #expect(try records() == ["granted 2", "stop 0"])
    }
}
