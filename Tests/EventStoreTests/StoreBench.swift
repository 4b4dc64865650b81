// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Reader
import Testing

@testable import EventStore

/// A state directory of one test's own, gone with the value, and what tests do with a log in it.
final class StoreBench {
    private let temporary: TemporaryDirectory
    var directory: String { temporary.path }
    static let time = AuditTime(
        epochSeconds: 1_795_262_400, utcOffsetMinutes: 0, quality: .system, uptimeMilliseconds: 1)
    let key: AuditKey

    init() throws {
        key = try #require(AuditKey([UInt8](repeating: 7, count: 32)))
        temporary = try TemporaryDirectory()
    }

    /// The names in the directory, in order.
    var names: [String] { temporary.names() }

    /// Opens the log, with a loss on record if there is one.
    func database(
        _ records: Int = 1000, _ whenFull: LogCapacity.WhenFull = .overwrite, pages: Int64 = 0
    ) throws -> EventDatabase {
        let database = try EventDatabase(
            directory: directory, key: key, capacity: LogCapacity(records: records, whenFull: whenFull),
            at: StoreBench.time, pageLimit: pages)
        if database.unrecordedLoss != nil { _ = try database.append([] as [AuditEvent]) }
        return database
    }

    static func event(_ info: Int = 0, _ kind: AuditKind = .granted) -> AuditEvent {
        AuditEvent(kind, at: time, info: Int32(info), channel: .bluetooth, credential: "CRED000001", command: "tokn")
    }

    /// Opens the log, appends so many events one by one, and closes it in order.
    func fill(_ count: Int) throws {
        let database = try database()
        for info in 0..<count { _ = try database.append([StoreBench.event(info)]) }
        database.finish()
    }

    /// Does something to the file that its writer would not.
    func tamper(_ sql: String) throws {
        let connection = try Connection(path: "\(directory)/events.db", .writing)
        try connection.execute(sql)
    }

    func verify(key other: AuditKey? = nil) throws -> ChainReport {
        try EventArchive(directory: directory).verify(key: other ?? key)
    }

    /// The octets of a file.
    func octets(of name: String) throws -> [UInt8] { try temporary.octets(of: name) }

    /// Writes a file's octets in place, as a disk that loses them does: no process notices.
    func overwrite(_ name: String, with octets: [UInt8]) throws {
        let descriptor = open("\(directory)/\(name)", O_WRONLY | O_CREAT, 0o600)
        try #require(descriptor >= 0)
        defer { Glibc.close(descriptor) }
        try #require(pwrite(descriptor, octets, octets.count, 0) == octets.count)
    }

    func copy(_ name: String, to other: String) throws {
        try temporary.write(other, temporary.octets(of: name), mode: 0o600)
    }
}
