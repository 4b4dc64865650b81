// SPDX-License-Identifier: Apache-2.0

/// A size of QR symbols with a level of error correction (ISO/IEC 18004, 7.5.1, tables 7 and 9), versions 1 to 6. All
/// blocks of such a symbol have the same length.
struct QRCapacity: Equatable {
    /// The level of error correction.
    enum Level: Int {
        /// Corrects about 7 % of the codewords.
        case low = 1
        /// Corrects about 15 % of the codewords.
        case medium = 0
    }

    let version: Int
    let level: Level
    /// The data codewords of all blocks.
    let dataCount: Int
    /// The error correction codewords of each block.
    let correctionCount: Int
    let blockCount: Int

    /// The modules of a side.
    var side: Int { 17 + 4 * version }
    /// The center of the alignment pattern on both axes; nil for version 1, which has none.
    var alignmentCenter: Int? { version == 1 ? nil : side - 7 }

    /// All of a level, smallest first.
    static func all(_ level: Level) -> [QRCapacity] {
        let rows: [(data: Int, correction: Int, blocks: Int)] =
            switch level {
            case .low: [(19, 7, 1), (34, 10, 1), (55, 15, 1), (80, 20, 1), (108, 26, 1), (136, 18, 2)]
            case .medium: [(16, 10, 1), (28, 16, 1), (44, 26, 1), (64, 18, 2), (86, 24, 2), (108, 16, 4)]
            }
        return rows.enumerated().map { index, row in
            QRCapacity(
                version: index + 1, level: level, dataCount: row.data, correctionCount: row.correction,
                blockCount: row.blocks)
        }
    }

    /// The smallest of the level for a number of data bits, of the lower level if none has room; nil above version 6.
    static func smallest(forBits count: Int) -> QRCapacity? {
        (all(.medium) + all(.low)).first { $0.dataCount * 8 >= count }
    }
}
