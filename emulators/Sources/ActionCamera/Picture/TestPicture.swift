// SPDX-License-Identifier: Apache-2.0

/// A moving test picture in 4:2:0 planes, with its frame number, time, clock and recording state burnt in.
///
/// Drawing a frame redraws only the moving parts, and allocates nothing. The frame number appears as digits, and as a
/// bar code for programs: cells of 2 by 2 units from (2, 1) on, white, black, the 20 low bits of the number, most
/// significant first, and a cell that makes the number of white ones of the 20 even. A unit is 1/54 of the height.
public struct TestPicture: Sendable {
    /// The bits of the bar code's number.
    public static let codeBits = 20
    /// The frames after which the movement repeats.
    public static let period = 300

    /// The text of a frame.
    public struct Caption: Equatable, Sendable {
        /// The frame number.
        public var frame: Int
        /// The presentation time in milliseconds; nil for none.
        public var milliseconds: Int?
        /// The clock in milliseconds of the day; nil for none.
        public var clock: Int?
        /// True if the camera records.
        public var isRecording: Bool

        /// A text.
        public init(frame: Int, milliseconds: Int? = nil, clock: Int? = nil, isRecording: Bool = false) {
            self.frame = frame
            self.milliseconds = milliseconds
            self.clock = clock
            self.isRecording = isRecording
        }
    }

    /// The width in pixels, even.
    public let width: Int
    /// The height in pixels, even.
    public let height: Int
    /// The luminance, a row after the other.
    public private(set) var luminance: [UInt8]
    /// The blue difference, half as wide and high.
    public private(set) var blue: [UInt8]
    /// The red difference, half as wide and high.
    public private(set) var red: [UInt8]

    private let unit: Int
    private let scale: Int
    private var boxAt: Int?

    /// The background, for pictures of this size.
    public init(width: Int, height: Int) {
        self.width = width & ~1
        self.height = height & ~1
        luminance = [UInt8](repeating: 16, count: self.width * self.height)
        blue = [UInt8](repeating: 128, count: self.width * self.height / 4)
        red = blue
        unit = max(2, height / 54)
        scale = max(1, height / 108)
        drawBackground()
    }

    /// The edge of a cell of the bar code, and the left and the upper border of the first.
    public var code: (cell: Int, left: Int, top: Int) { (2 * unit, 2 * unit, unit) }

    /// The planes: luminance, blue and red difference.
    public func withPlanes<Result>(
        _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        luminance.withUnsafeBufferPointer { first in
            blue.withUnsafeBufferPointer { second in
                red.withUnsafeBufferPointer { third in body(first, second, third) }
            }
        }
    }

    // MARK: - Drawing

    /// Draws a frame.
    public mutating func draw(_ caption: Caption) {
        drawCode(caption.frame)
        drawBox(caption.frame)
        let left = 4 * unit
        text("FRAME ", left, 15 * unit)
        number(caption.frame, digits: 8, left + 6 * advance, 15 * unit)
        if let milliseconds = caption.milliseconds { drawTime(milliseconds, left, 21 * unit) }
        if let clock = caption.clock { drawClock(clock, left, 27 * unit) }
        drawState(caption.isRecording)
    }

    private var advance: Int { 6 * scale }

    private mutating func drawBackground() {
        let bars: [(UInt8, UInt8, UInt8)] = [
            (180, 128, 128), (162, 44, 142), (131, 156, 44), (112, 72, 58), (84, 184, 198), (65, 100, 212),
            (35, 212, 114), (60, 128, 128),
        ]
        for (index, bar) in bars.enumerated() {
            let left = width * index / bars.count & ~1, right = width * (index + 1) / bars.count & ~1
            fill(left, 4 * unit, right - left, 34 * unit, bar)
        }
        fill(2 * unit, 6 * unit, min(width - 4 * unit, 66 * unit), 27 * unit, TestPicture.panel)
        text("BANDIT", 4 * unit, 8 * unit)
    }

    private static let panel: (UInt8, UInt8, UInt8) = (28, 128, 128)

    private mutating func drawCode(_ frame: Int) {
        var ones = 0
        let (cell, left, top) = code
        for index in 0..<TestPicture.codeBits + 3 {
            let isWhite: Bool
            switch index {
            case 0: isWhite = true
            case 1: isWhite = false
            case TestPicture.codeBits + 2: isWhite = !ones.isMultiple(of: 2)
            default:
                isWhite = frame >> (TestPicture.codeBits + 1 - index) & 1 == 1
                if isWhite { ones += 1 }
            }
            fill(left + index * cell, top, cell, cell, (isWhite ? 235 : 16, 128, 128))
        }
    }

    private mutating func drawBox(_ frame: Int) {
        let edge = 8 * unit, room = width - edge, half = TestPicture.period / 2
        let step = frame % TestPicture.period
        let x = room * (step < half ? step : TestPicture.period - step) / half & ~1
        if let boxAt { fill(boxAt, 41 * unit, edge, edge, (16, 128, 128)) }
        fill(x, 41 * unit, edge, edge, (145, 54, 34))
        boxAt = x
    }

    private mutating func drawTime(_ milliseconds: Int, _ left: Int, _ top: Int) {
        text("PTS ", left, top)
        number(milliseconds / 1000, digits: 6, left + 6 * advance, top)
        text(".", left + 12 * advance, top)
        number(milliseconds % 1000, digits: 3, left + 13 * advance, top)
    }

    private mutating func drawClock(_ clock: Int, _ left: Int, _ top: Int) {
        text("TIME ", left, top)
        let seconds = clock / 1000
        for (index, part) in [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].enumerated() {
            number(part, digits: 2, left + (6 + 3 * index) * advance, top)
            text(index < 2 ? ":" : ".", left + (8 + 3 * index) * advance, top)
        }
        number(clock % 1000, digits: 3, left + 15 * advance, top)
    }

    private mutating func drawState(_ isRecording: Bool) {
        let left = 4 * unit + 11 * advance
        text(isRecording ? "REC" : "   ", left, 8 * unit)
        let mark: (UInt8, UInt8, UInt8) = isRecording ? (82, 90, 240) : TestPicture.panel
        fill(left - 8 * scale & ~1, 8 * unit & ~1, 6 * scale & ~1, 6 * scale & ~1, mark)
    }

    // MARK: - Text

    private mutating func text(_ text: StaticString, _ left: Int, _ top: Int) {
        text.withUTF8Buffer { octets in
            for (index, octet) in octets.enumerated() { glyph(octet, left + index * advance, top) }
        }
    }

    private mutating func number(_ value: Int, digits: Int, _ left: Int, _ top: Int) {
        var rest = max(0, value)
        for index in (0..<digits).reversed() {
            glyph(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10), left + index * advance, top)
            rest /= 10
        }
    }

    private mutating func glyph(_ octet: UInt8, _ left: Int, _ top: Int) {
        let glyph = Glyphs.rows(octet)
        guard left >= 0, top >= 0, left + 5 * scale <= width, top + 7 * scale <= height else { return }
        for row in 0..<7 {
            let bits = UInt8(truncatingIfNeeded: glyph >> UInt64((6 - row) * 5) & 0x1F)
            let first = (top + row * scale) * width + left
            for column in 0..<5 * scale {
                luminance[first + column] = bits >> (4 - column / scale) & 1 == 1 ? 235 : 28
            }
            TestPicture.repeatRow(&luminance, first, count: 5 * scale, rows: scale, width: width)
        }
    }

    private mutating func fill(_ left: Int, _ top: Int, _ wide: Int, _ high: Int, _ colour: (UInt8, UInt8, UInt8)) {
        let right = min(width, left + wide), bottom = min(height, top + high)
        guard left >= 0, top >= 0, left < right, top < bottom else { return }
        TestPicture.fill(&luminance, left..<right, top..<bottom, width: width, colour.0)
        let columns = left / 2..<right / 2, rows = top / 2..<bottom / 2
        TestPicture.fill(&blue, columns, rows, width: width / 2, colour.1)
        TestPicture.fill(&red, columns, rows, width: width / 2, colour.2)
    }

    private static func fill(
        _ plane: inout [UInt8], _ columns: Range<Int>, _ rows: Range<Int>, width: Int, _ value: UInt8
    ) {
        guard !columns.isEmpty, !rows.isEmpty else { return }
        let first = rows.lowerBound * width + columns.lowerBound
        for index in first..<first + columns.count { plane[index] = value }
        repeatRow(&plane, first, count: columns.count, rows: rows.count, width: width)
    }

    /// Copies a part of a row into the rows below it.
    private static func repeatRow(_ plane: inout [UInt8], _ first: Int, count: Int, rows: Int, width: Int) {
        plane.withUnsafeMutableBytes { octets in
            let source = UnsafeRawBufferPointer(rebasing: octets[first..<first + count])
            for row in 1..<max(1, rows) {
                let start = first + row * width
                UnsafeMutableRawBufferPointer(rebasing: octets[start..<start + count]).copyMemory(from: source)
            }
        }
    }
}
