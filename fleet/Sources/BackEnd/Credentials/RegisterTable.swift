// SPDX-License-Identifier: Apache-2.0

import Commands
import JSON
import Octets
public import Timekeeping

/// The issued credentials of a register as a table, or as JSON.
public struct RegisterTable {
    /// A row: an issued token with its state.
    private struct Row {
        var issue: CredentialRegister.Issue
        var state: String
        /// The days until the end; nil without an end, and after it.
        var days: Int64?
    }

    private let register: CredentialRegister
    private let now: CivilTime
    private let rows: [Row]

    /// The table where the reader's clock shows `now`. `days` selects the tokens that end within so many days.
    public init(_ register: CredentialRegister, now: CivilTime, endsWithin days: Int64? = nil) {
        (self.register, self.now) = (register, now)
        let all = register.issued.map { RegisterTable.row($0, register, now) }
        rows = days.map { limit in all.filter { $0.days.map { $0 <= limit } ?? false } } ?? all
    }

    private static func row(
        _ issue: CredentialRegister.Issue, _ register: CredentialRegister, _ now: CivilTime
    ) -> Row {
        let text = LocalMinute.text(now)
        let end = issue.to.flatMap { LocalMinute.parse($0[...]) }
        let rest = end.map { $0.epochSeconds - now.epochSeconds }
        let days = rest.flatMap { $0 < 0 ? nil : $0 / 86_400 }
        if let revocation = register.revocation(of: issue.credential), !revocation.isOver(at: text) {
            return Row(issue: issue, state: "revoked" + (revocation.until.map { " until \($0)" } ?? ""))
        }
        if let rest, rest < 0 { return Row(issue: issue, state: "ended") }
        if let from = issue.from, from > text { return Row(issue: issue, state: "not yet", days: days) }
        return Row(issue: issue, state: days.map { "ends in \($0) d" } ?? "without an end", days: days)
    }

    /// The lines of the table; one line of text without a row.
    public func lines(isSelection: Bool) -> [String] {
        guard !rows.isEmpty else {
            return [isSelection ? "no credential ends within this time" : "no credential was issued yet"]
        }
        let titles = ["credential", "holder", "reader", "for", "from", "to", "state"]
        var lines = RegisterTable.aligned(
            [titles]
                + rows.map {
                    [
                        $0.issue.credential, $0.issue.holder ?? "-", $0.issue.reader, $0.issue.purpose,
                        $0.issue.from ?? "-", $0.issue.to ?? "-", $0.state,
                    ]
                })
        let others = register.inForce(at: LocalMinute.text(now)).filter { !register.knows($0.credential) }
        if !isSelection, !others.isEmpty {
            lines.append("revoked, and not issued here: " + others.map(\.credential).joined(separator: ", "))
        }
        return lines
    }

    /// The table as a JSON object on one line.
    public var json: String {
        let issued = rows.map { row in
            var object = JSONObject()
            object.add("credential", row.issue.credential)
            if let holder = row.issue.holder { object.add("holder", holder) }
            object.add("reader", row.issue.reader)
            object.add("kind", row.issue.kind)
            if let command = row.issue.command { object.add("command", command) }
            if let from = row.issue.from { object.add("from", from) }
            if let to = row.issue.to { object.add("to", to) }
            object.add("issued", row.issue.at)
            object.add("state", row.state)
            if let days = row.days { object.add("ends-in-days", days) }
            return object
        }
        let revoked = register.inForce(at: LocalMinute.text(now)).map { revocation in
            var object = ["credential": revocation.credential] as JSONObject
            if let holder = register.holder(of: revocation.credential) { object.add("holder", holder) }
            if let until = revocation.until { object.add("until", until) }
            object.add("at", revocation.at)
            return object
        }
        return (["issued": issued, "revoked": revoked] as JSONObject).text.onOneLine
    }

    /// The cells in columns to the left, printable characters only.
    static func aligned(_ rows: [[String]]) -> [String] {
        TextTable.words(rows.map { $0.map(\.printable) })
    }
}
