// SPDX-License-Identifier: Apache-2.0

/// The tables. `reader` holds the numbers of events, so that reading the state of a fleet counts nothing.
extension FleetDatabase {
    /// Creates the missing tables.
    func makeTables() throws(DatabaseFault) {
        try engine.transaction { () throws(DatabaseFault) in
            try engine.makePlace()
            if try isUncounted { try count() }
            let (number, options) = (engine.numberType, engine.tableOptions)
            try engine.execute(
                """
                CREATE TABLE IF NOT EXISTS reader (
                    device TEXT PRIMARY KEY, name TEXT NOT NULL, online \(number), state TEXT NOT NULL DEFAULT '',
                    \(FleetDatabase.counts(number).joined(separator: ", "))
                ) \(options);
                CREATE TABLE IF NOT EXISTS log (
                    device TEXT NOT NULL, log TEXT NOT NULL, mark \(number) NOT NULL, chain TEXT NOT NULL,
                    PRIMARY KEY (device, log)
                ) \(options);
                CREATE TABLE IF NOT EXISTS event (
                    device TEXT NOT NULL, log TEXT NOT NULL, sequence \(number) NOT NULL, received \(number) NOT NULL,
                    document TEXT NOT NULL, PRIMARY KEY (device, log, sequence)
                ) \(options);
                CREATE TABLE IF NOT EXISTS gap (
                    device TEXT NOT NULL, log TEXT NOT NULL, first \(number) NOT NULL, last \(number) NOT NULL,
                    received \(number) NOT NULL, PRIMARY KEY (device, log, first)
                ) \(options);
                CREATE TABLE IF NOT EXISTS conflict (
                    device TEXT NOT NULL, log TEXT NOT NULL, sequence \(number) NOT NULL, received \(number) NOT NULL,
                    document TEXT NOT NULL, PRIMARY KEY (device, log, sequence)
                ) \(options);
                """)
        }
    }

    /// The columns that earlier collectors, which had only SQLite, did not create.
    private static func counts(_ number: String) -> [String] {
        ["firmware", "last"].map { "\($0) TEXT NOT NULL DEFAULT ''" }
            + ["events", "lost", "conflicts"].map { "\($0) \(number) NOT NULL DEFAULT 0" }
    }

    /// True for a database of an earlier collector.
    var isUncounted: Bool {
        get throws(DatabaseFault) {
            guard engine is SQLiteEngine else { return false }
            let columns = try engine.rows("SELECT name FROM pragma_table_info('reader')", []) { $0.text(0) }
            return !columns.isEmpty && !columns.contains("events")
        }
    }

    private func count() throws(DatabaseFault) {
        for column in FleetDatabase.counts(engine.numberType) {
            try engine.execute("ALTER TABLE reader ADD COLUMN \(column)")
        }
        try engine.execute(
            """
            UPDATE reader SET events = (SELECT count(*) FROM event WHERE device = reader.device),
                lost = (SELECT coalesce(sum(last - first + 1), 0) FROM gap WHERE device = reader.device),
                conflicts = (SELECT count(*) FROM conflict WHERE device = reader.device),
                last = coalesce((SELECT document FROM event WHERE device = reader.device
                    ORDER BY received DESC, sequence DESC LIMIT 1), '')
            """)
    }
}
