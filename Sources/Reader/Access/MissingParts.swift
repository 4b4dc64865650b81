// SPDX-License-Identifier: Apache-2.0

/// The parts that a board lacks to be the reader of a door, as its light and its Bluetooth name tell them.
///
/// A board that lacks nothing has neither sign: its name is the device identifier.
public struct MissingParts: OptionSet, Equatable, Hashable, Sendable {
    /// A bit for each part; the lowest one is told by the light.
    public let rawValue: UInt8

    /// The parts with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// An identity of its own: it has the published demo identity.
    public static let identity = MissingParts(rawValue: 1)
    /// A lock: no line is configured for it.
    public static let lock = MissingParts(rawValue: 2)
    /// A Bluetooth controller that works. Without one nothing is on the air, so that the light alone tells it.
    public static let controller = MissingParts(rawValue: 4)
    /// A network, where a phone can name one.
    public static let network = MissingParts(rawValue: 8)

    /// The number of flashes: that of the first missing part, in the order above from 1; 0 for none.
    public var flashes: Int { isEmpty ? 0 : rawValue.trailingZeroBitCount + 1 }

    /// The name in place of the device identifier, such as “NEED IL”: at most as long. Nil if nothing is missing that a
    /// phone could be told.
    public var name: String? {
        let letters: [(part: MissingParts, letter: String)] = [(.identity, "I"), (.lock, "L"), (.network, "N")]
        let missing = letters.filter { contains($0.part) }.map(\.letter).joined()
        return missing.isEmpty ? nil : "NEED " + missing
    }
}
