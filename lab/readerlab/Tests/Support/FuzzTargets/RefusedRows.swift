// SPDX-License-Identifier: Apache-2.0

import Reader
import Timekeeping

/// The blacklist that the disk has acknowledged, as the test knows it, apart from the reader's own.
struct RefusedRows {
    private var ends: [String: CivilTime] = [:]
    /// True if a reader had no room for all of them, and has said so.
    private var isCut = false

    /// All rows, by name.
    var rows: [BlacklistRow] {
        ends.map { BlacklistRow(credential: $0.key, until: $0.value) }.sorted { $0.credential < $1.credential }
    }

    /// Some that were refused before the test began.
    mutating func add(_ row: BlacklistRow) { ends[row.credential] = row.until }

    /// A reader has begun with them.
    mutating func wereRestored(leftOut: Int) { isCut = leftOut > 0 }

    /// The change is on the disk.
    mutating func apply(_ change: BlacklistChange) {
        switch change {
        case .put(let rows): for row in rows { add(row) }
        case .remove(let names): for name in names { ends[name] = nil }
        case .replace(let rows):
            ends = [:]
            for row in rows { add(row) }
        case .clear: ends = [:]
        }
    }

    /// The credentials that are refused, whether or not the disk takes the changes that it has not answered. What was
    /// over by `reached` may be forgotten.
    func names(pending: [BlacklistChange], reached: Int64?) -> Set<String> {
        guard !isCut else { return [] }
        var after = self
        var names = inForce(reached)
        for change in pending {
            after.apply(change)
            names.formIntersection(after.inForce(reached))
        }
        return names
    }

    private func inForce(_ reached: Int64?) -> Set<String> {
        let now = reached.map { CivilTime(epochSeconds: $0) }
        return Set(ends.filter { RefusedRows.isInForce($0.value, at: now) }.keys)
    }

    /// A time that does not exist, or 1970-01-01, is for ever; a minute lasts through its last second.
    private static func isInForce(_ end: CivilTime, at now: CivilTime?) -> Bool {
        guard let now, end.isValid, end != CivilTime(year: 1970, month: 1, day: 1) else { return true }
        var last = end
        if last.second == 0 { last.second = 59 }
        return now <= last
    }
}
