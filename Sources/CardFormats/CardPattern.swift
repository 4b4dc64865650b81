// SPDX-License-Identifier: Apache-2.0

extension CardFormat {
    /// A pattern that is no layout.
    public enum PatternFault: Error, Equatable, Sendable {
        /// No line, an empty one, or one of more than `bitLimit` bits.
        case length
        /// The line, counted from 1, has another length than the first.
        case uneven(line: Int)
        /// The line, counted from 1, has a character that its kind of line does not take.
        case character(Character, line: Int)
        /// No `N`, or more than `fieldLimit` times `N` or `F`.
        case fields
        /// The parity line, counted from 1, has not exactly one `E` or `O`, or has it on a bit without `P` or of
        /// another parity.
        case parity(line: Int)
        /// A `P` has no parity line.
        case unset
    }

    /// A layout as a site writes it: lines of one character for each bit, the first bit first.
    ///
    /// The first line has `F` for the facility code, `N` for the number, `P` for a parity, `0` and `1` for bits that
    /// are the same on every card. Each further line is a parity, in the order in which they are set: `E` (even) or `O`
    /// (odd) at its bit, `X` for each bit that is counted, `.` for others. H10301 is
    ///
    ///     PFFFFFFFFNNNNNNNNNNNNNNNNP
    ///     EXXXXXXXXXXXX.............
    ///     .............XXXXXXXXXXXXO
    public init(pattern lines: [String]) throws(PatternFault) {
        let rows = lines.map(Array.init)
        guard let fields = rows.first, (1...CardFormat.bitLimit).contains(fields.count) else { throw .length }
        if let uneven = rows.firstIndex(where: { $0.count != fields.count }) { throw .uneven(line: uneven + 1) }
        if let odd = fields.first(where: { !"FNP01".contains($0) }) { throw .character(odd, line: 1) }
        let (facility, number) = (fields.places(of: "F"), fields.places(of: "N"))
        guard !number.isEmpty, number.count <= CardFormat.fieldLimit, facility.count <= CardFormat.fieldLimit else {
            throw .fields
        }
        var open = Set(fields.places(of: "P"))
        var parities: [Parity] = []
        for (line, row) in zip(2..., rows.dropFirst()) {
            if let odd = row.first(where: { !"EOX.".contains($0) }) { throw .character(odd, line: line) }
            let bits = row.indices.filter { "EO".contains(row[$0]) }
            guard bits.count == 1, open.remove(bits[0]) != nil else { throw .parity(line: line) }
            parities.append(Parity(bit: bits[0], over: row.places(of: "X"), isOdd: row[bits[0]] == "O"))
        }
        guard open.isEmpty else { throw .unset }
        self.init(fields.count, facility: facility, number: number, ones: fields.places(of: "1"), parities)
    }
}

extension [Character] {
    fileprivate func places(of character: Character) -> [Int] { indices.filter { self[$0] == character } }
}
