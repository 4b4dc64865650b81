// SPDX-License-Identifier: Apache-2.0

public import Reader

/// Read-only access to a log, concurrently with a writer in another process.
public final class EventArchive {
    let directory: String
    let connection: Connection

    /// Opens the log in a state directory.
    ///
    /// - Throws: `cannotOpen` if there is no log; none is created.
    public init(directory: String) throws(DiskFault) {
        self.directory = directory
        connection = try Connection(path: "\(directory)/\(LogFiles.name)", .reading)
        try connection.requireLog(
            connection.number("PRAGMA application_id") ?? 0, connection.number("PRAGMA user_version") ?? 0)
    }

    /// Returns the log's state.
    public func state() throws(DiskFault) -> LogState { try LogState(connection) }

    /// Returns the records that match the query, without those that cannot be decoded.
    public func records(_ query: AuditQuery) throws(DiskFault) -> [AuditRecord] { try connection.records(query) }

    /// Calls `body` with each stored record, until `body` returns false.
    public func forEach(_ query: AuditQuery, _ body: (StoredRecord) -> Bool) throws(DiskFault) {
        try connection.forEach(query) { (stored) throws(DiskFault) in body(stored) }
    }

    /// Returns the policy's newest generation stated by the log; 0 if the log states none.
    public func policyGeneration(key: AuditKey) throws(DiskFault) -> UInt64 {
        try connection.policyGeneration(key: key)
    }

    /// Returns lines of the system log.
    public func systemLines(_ query: SystemLineQuery) throws(DiskFault) -> [SystemLine] {
        try connection.systemLines(query)
    }

    /// Verifies the whole log in one read transaction. `anchor` is the end of an earlier verification, kept elsewhere.
    public func verify(
        key: AuditKey, anchor: (sequence: UInt64, chain: ChainValue)? = nil
    ) throws(DiskFault) -> ChainReport {
        // The head is read first: a concurrent writer then only makes the log longer than it.
        let contents = HeadFile.read(in: directory)
        return try connection.transaction(reading: true) { () throws(DiskFault) in
            guard let checkpoint = try connection.checkpoint() else { throw .damaged }
            // From 0: a record before the checkpoint was inserted by another party.
            return try verify(
                0...AuditQuery.lastSequence, after: checkpoint, key: key, head: contents.place, anchor: anchor)
        }
    }

    /// Verifies the records in `range` as successors of `checkpoint`; within a transaction.
    func verify(
        _ range: ClosedRange<UInt64>, after checkpoint: ChainPlace, key: AuditKey, head: ChainPlace?,
        anchor: (sequence: UInt64, chain: ChainValue)? = nil
    ) throws(DiskFault) -> ChainReport {
        do {
            var verifier = try ChainVerifier(key: key, checkpoint: checkpoint, head: head, anchor: anchor)
            try connection.forEach(AuditQuery(range, includesCleared: true)) { (stored) throws(DiskFault) in
                do { try verifier.verify(stored) } catch { throw .other }
                return true
            }
            return verifier.finish()
        } catch let fault as DiskFault {
            throw fault
        } catch {
            throw .other
        }
    }
}

extension HeadFile.Contents {
    /// Returns the time of the newest record whose clock was set, in seconds since 1970; nil if the file states none or
    /// this device did not write it.
    func time(key: AuditKey) -> Int64? {
        guard case .head(_, let time?, _) = self, time.sequence > 0, (try? key.made(time, .headTime)) ?? false
        else { return nil }
        return Int64(clamping: time.sequence)
    }

    /// Returns the generation of the policy; 0 if the file states none or this device did not write it.
    func generation(key: AuditKey) -> UInt64 {
        guard case .head(_, _, let generation?) = self, (try? key.made(generation, .headGeneration)) ?? false
        else { return 0 }
        return generation.sequence
    }

    /// The place that a verification compares with. An unreadable file yields a place that is never authentic.
    var place: ChainPlace? {
        switch self {
        case .none: return nil
        case .head(let place, _, _): return place
        case .unreadable:
            let nothing = [UInt8](repeating: 0, count: ChainValue.count)
            return ChainValue(nothing).map { ChainPlace(sequence: 0, chain: $0, tag: $0) }
        }
    }
}
