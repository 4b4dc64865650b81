// SPDX-License-Identifier: Apache-2.0

/// The octets of one input, taken from the front. What decides comes first, so that an input that is cut still means
/// what it meant up to there.
struct FuzzInput {
    private let octets: [UInt8]
    private var position = 0

    init(_ octets: [UInt8]) {
        self.octets = octets
    }

    /// True if nothing is left.
    var isEmpty: Bool { position >= octets.count }

    /// The next octet; nil at the end.
    mutating func next() -> UInt8? {
        guard !isEmpty else { return nil }
        defer { position += 1 }
        return octets[position]
    }

    /// The next octet; 0 at the end.
    mutating func octet() -> UInt8 { next() ?? 0 }

    /// The next octet as a number below `limit`.
    mutating func number(below limit: Int) -> Int { Int(octet()) % limit }

    /// The next two octets, least significant first.
    mutating func word() -> UInt16 { UInt16(octet()) | UInt16(octet()) << 8 }

    /// A length and as many octets, or what is left. Lengths from 0xF0 mean 64 to 1024, in steps of 64.
    mutating func block() -> [UInt8] {
        let length = Int(octet())
        return consume(length < 0xF0 ? length : (length - 0xEF) * 64)
    }

    /// At most `count` octets.
    mutating func consume(_ count: Int) -> [UInt8] {
        let end = min(position + count, octets.count)
        defer { position = end }
        return Array(octets[position..<end])
    }

    /// All that is left.
    mutating func rest() -> [UInt8] { consume(octets.count - position) }
}
