// SPDX-License-Identifier: Apache-2.0

import Crypto
import Reader

/// A log that was renamed because it could not be used, and the records that were taken over from it.
struct ReplacedLog {
    /// Its new name in the state directory.
    let name: String
    /// The reason: `damaged` or `laterVersion`.
    let fault: DiskFault
    let path: String
    /// The number of records taken over.
    private(set) var kept = 0

    /// The number of unreadable records in a row after which no more are expected: more than a page of the tree has.
    private static let gapLimit = 4096

    init(name: String, fault: DiskFault, path: String) {
        (self.name, self.fault, self.path) = (name, fault, path)
    }

    private var cause: String { fault == .laterVersion ? "is of a later version" : "was damaged" }

    /// The detail of the event.
    var detail: String { "the file \(cause)" }

    /// The loss in one line.
    var summary: String { "the file \(cause), and renamed to \(name); \(kept) records were taken over" }

    /// Copies the readable records that this device wrote to a new log. Records of a later version are not understood.
    /// A failure leaves the new log empty.
    mutating func restore(to log: Connection, _ key: AuditKey, head: HeadFile.Contents) {
        guard fault == .damaged else { return }
        do throws(DiskFault) {
            let former = try Connection(path: path, .reading)
            try former.execute("PRAGMA cell_size_check=ON; PRAGMA cache_size=-256")
            var records = RestoredRecords(key, checkpoint: try? former.checkpoint(), head: head)
            kept = try log.transaction { () throws(DiskFault) in
                try ReplacedLog.read(former) { (stored) throws(DiskFault) in try records.restore(stored, log) }
                let kept = try records.finish(log)
                // The fleet continues with this log.
                if kept > 0, let identifier = try? former.logIdentifier() {
                    try log.makeIdentityTable()
                    try log.setLogIdentifier(identifier)
                }
                return kept
            }
        } catch {
            kept = 0
        }
    }

    /// Calls `body` with each record that can be read, earliest first. A page that cannot be read hides some records,
    /// and then those behind it are found by their numbers.
    private static func read(
        _ former: Connection, _ body: (StoredRecord) throws(DiskFault) -> Void
    ) throws(DiskFault) {
        let rows = try former.prepare(
            "SELECT sequence, kind, record, chain FROM event WHERE sequence >= ?1 ORDER BY sequence")
        var (next, gap): (UInt64, Int) = (0, 0)
        while gap < gapLimit, next <= AuditQuery.lastSequence {
            rows.reset()
            try rows.bind(1, Int64(clamping: next))
            while true {
                let stored: StoredRecord
                do throws(DiskFault) {
                    guard try rows.step() else { return rows.reset() }
                    stored = StoredRecord(rows)
                } catch {
                    guard error == .damaged else { throw error }
                    break
                }
                // Rows of a damaged page may be in no order.
                guard stored.sequence >= next else { break }
                try body(stored)
                (next, gap) = (stored.sequence + 1, 0)
            }
            (next, gap) = (next + 1, gap + 1)
        }
        rows.reset()
    }
}

/// The records of a damaged log on their way into a new one: those that are authentic as the successor of the one
/// before.
private struct RestoredRecords {
    private let key: AuditKey
    private let head: ChainPlace?
    /// The place where the new log begins; nil until it is known.
    private var checkpoint: ChainPlace?
    /// The last readable record, authentic or not.
    private var last: StoredRecord?
    private var written = 0

    /// Starts with the previous checkpoint, if this device made it.
    init(_ key: AuditKey, checkpoint: ChainPlace?, head: HeadFile.Contents) {
        self.key = key
        if let checkpoint, (try? key.made(checkpoint, .checkpoint)) ?? false { self.checkpoint = checkpoint }
        self.head =
            if case .head(let place, _, _) = head, (try? key.made(place, .head)) ?? false { place } else { nil }
    }

    /// Handles the next readable record.
    mutating func restore(_ stored: StoredRecord, _ log: Connection) throws(DiskFault) {
        guard stored.record?.sequence == stored.sequence, stored.chain != nil,
            stored.sequence > last?.sequence ?? checkpoint?.sequence ?? 0
        else { return }
        if isSuccessor(stored) || isHead(stored) {
            // Of the record before a run, only the chain's value is authentic: a log without a checkpoint begins there.
            if checkpoint == nil, let last, let chain = last.chain {
                checkpoint = try EventDatabase.checkpoint(key, last.sequence, chain)
            }
            if checkpoint != nil, let chain = stored.chain {
                try log.insert(stored, chain)
                written += 1
            }
        }
        last = stored
    }

    /// Writes the checkpoint. Returns the number of records.
    func finish(_ log: Connection) throws(DiskFault) -> Int {
        if written > 0, let checkpoint { try log.write(checkpoint) }
        return written
    }

    /// True if this device wrote the record behind the last one. The notice of a loss may follow a gap.
    private func isSuccessor(_ stored: StoredRecord) -> Bool {
        guard let sequence = last?.sequence ?? checkpoint?.sequence, let chain = last?.chain ?? checkpoint?.chain,
            stored.sequence == sequence + 1 || stored.record?.event.kind == .logLost
        else { return false }
        return (try? key.value(after: chain, stored.octets.span)) == stored.chain
    }

    private func isHead(_ stored: StoredRecord) -> Bool {
        stored.sequence == head?.sequence && stored.chain == head?.chain
    }
}
