// SPDX-License-Identifier: Apache-2.0

import Reader

extension EventDatabase {
    /// Appends to the system log, and removes the oldest lines beyond the limit.
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

    /// Empties the system log. Numbering continues.
    func clearSystemLog() throws(DiskFault) {
        try connection.prepare("DELETE FROM system_line").run()
    }
}

/// Queries of the system log, shared by readers and the writer.
extension Connection {
    /// Returns lines of the system log: from a number on, or the newest first.
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
