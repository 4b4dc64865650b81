// SPDX-License-Identifier: Apache-2.0

import Crypto
public import Reader

/// A part of a log, as it is stored.
public struct LogSlice: Equatable, Sendable {
    /// The random identifier of the log, 16 octets: sequence numbers begin again in another.
    public var log: [UInt8]
    /// The last sequence number of the log.
    public var last: UInt64
    /// The first sequence number that was requested.
    public var first: UInt64
    /// The records, earliest first.
    public var records: [StoredRecord]

    /// A part of a log.
    public init(log: [UInt8], last: UInt64, first: UInt64, records: [StoredRecord]) {
        self.log = log
        self.last = last
        self.first = first
        self.records = records
    }
}

extension EventDatabase {
    /// The length of a log's identifier in octets.
    private static let identifierCount = 16

    /// The identifier of the log. The first query creates it in a log of an earlier version.
    private func identity() throws(DiskFault) -> [UInt8] {
        if let identifier { return identifier }
        let found = try storedIdentity()
        identifier = found
        return found
    }

    private func storedIdentity() throws(DiskFault) -> [UInt8] {
        try connection.makeIdentityTable()
        if let found = try connection.logIdentifier() { return found }
        var random = SystemRandomSource()
        let fresh = random.octets(EventDatabase.identifierCount)
        try connection.setLogIdentifier(fresh)
        return fresh
    }

    /// Returns the records from a sequence number on, up to `limit`.
    func slice(from first: UInt64, limit: Int) throws(DiskFault) -> LogSlice {
        var slice = LogSlice(log: try identity(), last: state.last, first: first, records: [])
        guard first <= state.last, limit > 0 else { return slice }
        let query = AuditQuery(first...AuditQuery.lastSequence, limit: limit, includesCleared: true)
        try connection.forEach(query) { (record) throws(DiskFault) in
            slice.records.append(record)
            return true
        }
        return slice
    }
}

extension Connection {
    /// Returns the identifier of the log; nil if it has none.
    func logIdentifier() throws(DiskFault) -> [UInt8]? {
        let row = try prepare("SELECT log FROM identity WHERE id = 1")
        defer { row.reset() }
        return try row.step() ? row.octets(0) : nil
    }

    /// Sets the identifier of a log without one.
    func setLogIdentifier(_ identifier: [UInt8]) throws(DiskFault) {
        try prepare("INSERT INTO identity (id, log) VALUES (1, ?1)").bind(1, identifier).run()
    }

    /// Creates the table of the identifier, which a log of an earlier version lacks.
    func makeIdentityTable() throws(DiskFault) {
        try execute(
            "CREATE TABLE IF NOT EXISTS identity (id INTEGER PRIMARY KEY CHECK (id = 1), log BLOB NOT NULL) STRICT")
    }
}
