// SPDX-License-Identifier: Apache-2.0

/// Suggestions for misspelt names.
enum NearestName {
    /// Returns the candidate that `name` may stand for: the same name in another table, or a name with few different
    /// characters; nil if no candidate is similar.
    static func find(_ name: String, in candidates: [String]) -> String? {
        let wanted = normalized(name)
        let last = lastPart(wanted)
        let moved = candidates.filter { lastPart($0) == last }
        if moved.count == 1 { return moved[0] }
        // Up to a third of the characters may be wrong; beyond that it is a guess.
        let limit = max(2, wanted.utf8.count / 3)
        let nearest = candidates.map { ($0, distance(wanted, $0)) }.min { $0.1 < $1.1 }
        guard let (candidate, changes) = nearest, changes <= limit else { return nil }
        return candidate
    }

    /// Other files use capitals and underscores.
    private static func normalized(_ name: String) -> String {
        String(name.lowercased().map { $0 == "_" ? "-" : $0 })
    }

    private static func lastPart(_ name: String) -> Substring {
        name.split(separator: ".", omittingEmptySubsequences: false).last ?? ""
    }

    /// Returns the number of octets to be inserted, removed or replaced (Levenshtein distance).
    static func distance(_ left: String, _ right: String) -> Int {
        let target = Array(right.utf8)
        var row = Array(0...target.count)
        for (number, octet) in left.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = number + 1
            for column in target.indices {
                let replaced = diagonal + (octet == target[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[target.count]
    }
}
