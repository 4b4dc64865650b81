// SPDX-License-Identifier: Apache-2.0

import Reader

/// Queries shared by readers and the writer of the log.
extension Connection {
    /// Returns the number of records after this sequence number.
    func count(after sequence: UInt64) throws(DiskFault) -> Int {
        let rows = try prepare("SELECT count(*) FROM event WHERE sequence > ?1")
        defer { rows.reset() }
        return try rows.bind(1, Int64(clamping: sequence)).step() ? Int(rows.integer(0)) : 0
    }

    /// Returns the number of records after this sequence number that prove nothing.
    func countUnproven(after sequence: UInt64) throws(DiskFault) -> Int {
        let kinds = AuditKind.unprovenKinds.map { "\($0.rawValue)" }.joined(separator: ",")
        let rows = try prepare("SELECT count(*) FROM event WHERE sequence > ?1 AND kind IN (\(kinds))")
        defer { rows.reset() }
        return try rows.bind(1, Int64(clamping: sequence)).step() ? Int(rows.integer(0)) : 0
    }

    /// Returns the place where the log begins; nil if the table has no such row, which means damage.
    func checkpoint() throws(DiskFault) -> ChainPlace? {
        let row = try prepare("SELECT sequence, chain, tag FROM checkpoint WHERE id = 1")
        defer { row.reset() }
        guard try row.step(), let chain = ChainValue(row.octets(1)), let tag = ChainValue(row.octets(2)) else {
            return nil
        }
        return ChainPlace(sequence: UInt64(clamping: row.integer(0)), chain: chain, tag: tag)
    }

    /// Writes the place where the log begins.
    func write(_ checkpoint: ChainPlace) throws(DiskFault) {
        try prepare("INSERT OR REPLACE INTO checkpoint (id, sequence, chain, tag) VALUES (1, ?1, ?2, ?3)")
            .bind(1, Int64(clamping: checkpoint.sequence)).bind(2, checkpoint.chain.octets)
            .bind(3, checkpoint.tag.octets).run()
    }

    /// Returns the chain value after a record; nil if there is no such record.
    func chain(at sequence: UInt64) throws(DiskFault) -> ChainValue? {
        let row = try prepare("SELECT chain FROM event WHERE sequence = ?1").bind(1, Int64(clamping: sequence))
        defer { row.reset() }
        return try row.step() ? ChainValue(row.octets(0)) : nil
    }

    /// Returns the last cleared record according to the newest `logCleared` record; 0 without such a record.
    func clearedThrough() throws(DiskFault) -> UInt64 {
        let row = try prepare("SELECT record FROM event WHERE kind = ?1 ORDER BY sequence DESC LIMIT 1")
            .bind(1, Int64(AuditKind.logCleared.rawValue))
        defer { row.reset() }
        guard try row.step(), let record = try? AuditRecord(decoding: row.octets(0).span) else { return 0 }
        return record.event.mark
    }

    /// Returns the time of the newest record whose clock was set, in seconds since 1970; nil if none of the newest
    /// records has one. A `start` record does not count, since its time has not been compared with any other.
    func timeOfNewest() throws(DiskFault) -> Int64? {
        let newest = AuditQuery(limit: Connection.timedAmong, isNewestFirst: true, includesCleared: true)
        return try records(newest).first { $0.event.tellsTime }?.event.time.epochSeconds
    }

    /// The number of newest records searched for a time: the clock is set soon after a start, or not at all.
    private static let timedAmong = 64

    /// Rejects a database of another program and another version of the tables. The first version was never released; a
    /// log of it is put aside as damaged.
    func requireLog(_ application: Int64, _ form: Int64) throws(DiskFault) {
        guard application == EventDatabase.applicationID, form >= EventDatabase.formVersion else { throw .damaged }
        guard form == EventDatabase.formVersion else { throw .laterVersion }
    }

    /// Returns the policy's newest generation stated by the newest records that state one; 0 if none does. Only records
    /// written by this device count, so that a damaged log never makes the policy appear older than it is.
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

    /// The number of records examined; more than one, in case of damage.
    private static let witnesses = 8

    /// True if this device wrote the record as the successor of the record before it.
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

    /// Calls `body` with each record that matches the query, until `body` returns false.
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
            // Numbers need no quoting; sorted, so that a repeated query is compiled once.
            let kinds = query.kinds.map(\.rawValue).sorted().map(String.init).joined(separator: ",")
            sql += " AND kind IN (\(kinds))"
        }
        sql += " ORDER BY sequence \(query.isNewestFirst ? "DESC" : "ASC") LIMIT ?3"
        let rows = try prepare(sql)
        defer { rows.reset() }
        try rows.bind(1, Int64(clamping: first)).bind(2, Int64(clamping: query.range.upperBound))
            .bind(3, Int64(clamping: query.limit))
        while try rows.step() {
            guard try body(StoredRecord(rows)) else { return }
        }
    }

    /// Returns the records that match the query, without those that cannot be decoded.
    func records(_ query: AuditQuery) throws(DiskFault) -> [AuditRecord] {
        var records: [AuditRecord] = []
        try forEach(query) { (stored) throws(DiskFault) in
            if let record = stored.record { records.append(record) }
            return true
        }
        return records
    }
}

extension Connection {
    /// Writes a record.
    func insert(_ record: StoredRecord, _ chain: ChainValue) throws(DiskFault) {
        try prepare("INSERT INTO event (sequence, kind, record, chain) VALUES (?1, ?2, ?3, ?4)")
            .bind(1, Int64(clamping: record.sequence)).bind(2, Int64(record.kind.rawValue)).bind(3, record.octets)
            .bind(4, chain.octets).run()
    }
}

extension StoredRecord {
    /// The record in a row of `sequence, kind, record, chain`.
    init(_ row: Connection.Statement) {
        self.init(
            sequence: UInt64(clamping: row.integer(0)),
            kind: AuditKind(rawValue: UInt16(truncatingIfNeeded: row.integer(1))), octets: row.octets(2),
            chain: ChainValue(row.octets(3)))
    }
}

extension AuditEvent {
    /// True if the clock must not be set to a time before this event's.
    var tellsTime: Bool { time.quality != .unset && kind != .start }
}
