// SPDX-License-Identifier: Apache-2.0

/// A frame of enhanced contactless polling, without its CRC: it announces the reader to phones that play a card.
public struct PollingFrame: Equatable, Sendable {
    /// The frame's first octet.
    private static let header: UInt8 = 0x6A
    /// The octets before those that a version 2 frame counts: header, version, configuration, type, subtype.
    private static let fixedCount = 5

    /// The octets, without CRC.
    public let octets: [UInt8]

    /// A frame in hexadecimal digits: `6A01` and 3 octets, or `6A02`, configuration, type, subtype, and as many octets
    /// as the lower half of the configuration says. Phones ignore any other.
    public init?(_ text: String) {
        var octets: [UInt8] = []
        var high: UInt8?
        for character in text {
            guard let digit = character.hexDigitValue.map({ UInt8($0) }) else { return nil }
            if let first = high {
                octets.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil, octets.count >= PollingFrame.fixedCount, octets[0] == PollingFrame.header else { return nil }
        switch octets[1] {
        case 1: guard octets.count == PollingFrame.fixedCount else { return nil }
        case 2: guard octets.count == PollingFrame.fixedCount + Int(octets[2] & 0x0F) else { return nil }
        default: return nil
        }
        self.octets = octets
    }
}
