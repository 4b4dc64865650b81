// SPDX-License-Identifier: Apache-2.0

/// The modules of a symbol while it is drawn: function patterns, codewords, mask (ISO/IEC 18004, 6.3, 7.7 to 7.9).
struct QRModules {
    let capacity: QRCapacity
    private(set) var isDark: [Bool]
    /// The modules of function patterns and format information, which no mask changes.
    private var isFunction: [Bool]

    private var side: Int { capacity.side }

    /// The function patterns with `codewords`, without a mask.
    init(_ capacity: QRCapacity, codewords: [UInt8]) {
        self.capacity = capacity
        isDark = [Bool](repeating: false, count: capacity.side * capacity.side)
        isFunction = isDark
        drawFunctionPatterns()
        draw(codewords)
    }

    private mutating func setFunction(_ x: Int, _ y: Int, _ dark: Bool) {
        guard (0..<side).contains(x), (0..<side).contains(y) else { return }
        isDark[y * side + x] = dark
        isFunction[y * side + x] = true
    }

    private mutating func drawFunctionPatterns() {
        for index in 0..<side {
            setFunction(6, index, index % 2 == 0)
            setFunction(index, 6, index % 2 == 0)
        }
        // Finder patterns with their separators; the alignment pattern.
        for (x, y) in [(3, 3), (side - 4, 3), (3, side - 4)] { drawSquares(x, y, radius: 4) { $0 != 2 && $0 != 4 } }
        if let center = capacity.alignmentCenter { drawSquares(center, center, radius: 2) { $0 != 1 } }
        drawFormat(mask: 0)  // reserves its modules
    }

    /// Concentric squares, dark by their distance from the center.
    private mutating func drawSquares(_ x: Int, _ y: Int, radius: Int, _ isDark: (Int) -> Bool) {
        for right in -radius...radius {
            for down in -radius...radius { setFunction(x + right, y + down, isDark(max(abs(right), abs(down)))) }
        }
    }

    /// Level and mask with their BCH code, twice, and the dark module.
    private mutating func drawFormat(mask: Int) {
        let data = capacity.level.rawValue << 3 | mask
        var remainder = data
        for _ in 0..<10 { remainder = remainder << 1 ^ (remainder >> 9) * 0x537 }
        let bits = (data << 10 | remainder) ^ 0x5412
        for bit in 0..<15 {
            let dark = bits >> bit & 1 == 1
            switch bit {
            case ..<6: setFunction(8, bit, dark)
            case 6, 7: setFunction(8, bit + 1, dark)
            case 8: setFunction(7, 8, dark)
            default: setFunction(14 - bit, 8, dark)
            }
            if bit < 8 { setFunction(side - 1 - bit, 8, dark) } else { setFunction(8, side - 15 + bit, dark) }
        }
        setFunction(8, side - 8, true)
    }

    /// The free modules in the order of the codewords' bits: columns of two from the right, upwards and downwards.
    private var path: [Int] {
        var path: [Int] = []
        // The column of the vertical timing pattern is skipped.
        for (number, right) in (Array(stride(from: side - 1, to: 6, by: -2)) + [5, 3, 1]).enumerated() {
            for step in 0..<side {
                let y = number % 2 == 0 ? side - 1 - step : step
                for x in [right, right - 1] where !isFunction[y * side + x] { path.append(y * side + x) }
            }
        }
        return path
    }

    private mutating func draw(_ codewords: [UInt8]) {
        for (bit, index) in path.enumerated() where bit < codewords.count * 8 {
            isDark[index] = codewords[bit / 8] >> UInt8(7 - bit % 8) & 1 == 1
        }
    }

    /// The symbol with a mask, 0 to 7, and its format information.
    func masked(_ mask: Int) -> QRModules {
        var masked = self
        for y in 0..<side {
            for x in 0..<side where !isFunction[y * side + x] && QRModules.inverts(mask, x, y) {
                masked.isDark[y * side + x].toggle()
            }
        }
        masked.drawFormat(mask: mask)
        return masked
    }

    private static func inverts(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }

    /// The points against a symbol: runs, squares of one colour, false finder patterns, imbalance.
    var penalty: Int {
        let rows = (0..<side).map { y in (0..<side).map { isDark[y * side + $0] } }
        let columns = (0..<side).map { x in (0..<side).map { isDark[$0 * side + x] } }
        var penalty = (rows + columns).reduce(0) { $0 + QRModules.penalty(line: $1) }
        for y in 0..<side - 1 {
            for x in 0..<side - 1 {
                let same = rows[y][x]
                if rows[y][x + 1] == same, rows[y + 1][x] == same, rows[y + 1][x + 1] == same { penalty += 3 }
            }
        }
        let dark = isDark.count { $0 }
        return penalty + abs(dark * 20 - isDark.count * 10) / isDark.count * 10
    }

    private static func penalty(line: [Bool]) -> Int {
        var penalty = 0
        var run = 0
        for (index, dark) in line.enumerated() {
            run = index > 0 && line[index - 1] == dark ? run + 1 : 1
            if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
        }
        let finder = [true, false, true, true, true, false, true]
        let light = [Bool](repeating: false, count: 4)
        for pattern in [finder + light, light + finder] {
            for start in 0...line.count - pattern.count where line[start..<start + pattern.count].elementsEqual(pattern)
            {
                penalty += 40
            }
        }
        return penalty
    }
}
