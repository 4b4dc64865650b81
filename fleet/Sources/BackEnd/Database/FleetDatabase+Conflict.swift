// SPDX-License-Identifier: Apache-2.0

public import Fleet
import JSON

/// Batches that contradict the stored events: their log was altered, or restored from an older copy.
extension FleetDatabase {
    /// Records the first event of a batch that is stored with other contents.
    ///
    /// - Returns: its number, or the batch's last if the chain differs there; nil if the batch agrees.
    public func conflict(_ batch: EventBatch, received: Int64) throws(DatabaseFault) -> UInt64? {
        guard let (sequence, document) = try difference(batch) else { return nil }
        try engine.transaction { () throws(DatabaseFault) in
            let new = try engine.rows(
                "INSERT INTO conflict (device, log, sequence, received, document) VALUES (?1, ?2, ?3, ?4, ?5) "
                    + "ON CONFLICT DO NOTHING RETURNING sequence",
                [
                    .text(batch.device), .text(batch.log.description), .number(Int64(clamping: sequence)),
                    .number(received), .text(document),
                ]
            ) { _ in }.count
            try engine.run(
                "UPDATE reader SET conflicts = conflicts + ?2 WHERE device = ?1", .text(batch.device),
                .number(Int64(new)))
        }
        return sequence
    }

    private func difference(_ batch: EventBatch) throws(DatabaseFault) -> (sequence: UInt64, document: String)? {
        let begin = batch.gap.map { $0.upperBound + 1 } ?? batch.first
        let (device, log) = (DatabaseValue.text(batch.device), DatabaseValue.text(batch.log.description))
        let last = DatabaseValue.number(Int64(clamping: batch.last))
        let stored = try engine.rows(
            "SELECT sequence, document FROM event WHERE device = ?1 AND log = ?2 AND sequence BETWEEN ?3 AND ?4",
            [device, log, .number(Int64(clamping: begin)), last]
        ) { (sequence: UInt64(clamping: $0.number(0) ?? 0), document: $0.text(1)) }
        for (sequence, former) in stored.sorted(by: { $0.sequence < $1.sequence }) {
            let document = batch.events[Int(sequence - begin)]
            // A record that was damaged later is not another event.
            if document != former, !FleetDatabase.isDamaged(document) { return (sequence, document) }
        }
        let chains = try engine.rows(
            "SELECT chain FROM log WHERE device = ?1 AND log = ?2 AND mark = ?3", [device, log, last]
        ) { $0.text(0) }
        guard let chain = chains.first, chain != batch.chain else { return nil }
        return (batch.last, "{\"chain\":\(JSONObject.quoted(batch.chain))}")
    }

    private static func isDamaged(_ document: String) -> Bool {
        (try? JSONParser.parse(Array(document.utf8)))?["kind"]?.content == .string("damaged")
    }
}
