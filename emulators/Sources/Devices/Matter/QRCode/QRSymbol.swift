// SPDX-License-Identifier: Apache-2.0

/// A QR symbol (ISO/IEC 18004) of a text in alphanumeric mode, as the onboarding codes of Matter are.
public struct QRSymbol: Equatable, Sendable {
    /// The light modules around the symbol.
    public static let quietZone = 4

    /// The modules of a side, without the quiet zone.
    public let side: Int
    /// The modules row by row.
    let modules: [Bool]

    /// The smallest symbol up to version 6 with error correction of level M, or L if M has no room.
    ///
    /// Returns nil for a character outside of digits, upper-case letters and ` $%*+-./:`, and for a text of more than
    /// 195 characters.
    public init?(_ text: String) {
        guard let values = QRCodewords.values(of: text),
            let capacity = QRCapacity.smallest(forBits: QRCodewords.bitCount(values.count))
        else { return nil }
        let codewords = QRCodewords.interleaved(QRCodewords.data(values, capacity), capacity)
        let drawn = QRModules(capacity, codewords: codewords)
        let masked = (0..<8).map { drawn.masked($0) }
        guard let best = masked.min(by: { $0.penalty < $1.penalty }) else { return nil }
        side = capacity.side
        modules = best.isDark
    }

    /// True for a dark module; all outside of the symbol are light.
    public func isDark(x: Int, y: Int) -> Bool {
        (0..<side).contains(x) && (0..<side).contains(y) && modules[y * side + x]
    }

    /// The symbol for a terminal, two modules a character, with its quiet zone.
    ///
    /// - Parameter isColoured: black on white by escape sequences, independent of the terminal's colours. Without them,
    ///   dark modules have the colour of the text.
    public func terminalText(isColoured: Bool) -> String {
        let range = -QRSymbol.quietZone..<side + QRSymbol.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { y in
            let line = range.map { x in
                switch (isDark(x: x, y: y), isDark(x: x, y: y + 1)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }.joined()
            return (isColoured ? "\u{1B}[30;107m" + line + "\u{1B}[0m" : line) + "\n"
        }.joined()
    }

    /// The symbol as an SVG document with its quiet zone, one unit a module.
    public var svg: String {
        let size = side + 2 * QRSymbol.quietZone
        var path = ""
        for y in 0..<side {
            var x = 0
            while x < side {
                guard isDark(x: x, y: y) else {
                    x += 1
                    continue
                }
                let start = x
                while isDark(x: x, y: y) { x += 1 }
                path += "M\(start + QRSymbol.quietZone),\(y + QRSymbol.quietZone)h\(x - start)v1h-\(x - start)z"
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size) \(size)" shape-rendering="crispEdges">\
            <rect width="\(size)" height="\(size)" fill="#fff"/><path d="\(path)"/></svg>

            """
    }
}
