// SPDX-License-Identifier: Apache-2.0

public import Fleet

/// The collector's database: each event once, and the stored extent of each reader's log.
///
/// A batch is applied as a whole, with its mark, in one transaction: every event up to the mark is on the disk.
public final class FleetDatabase {
    /// The state of one reader, for a table.
    public struct Reader: Equatable {
        /// The identifier in topics.
        public var device: String
        /// The display name.
        public var name: String
        /// True if its link reports the reader as present; nil without a report.
        public var isOnline: Bool?
        /// The version of its firmware; empty if unknown.
        public var firmware = ""
        /// Its retained state, JSON; empty if there was none.
        public var state: String
        /// The number of events.
        public var events: Int
        /// The number of events that are lost.
        public var lost: Int
        /// The number of events that were sent again with other contents.
        var conflicts: Int
        /// The event that was stored last, as JSON; empty without an event.
        public var last: String

        /// A reader's row.
        public init(
            device: String, name: String, isOnline: Bool? = nil, firmware: String = "", state: String, events: Int,
            lost: Int, conflicts: Int, last: String
        ) {
            self.device = device
            self.name = name
            self.isOnline = isOnline
            self.firmware = firmware
            self.state = state
            self.events = events
            self.lost = lost
            self.conflicts = conflicts
            self.last = last
        }
    }

    let engine: any DatabaseEngine

    /// Opens the database, and creates missing tables.
    public init(_ place: DatabasePlace) throws(DatabaseFault) {
        engine = try place.open(isReading: false)
        try makeTables()
    }

    /// Opens the database of a collector, which may be running, to read it.
    public init(reading place: DatabasePlace) throws(DatabaseFault) {
        engine = try place.open(isReading: true)
        guard try !isUncounted else {
            throw DatabaseFault(text: "is of an earlier collector; readerlab fleet collect brings it up to date")
        }
    }

    // MARK: - Readers

    /// Adds a reader, or renames it.
    public func name(_ device: String, _ name: String) throws(DatabaseFault) {
        try engine.run(
            "INSERT INTO reader (device, name) VALUES (?1, ?2) ON CONFLICT (device) DO UPDATE SET name = excluded.name",
            .text(device), .text(name))
    }

    /// Records the presence of a reader.
    public func store(_ device: String, isOnline: Bool) throws(DatabaseFault) {
        try engine.run(
            "UPDATE reader SET online = ?2 WHERE device = ?1", .text(device), .number(isOnline ? 1 : 0))
    }

    /// Records the state of a reader.
    public func store(_ device: String, state: String) throws(DatabaseFault) {
        try engine.run("UPDATE reader SET state = ?2 WHERE device = ?1", .text(device), .text(state))
    }

    /// Records the version of a reader's firmware.
    public func store(_ device: String, firmware: String) throws(DatabaseFault) {
        try engine.run("UPDATE reader SET firmware = ?2 WHERE device = ?1", .text(device), .text(firmware))
    }

    /// Every reader, by name.
    public func readers() throws(DatabaseFault) -> [Reader] {
        try engine.rows(FleetDatabase.overview, []) { row in
            Reader(
                device: row.text(0), name: row.text(1), isOnline: row.number(2).map { $0 != 0 },
                firmware: row.text(3), state: row.text(4), events: Int(row.number(5) ?? 0),
                lost: Int(row.number(6) ?? 0), conflicts: Int(row.number(7) ?? 0), last: row.text(8))
        }.sorted { ($0.name, $0.device) < ($1.name, $1.device) }
    }

    /// Selects the row of every reader, without reading events.
    static let overview = "SELECT device, name, online, firmware, state, events, lost, conflicts, last FROM reader"

    // MARK: - Events

    /// The mark in a reader's log; 0 if nothing is stored.
    public func mark(_ device: String, _ log: LogID) throws(DatabaseFault) -> UInt64 {
        try engine.rows(
            "SELECT mark FROM log WHERE device = ?1 AND log = ?2", [.text(device), .text(log.description)]
        ) { $0.number(0) }.first.flatMap { $0 }.map { UInt64(clamping: $0) } ?? 0
    }

    /// Stores the events of a batch that follow a mark. A batch that begins beyond the mark is ignored: the reader
    /// sends again, starting at the mark.
    ///
    /// - Returns: the events that were stored, as JSON.
    public func store(_ batch: EventBatch, after mark: UInt64, received: Int64) throws(DatabaseFault) -> [String] {
        guard batch.first <= mark + 1, batch.last > mark else { return [] }
        let begin = batch.gap.map { $0.upperBound + 1 } ?? batch.first
        let new = batch.events.enumerated().map { (sequence: begin + UInt64($0.offset), event: $0.element) }
            .filter { $0.sequence > mark }
        let lost = batch.gap.flatMap { $0.upperBound > mark ? max($0.lowerBound, mark + 1)...$0.upperBound : nil }
        let (device, log) = (DatabaseValue.text(batch.device), DatabaseValue.text(batch.log.description))
        try engine.transaction { () throws(DatabaseFault) in
            for (sequence, event) in new {
                try engine.run(
                    "INSERT INTO event (device, log, sequence, received, document) VALUES (?1, ?2, ?3, ?4, ?5)",
                    device, log, .number(Int64(clamping: sequence)), .number(received), .text(event))
            }
            if let lost {
                try engine.run(
                    "INSERT INTO gap (device, log, first, last, received) VALUES (?1, ?2, ?3, ?4, ?5)", device, log,
                    .number(Int64(clamping: lost.lowerBound)), .number(Int64(clamping: lost.upperBound)),
                    .number(received))
            }
            try engine.run(
                "INSERT INTO log (device, log, mark, chain) VALUES (?1, ?2, ?3, ?4) "
                    + "ON CONFLICT (device, log) DO UPDATE SET mark = excluded.mark, chain = excluded.chain",
                device, log, .number(Int64(clamping: batch.last)), .text(batch.chain))
            try engine.run(
                "UPDATE reader SET events = events + ?2, lost = lost + ?3, last = coalesce(nullif(?4, ''), last) "
                    + "WHERE device = ?1",
                device, .number(Int64(new.count)), .number(Int64(lost?.count ?? 0)), .text(new.last?.event ?? ""))
        }
        return new.map(\.event)
    }
}
