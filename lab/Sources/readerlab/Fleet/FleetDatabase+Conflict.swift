// SPDX-License-Identifier: Apache-2.0

import EventStore
import Fleet
import JSON
import Reader

/// Batches that do not agree with what is stored: of a log that was altered, or set back to an older copy.
extension FleetDatabase {
    /// Notes the first event of a batch that is stored with other contents.
    ///
    /// - Returns: its number, or the batch's last if the chain there is another; nil if the batch agrees.
    func conflict(_ batch: EventBatch, received: Int64) throws(DiskFault) -> UInt64? {
        guard let (sequence, document) = try difference(batch) else { return nil }
        try connection.prepare(
            "INSERT OR IGNORE INTO conflict (device, log, sequence, received, document) VALUES (?1, ?2, ?3, ?4, ?5)"
        ).bind(1, batch.device).bind(2, batch.log.description).bind(3, Int64(clamping: sequence)).bind(4, received)
            .bind(5, document).run()
        return sequence
    }

    private func difference(_ batch: EventBatch) throws(DiskFault) -> (sequence: UInt64, document: String)? {
        let begin = batch.gap.map { $0.upperBound + 1 } ?? batch.first
        let rows = try connection.prepare(
            "SELECT sequence, document FROM event WHERE device = ?1 AND log = ?2 AND sequence BETWEEN ?3 AND ?4"
        ).bind(1, batch.device).bind(2, batch.log.description).bind(3, Int64(clamping: begin))
            .bind(4, Int64(clamping: batch.last))
        defer { rows.reset() }
        while try rows.step() {
            let sequence = UInt64(clamping: rows.integer(0))
            let document = batch.events[Int(sequence - begin)]
            // A record that has been damaged since is no other event.
            if document != rows.text(1), !FleetDatabase.isDamaged(document) { return (sequence, document) }
        }
        let log = try connection.prepare("SELECT chain FROM log WHERE device = ?1 AND log = ?2 AND mark = ?3")
            .bind(1, batch.device).bind(2, batch.log.description).bind(3, Int64(clamping: batch.last))
        defer { log.reset() }
        guard try log.step(), log.text(0) != batch.chain else { return nil }
        return (batch.last, "{\"chain\":\(JSONObject.quoted(batch.chain))}")
    }

    private static func isDamaged(_ document: String) -> Bool {
        (try? JSONParser.parse(Array(document.utf8)))?["kind"]?.content == .string("damaged")
    }
}
