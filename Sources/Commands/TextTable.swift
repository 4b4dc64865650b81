// SPDX-License-Identifier: Apache-2.0

/// Tables as lines of text.
public enum TextTable {
    /// Aligns columns to their widest cell: the first ones to the left, numbers to the right.
    ///
    /// - Parameter leading: the number of columns of words.
    public static func aligned(_ rows: [[String]], leading: Int = 1) -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            row.enumerated()
                .map { column, cell in
                    let padding = String(repeating: " ", count: widths[column] - cell.count)
                    return column < leading ? cell + padding : padding + cell
                }
                .joined(separator: "  ")
        }
    }

    /// Aligns all columns to the left, without spaces at the ends of the lines.
    public static func words(_ rows: [[String]]) -> [String] { aligned(rows, leading: .max).map(trimmed) }

    /// The line without the spaces at its end.
    public static func trimmed(_ line: String) -> String { String(line.reversed().drop { $0 == " " }.reversed()) }
}
