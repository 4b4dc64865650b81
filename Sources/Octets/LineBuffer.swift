// SPDX-License-Identifier: Apache-2.0

/// Splits received octets into lines. After a line beyond the limit, no further data is accepted.
public struct LineBuffer {
    private var octets: [UInt8] = []
    /// The number of octets already searched for a line feed.
    private var searched = 0
    private let limit: Int
    /// The number of octets of the lines that were returned.
    public private(set) var consumed = 0
    /// True after a line beyond the limit.
    public private(set) var isTooLong = false

    /// Creates a splitter for lines of at most `limit` octets, without the line feed.
    public init(limit: Int) { self.limit = limit }

    /// Adds received octets.
    public mutating func append(_ piece: some Collection<UInt8>) {
        guard !isTooLong else { return }
        octets.append(contentsOf: piece)
    }

    /// Returns the next complete line, without its line feed and a carriage return before it; nil if the buffer has no
    /// complete line.
    public mutating func next() -> [UInt8]? {
        guard !isTooLong else { return nil }
        guard let end = octets[searched...].firstIndex(of: 0x0A) else {
            searched = octets.count
            if searched > limit + 1 { fail() }
            return nil
        }
        var line = Array(octets[..<end])
        octets.removeFirst(end + 1)
        consumed += end + 1
        searched = 0
        if line.last == 0x0D { line.removeLast() }
        guard line.count <= limit else {
            fail()
            return nil
        }
        return line
    }

    private mutating func fail() {
        isTooLong = true
        octets = []
        searched = 0
    }
}
