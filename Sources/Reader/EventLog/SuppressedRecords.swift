// SPDX-License-Identifier: Apache-2.0

/// The events of one origin that are not recorded individually, counted by kind and command.
struct SuppressedRecords: Sendable {
    private struct Row {
        var kind: AuditKind
        var command: String
        var count: Int32
    }

    /// The kinds that the detail of the record can name; more are only part of the sum.
    private static let rowLimit = 4

    private var rows: [Row] = []
    private var total: Int32 = 0

    var isEmpty: Bool { total == 0 }

    /// Counts an event.
    mutating func add(_ event: AuditEvent) {
        total = SuppressedRecords.next(total)
        if let index = rows.firstIndex(where: { $0.kind == event.kind && $0.command == event.command }) {
            rows[index].count = SuppressedRecords.next(rows[index].count)
        } else if rows.count < SuppressedRecords.rowLimit {
            rows.append(Row(kind: event.kind, command: event.command, count: 1))
        }
    }

    private static func next(_ count: Int32) -> Int32 { count == .max ? .max : count + 1 }

    /// The record of the count. `newest` is the last event.
    func record(of origin: RecordOrigin, newest: AuditEvent, at time: AuditTime) -> AuditEvent {
        switch origin {
        case .strangers: AuditEvent(.unprovenSuppressed, at: time, info: total)
        case .refusal:
            AuditEvent(
                .denialsSuppressed, at: time, info: total, channel: newest.channel, credential: newest.credential,
                command: newest.command, actor: newest.actor, detail: "\(newest.kind.name) \(newest.info)")
        case .input, .reader, .allOrders, .allOpenings:
            AuditEvent(.recordsSuppressed, at: time, info: total, channel: newest.channel, detail: summary)
        case .questions(let party), .orders(let party), .openings(let party):
            AuditEvent(
                .recordsSuppressed, at: time, info: total, channel: newest.channel, credential: newest.credential,
                actor: newest.credential.isEmpty ? String(party.name) : newest.actor, detail: summary)
        }
    }

    /// `command lock 71936, configuration-changed 3`.
    private var summary: String {
        rows.map { row in
            "\(row.kind.name)\(row.command.isEmpty ? "" : " ")\(row.command)\(rows.count > 1 ? " \(row.count)" : "")"
        }.joined(separator: ", ")
    }
}
