import Reader
import Timekeeping

extension EventDatabase {
    /// Changes the blacklist, all or nothing; how many entries it has then.
    func change(_ change: BlacklistChange) throws(DiskFault) -> Int {
        try connection.transaction { () throws(DiskFault) in
            switch change {
            case .clear: try connection.prepare("DELETE FROM blacklist").run()
            case .put(let entries): try put(entries)
            case .remove(let credentials):
                for credential in credentials {
                    try connection.prepare("DELETE FROM blacklist WHERE credential = ?1").bind(1, credential).run()
                }
            case .replace(let entries):
                try connection.prepare("DELETE FROM blacklist").run()
                try put(entries)
            }
        }
        return Int(try connection.number("SELECT count(*) FROM blacklist") ?? 0)
    }

    private func put(_ entries: [BlacklistRow]) throws(DiskFault) {
        for entry in entries {
            try connection.prepare("INSERT OR REPLACE INTO blacklist (credential, until) VALUES (?1, ?2)")
                .bind(1, entry.credential).bind(2, entry.until.isValid ? entry.until.epochSeconds : 0).run()
        }
    }

    /// Puts a setting, or takes it away.
    func set(_ name: String, to value: [UInt8]?) throws(DiskFault) {
        guard let value else {
            return try connection.prepare("DELETE FROM setting WHERE name = ?1").bind(1, name).run()
        }
        try connection.prepare("INSERT OR REPLACE INTO setting (name, value) VALUES (?1, ?2)")
            .bind(1, name).bind(2, value).run()
    }

    /// Appends to the system log, and drops its oldest lines beyond the limit.
    func append(_ lines: [SystemLine]) throws(DiskFault) {
        try connection.transaction { () throws(DiskFault) in
            for line in lines {
                try connection.prepare(
                    "INSERT INTO system_line (epoch, offset, severity, line, file, message) VALUES (?1,?2,?3,?4,?5,?6)"
                )
                .bind(1, line.time.epochSeconds).bind(2, Int64(line.time.utcOffsetMinutes))
                .bind(3, Int64(line.severity.rawValue)).bind(4, Int64(line.line)).bind(5, line.file)
                .bind(6, line.message).run()
            }
            try connection.prepare(
                """
                DELETE FROM system_line
                WHERE sequence <= (SELECT max(sequence) FROM system_line) - \(SystemLine.limit)
                """
            ).run()
        }
    }

    /// Empties the system log; its numbers go on.
    func clearSystemLog() throws(DiskFault) {
        try connection.prepare("DELETE FROM system_line").run()
    }
}

/// What readers and the writer both ask of the other tables.
extension Connection {
    /// The blacklist, by credential.
    func blacklist() throws(DiskFault) -> [BlacklistRow] {
        let rows = try prepare("SELECT credential, until FROM blacklist ORDER BY credential")
        defer { rows.reset() }
        var entries: [BlacklistRow] = []
        while try rows.step() {
            entries.append(
                BlacklistRow(credential: rows.text(0), until: CivilTime(epochSeconds: rows.integer(1))))
        }
        return entries
    }

    /// The settings that were put, by name.
    func settings() throws(DiskFault) -> [String: [UInt8]] {
        let rows = try prepare("SELECT name, value FROM setting")
        defer { rows.reset() }
        var settings: [String: [UInt8]] = [:]
        while try rows.step() { settings[rows.text(0)] = rows.octets(1) }
        return settings
    }

    /// Lines of the system log: from a number on, or the newest first.
    func systemLines(_ query: SystemLineQuery) throws(DiskFault) -> [SystemLine] {
        let order = query.isNewestFirst ? "DESC" : "ASC"
        let rows = try prepare(
            """
            SELECT sequence, epoch, offset, severity, line, file, message FROM system_line WHERE sequence >= ?1
            ORDER BY sequence \(order) LIMIT ?2
            """)
        defer { rows.reset() }
        try rows.bind(1, Int64(clamping: query.first)).bind(2, Int64(clamping: query.limit))
        var lines: [SystemLine] = []
        while try rows.step() { lines.append(SystemLine(rows)) }
        return lines
    }
}

extension SystemLine {
    fileprivate init(_ row: Connection.Statement) {
        let epoch = row.integer(1)
        let time = AuditTime(
            epochSeconds: epoch, utcOffsetMinutes: Int16(clamping: row.integer(2)),
            quality: epoch == 0 ? .unset : .system, uptimeMilliseconds: 0)
        self.init(
            time: time, severity: Severity(rawValue: Int32(truncatingIfNeeded: row.integer(3))) ?? .error,
            file: row.text(5), line: UInt32(clamping: row.integer(4)), message: row.text(6))
        sequence = UInt64(clamping: row.integer(0))
    }
}
