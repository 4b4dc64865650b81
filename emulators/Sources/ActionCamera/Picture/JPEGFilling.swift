// SPDX-License-Identifier: Apache-2.0

/// Comments that make a JPEG file longer (ITU-T T.81, B.2.4.5), so that the size of a photo is known before it is
/// drawn.
public enum JPEGFilling {
    /// The longest comment: its marker, and 65,535 octets.
    private static let longest = 65_537

    /// The file with so many octets; nil if it has more.
    public static func fill(_ jpeg: [UInt8], to count: Int) -> [UInt8]? {
        guard jpeg.count >= 2, jpeg.count <= count else { return nil }
        var octets: [UInt8] = []
        octets.reserveCapacity(count)
        octets += jpeg[..<2]
        var left = count - jpeg.count
        // Fewer octets than a comment needs are fill octets of the next marker (B.1.1.2).
        if left < 4 {
            octets += [UInt8](repeating: 0xFF, count: left)
            left = 0
        }
        while left > 0 {
            var part = min(left, longest)
            if (1..<4).contains(left - part) { part -= 4 }
            octets += [0xFF, 0xFE, UInt8((part - 2) >> 8), UInt8((part - 2) & 0xFF)]
            octets += [UInt8](repeating: 0, count: part - 4)
            left -= part
        }
        return octets + jpeg[2...]
    }
}
