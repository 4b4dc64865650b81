public import Reader

/// A log as somebody reads it who does not write it, while another process may.
public final class EventArchive {
    let directory: String
    let connection: Connection

    /// The log in a state directory. Nothing is made: without a log this fails with `cannotOpen`.
    public init(directory: String) throws(DiskFault) {
        self.directory = directory
        connection = try Connection(path: "\(directory)/\(EventDatabase.name)", .reading)
        try connection.requireLog(
            connection.number("PRAGMA application_id") ?? 0, connection.number("PRAGMA user_version") ?? 0)
    }

    /// What the log comes to.
    public func state() throws(DiskFault) -> LogState { try LogState(connection) }

    /// The records that are asked for; those that cannot be read are left out.
    public func records(_ query: AuditQuery) throws(DiskFault) -> [AuditRecord] { try connection.records(query) }

    /// Calls `body` with each record as it is stored, until it returns false.
    public func forEach(_ query: AuditQuery, _ body: (StoredRecord) -> Bool) throws(DiskFault) {
        try connection.forEach(query) { (stored) throws(DiskFault) in body(stored) }
    }

    /// The policy's newest generation that the log tells of; 0 if it tells of none.
    public func policyGeneration(key: AuditKey) throws(DiskFault) -> UInt64 {
        try connection.policyGeneration(key: key)
    }

    /// Lines of the system log.
    public func systemLines(_ query: SystemLineQuery) throws(DiskFault) -> [SystemLine] {
        try connection.systemLines(query)
    }

    /// Checks all of the log, as it is at one moment. `anchor` is the end of an earlier verification, kept elsewhere.
    public func verify(
        key: AuditKey, anchor: (sequence: UInt64, chain: ChainValue)? = nil
    ) throws(DiskFault) -> ChainReport {
        // The head first: a writer that goes on meanwhile only makes the log longer than it.
        let contents = HeadFile.read(in: directory)
        return try connection.transaction(reading: true) { () throws(DiskFault) in
            guard let checkpoint = try connection.checkpoint() else { throw .damaged }
            // From 0: a record before the checkpoint is one that somebody else put there.
            return try verify(
                0...AuditQuery.lastSequence, after: checkpoint, key: key, head: contents.place, anchor: anchor)
        }
    }

    /// Checks the records in `range` as those that follow `checkpoint`; within a transaction.
    func verify(
        _ range: ClosedRange<UInt64>, after checkpoint: ChainPlace, key: AuditKey, head: ChainPlace?,
        anchor: (sequence: UInt64, chain: ChainValue)? = nil
    ) throws(DiskFault) -> ChainReport {
        do {
            var verifier = try ChainVerifier(key: key, checkpoint: checkpoint, head: head, anchor: anchor)
            try connection.forEach(AuditQuery(range, includesCleared: true)) { (stored) throws(DiskFault) in
                do { try verifier.take(stored) } catch { throw .other }
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
    /// When the newest record was whose clock was set, in seconds since 1970; nil if it does not say, or this device did
    /// not write it.
    func time(key: AuditKey) -> Int64? {
        guard case .head(_, let time?) = self, time.sequence > 0, (try? key.made(time, .headTime)) ?? false
        else { return nil }
        return Int64(clamping: time.sequence)
    }

    /// What a verification is to compare with. An unreadable head is one that nobody made.
    var place: ChainPlace? {
        switch self {
        case .none: return nil
        case .head(let place, _): return place
        case .unreadable:
            let nothing = [UInt8](repeating: 0, count: ChainValue.count)
            return ChainValue(nothing).map { ChainPlace(sequence: 0, chain: $0, tag: $0) }
        }
    }
}
