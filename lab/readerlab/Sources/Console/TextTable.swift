// SPDX-License-Identifier: Apache-2.0

import Emulation
import Statistics

/// Tables as lines of text.
package enum TextTable {
    /// Aligns columns to their widest cell: the first ones to the left, numbers to the right.
    ///
    /// - Parameter leading: the number of columns of words.
    package static func aligned(_ rows: [[String]], leading: Int = 1) -> [String] {
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
    package static func words(_ rows: [[String]]) -> [String] {
        aligned(rows, leading: .max).map(TextColumn.trimmed)
    }

    /// The rounded percentile; for nil the measurements were too few.
    package static func percentile(_ value: Double?, _ decimals: Int) -> String {
        value.map { DecimalText.of($0, decimals) } ?? Quantile.tooFew
    }
}
