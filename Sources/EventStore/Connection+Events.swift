import Reader

/// What readers and the writer both ask of the tables.
extension Connection {
    /// How many records there are behind this number.
    func count(after sequence: UInt64) throws(DiskFault) -> Int {
        let rows = try prepare("SELECT count(*) FROM event WHERE sequence > ?1")
        defer { rows.reset() }
        return try rows.bind(1, Int64(clamping: sequence)).step() ? Int(rows.integer(0)) : 0
    }

    /// How many of them prove nothing.
    func countOfStrangers(after sequence: UInt64) throws(DiskFault) -> Int {
        let kinds = AuditKind.ofStrangers.map { "\($0.rawValue)" }.joined(separator: ",")
        let rows = try prepare("SELECT count(*) FROM event WHERE sequence > ?1 AND kind IN (\(kinds))")
        defer { rows.reset() }
        return try rows.bind(1, Int64(clamping: sequence)).step() ? Int(rows.integer(0)) : 0
    }

    /// The place where the log begins; nil if there is none, which no log of ours lacks.
    func checkpoint() throws(DiskFault) -> ChainPlace? {
        let row = try prepare("SELECT sequence, chain, tag FROM checkpoint WHERE id = 1")
        defer { row.reset() }
        guard try row.step(), let chain = ChainValue(row.octets(1)), let tag = ChainValue(row.octets(2)) else {
            return nil
        }
        return ChainPlace(sequence: UInt64(clamping: row.integer(0)), chain: chain, tag: tag)
    }

    /// Puts the place where the log begins.
    func write(_ checkpoint: ChainPlace) throws(DiskFault) {
        try prepare("INSERT OR REPLACE INTO checkpoint (id, sequence, chain, tag) VALUES (1, ?1, ?2, ?3)")
            .bind(1, Int64(clamping: checkpoint.sequence)).bind(2, checkpoint.chain.octets)
            .bind(3, checkpoint.tag.octets).run()
    }

    /// The chain's value after a record; nil if there is no such record.
    func chain(at sequence: UInt64) throws(DiskFault) -> ChainValue? {
        let row = try prepare("SELECT chain FROM event WHERE sequence = ?1").bind(1, Int64(clamping: sequence))
        defer { row.reset() }
        return try row.step() ? ChainValue(row.octets(0)) : nil
    }

    /// The last record that was cleared, as the newest record of a clearing has it; 0 if there is none.
    func clearedThrough() throws(DiskFault) -> UInt64 {
        let row = try prepare("SELECT record FROM event WHERE kind = ?1 ORDER BY sequence DESC LIMIT 1")
            .bind(1, Int64(AuditKind.logCleared.rawValue))
        defer { row.reset() }
        guard try row.step(), let record = try? AuditRecord(decoding: row.octets(0).span) else { return 0 }
        return record.event.mark
    }

    /// When the newest record was whose clock was set, a start's not counting: nothing had been compared with its time
    /// yet. Nil if none of the newest is one.
    func timeOfNewest() throws(DiskFault) -> Int64? {
        let newest = AuditQuery(limit: Connection.timedAmong, isNewestFirst: true, includesCleared: true)
        return try records(newest).first { $0.event.tellsTime }?.event.time.epochSeconds
    }

    /// Among so many records one is looked for that had a time: the clock is set soon after a start, or not at all.
    private static let timedAmong = 64

    /// Refuses another program's database, and another form of the log; the first was never released, so that a log in
    /// it is put aside as one that cannot be read.
    func requireLog(_ application: Int64, _ form: Int64) throws(DiskFault) {
        guard application == EventDatabase.applicationID, form >= EventDatabase.formVersion else { throw .damaged }
        guard form == EventDatabase.formVersion else { throw .laterVersion }
    }

    /// The policy's newest generation among the newest records that tell of one; 0 if none does. Only records that this
    /// device has written count, so that a damaged log never makes the policy look older than it is.
    func policyGeneration(key: AuditKey) throws(DiskFault) -> UInt64 {
        let query = AuditQuery(
            kinds: AuditKind.policyWitnesses, limit: Connection.witnesses, isNewestFirst: true, includesCleared: true)
        var stored: [StoredRecord] = []
        try forEach(query) { (record) throws(DiskFault) in
            stored.append(record)
            return true
        }
        var newest: UInt64 = 0
        for record in stored where try isOwn(record, key) { newest = max(newest, record.record?.event.mark ?? 0) }
        return newest
    }

    /// So many are looked at: with one of them damaged, the others tell.
    private static let witnesses = 8

    /// Whether the record is the one that followed, when it was written, the one that stands before it now.
    private func isOwn(_ stored: StoredRecord, _ key: AuditKey) throws(DiskFault) -> Bool {
        guard let record = stored.record, record.sequence == stored.sequence, let chain = stored.chain else {
            return false
        }
        let row = try prepare("SELECT chain FROM event WHERE sequence < ?1 ORDER BY sequence DESC LIMIT 1")
            .bind(1, Int64(clamping: stored.sequence))
        defer { row.reset() }
        let former = try row.step() ? ChainValue(row.octets(0)) : try checkpoint()?.chain
        guard let former, let own = try? key.value(after: former, stored.octets.span) else { return false }
        return own == chain
    }

    /// Calls `body` with each record that is asked for, until it returns false.
    func forEach(
        _ query: AuditQuery, _ body: (StoredRecord) throws(DiskFault) -> Bool
    ) throws(DiskFault) {
        var first = query.range.lowerBound
        if !query.includesCleared {
            let cleared = try clearedThrough()
            if first <= cleared { first = cleared + 1 }
        }
        var sql = "SELECT sequence, kind, record, chain FROM event WHERE sequence BETWEEN ?1 AND ?2"
        if !query.kinds.isEmpty {
            // Numbers, so nothing that needs quoting; sorted, so that a question asked twice is compiled once.
            let kinds = query.kinds.map(\.rawValue).sorted().map(String.init).joined(separator: ",")
            sql += " AND kind IN (\(kinds))"
        }
        sql += " ORDER BY sequence \(query.isNewestFirst ? "DESC" : "ASC") LIMIT ?3"
        let rows = try prepare(sql)
        defer { rows.reset() }
        try rows.bind(1, Int64(clamping: first)).bind(2, Int64(clamping: query.range.upperBound))
            .bind(3, Int64(clamping: query.limit))
        while try rows.step() {
            let stored = StoredRecord(
                sequence: UInt64(clamping: rows.integer(0)),
                kind: AuditKind(rawValue: UInt16(truncatingIfNeeded: rows.integer(1))), octets: rows.octets(2),
                chain: ChainValue(rows.octets(3)))
            guard try body(stored) else { return }
        }
    }

    /// The records that are asked for. One that is none, since it was changed or a later version wrote it, is left
    /// out.
    func records(_ query: AuditQuery) throws(DiskFault) -> [AuditRecord] {
        var records: [AuditRecord] = []
        try forEach(query) { (stored) throws(DiskFault) in
            if let record = stored.record { records.append(record) }
            return true
        }
        return records
    }
}

extension AuditEvent {
    /// Whether its time is one that a later clock must not be set to before.
    var tellsTime: Bool { time.quality != .unset && kind != .start }
}
