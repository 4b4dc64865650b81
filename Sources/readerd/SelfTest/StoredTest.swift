// SPDX-License-Identifier: Apache-2.0

import CLinux
import Configuration
import EventStore
import Glibc
import Reader
import System
import Timekeeping

/// The test of the state directory: the keys, and the disk.
struct StoredTest {
    let state: StateDirectory
    let settings: ReaderSettings

    /// The file written by the test and removed afterwards.
    static let fileName = "self-test"
    /// The size of that file, about as much as a commit of a few events writes.
    private static let fileCount = 4096
    /// The number of newest events verified: a day at a busy door, some milliseconds.
    private static let tailCount: UInt64 = 1000

    // MARK: Keys

    /// The outcome for the keys: the identity is valid and readable by the right user.
    var keys: SelfTestOutcome {
        do throws(ReaderdError) {
            let identity = try IdentityFiles.load(from: state)
            try IdentityFiles.check(identity, mayDrive: settings)
            var settings = settings
            try ProvisionedDoor.load(from: state)?.apply(to: &settings)
            let key = try EventLogKey.existing(in: state)
            try checkOwners()
            guard !identity.isDemo else {
                return .notConfigured(
                    "published demo identity with public keys; make one: readerd provision")
            }
            let log = key == nil ? "; event log key made at the first start" : ""
            let memory = readerd_is_memory_closed() ? "; memory excluded from core dumps" : ""
            return .ok(
                "reader \(identity.deviceID), site \(settings.reader.siteID), door \(settings.reader.doorID)\(log)\(memory)"
            )
        } catch {
            return .failed("\(error)")
        }
    }

    /// Checks the owners of the keys: root can read every file, the service only its own.
    private func checkOwners() throws(ReaderdError) {
        let identity = try IdentityDirectory.current(in: state)
        let owner = try state.owner()
        for (place, name) in [(identity, IdentityFiles.File.terminalKey.rawValue), (state, EventLogKey.fileName)] {
            guard let user = try place.status(of: name)?.st_uid else { continue }
            if let fault = StoredTest.fault(of: place.file(name), ofUser: user, directoryOf: owner) { throw fault }
        }
    }

    /// Returns the fault of a key with another owner than the directory; nil for none.
    static func fault(of path: String, ofUser other: uid_t, directoryOf owner: uid_t) -> ReaderdError? {
        guard other != owner else { return nil }
        return .failed(
            "\(path): owned by user \(other), unreadable for user \(owner), who owns the state directory; run: chown "
                + "\(owner) \(path)")
    }

    // MARK: Disk

    /// The outcome for the disk: it accepts the reader's writes in time, the policy is the stored one, and the event
    /// log is intact at its end.
    var disk: SelfTestOutcome {
        do throws(ReaderdError) {
            let milliseconds = try writeAndRemove()
            let limit = settings.events.maximumWaitMilliseconds
            guard milliseconds <= limit else {
                return .failed(
                    "\(state.path): writing took \(milliseconds) ms, events.max-wait-ms is \(limit); check the disk")
            }
            let log = try log()
            return try .ok("\(state.path): written in \(milliseconds) ms; \(policy()); \(log)")
        } catch {
            return .failed("\(error)")
        }
    }

    /// Writes a file as the reader does, and removes it. Returns the time in milliseconds.
    private func writeAndRemove() throws(ReaderdError) -> Int64 {
        let began = MonotonicClock.now
        try state.replace(StoredTest.fileName, with: [UInt8](repeating: 0x5A, count: StoredTest.fileCount))
        try state.remove(StoredTest.fileName)
        try state.synchronize()
        return (MonotonicClock.now - began).wholeMilliseconds
    }

    /// Returns a short description of the policy.
    private func policy() throws(ReaderdError) -> String {
        guard let document = try document() else { return "no policy yet" }
        return "policy of generation \(document.generation), \(document.entryCount) revoked"
    }

    private func document() throws(ReaderdError) -> PolicyDocument? {
        guard let key = try EventLogKey.existing(in: state) else { return nil }
        return try StoredPolicy(in: state, key: key).document()
    }

    /// Returns a short description of the log.
    private func log() throws(ReaderdError) -> String {
        let path = state.file("events.db")
        guard state.has("events.db") else { return "no events yet" }
        guard let key = try EventLogKey.existing(in: state) else {
            throw .failed("\(state.file(EventLogKey.fileName)): missing; the events cannot be verified without it")
        }
        let report: ChainReport
        do throws(DiskFault) {
            report = try EventArchive(directory: state.path).verifyTail(key: key, count: StoredTest.tailCount)
        } catch {
            throw .failed("\(path): \(error)")
        }
        if let finding = report.findings.first {
            throw .failed("\(path): \(finding); see: readerd events --verify --state \(state.path)")
        }
        guard let range = report.range else { return "no events yet" }
        return "events up to \(range.upperBound), the newest \(report.count) verified"
    }

    /// The stored state of the reader's clock; nil for none.
    var clockMarks: ClockMarks? {
        guard let settings = try? document()?.settings else { return nil }
        return StoredContents(settings: settings).clockMarks
    }

    /// The time of the newest event, in seconds since 1970-01-01 UTC; nil if unknown.
    var lastEvent: Int64? {
        guard let archive = try? EventArchive(directory: state.path),
            let records = try? archive.records(AuditQuery(limit: 1, isNewestFirst: true, includesCleared: true)),
            let time = records.first?.event.time, time.quality != .unset
        else { return nil }
        return time.epochSeconds
    }
}
