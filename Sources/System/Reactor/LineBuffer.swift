// SPDX-License-Identifier: Apache-2.0

/// Splits received octets into lines. After a line beyond the limit, no further data is accepted. Octets of lines that
/// were returned are overwritten.
public struct LineBuffer: ~Copyable {
    private var octets = WipedQueue()
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
    public mutating func append(_ piece: Span<UInt8>) {
        guard !isTooLong else { return }
        piece.withUnsafeBytes { octets.append($0) }
    }

    /// Adds what `body` writes into `room` octets; it returns their number, or a negative one. Returns that number.
    mutating func write(room: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int64) -> Int64 {
        let written = octets.write(room: room, body)
        if isTooLong { octets.removeFirst(octets.count) }
        return written
    }

    /// Returns the next complete line, without its line feed and a carriage return before it; nil if the buffer has no
    /// complete line. A line that may have a secret is the caller's to wipe.
    public mutating func next() -> [UInt8]? {
        guard !isTooLong else { return nil }
        let content = octets.octets
        guard let end = content[searched...].firstIndex(of: 0x0A) else {
            searched = content.count
            if searched > limit + 1 { fail() }
            return nil
        }
        let length = end > 0 && content[end - 1] == 0x0D ? end - 1 : end
        let line = length <= limit ? Array(content[..<length]) : nil
        octets.removeFirst(end + 1)
        consumed += end + 1
        searched = 0
        if line == nil { fail() }
        return line
    }

    private mutating func fail() {
        isTooLong = true
        octets.removeFirst(octets.count)
        searched = 0
    }
}
