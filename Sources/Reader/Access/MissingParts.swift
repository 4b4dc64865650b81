// SPDX-License-Identifier: Apache-2.0

/// The parts that a board lacks to be the reader of a door, as shown by its light and its Bluetooth name.
///
/// A complete board shows neither sign: its name is the device identifier.
public struct MissingParts: OptionSet, Equatable, Hashable, Sendable {
    /// A bit for each part; the light shows the lowest one.
    public let rawValue: UInt8

    /// The parts with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The board's own identity. A board without one has the published demo identity.
    public static let identity = MissingParts(rawValue: 1)
    /// A lock: no line is configured for it.
    public static let lock = MissingParts(rawValue: 2)
    /// A working Bluetooth controller. Without one the board does not advertise, so only the light shows it.
    public static let controller = MissingParts(rawValue: 4)
    /// A network, where a phone can name one.
    public static let network = MissingParts(rawValue: 8)

    /// The number of flashes: the position of the first missing part in the order above, from 1; 0 if complete.
    public var flashes: Int { isEmpty ? 0 : rawValue.trailingZeroBitCount + 1 }

    /// The name that replaces the device identifier and is at most as long, such as “NEED IL”. Nil if no missing part
    /// can be shown to a phone.
    public var name: String? {
        let letters: [(part: MissingParts, letter: String)] = [(.identity, "I"), (.lock, "L"), (.network, "N")]
        let missing = letters.filter { contains($0.part) }.map(\.letter).joined()
        return missing.isEmpty ? nil : "NEED " + missing
    }
}
