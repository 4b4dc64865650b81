/// Splits received octets into lines. A line beyond the limit ends it.
struct ControlLines {
    private var octets: [UInt8] = []
    /// Up to where there is known to be no line feed.
    private var searched = 0
    private let limit: Int
    /// A line was too long; no further data is accepted.
    private(set) var isTooLong = false

    /// Lines of at most `limit` octets, the line feed not counted.
    init(limit: Int) { self.limit = limit }

    /// Adds what came.
    mutating func append(_ piece: some Collection<UInt8>) {
        guard !isTooLong else { return }
        octets.append(contentsOf: piece)
    }

    /// The next whole line, without its line feed, nor a carriage return before it; nil if there is none so far.
    mutating func next() -> [UInt8]? {
        guard !isTooLong else { return nil }
        guard let end = octets[searched...].firstIndex(of: 0x0A) else {
            searched = octets.count
            if searched > limit + 1 { fail() }
            return nil
        }
        var line = Array(octets[..<end])
        octets.removeFirst(end + 1)
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
