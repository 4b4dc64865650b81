// SPDX-License-Identifier: Apache-2.0

/// The frame of Apple's enhanced contactless polling that lets a phone select its credential without its user.
public enum AliroECP {
    /// The frame of a reader group, with its CRC_A.
    ///
    /// - Parameter isAuthenticated: true to request the authentication of the phone's user.
    public static func frame(_ identifier: AliroReader.Identifier, isAuthenticated: Bool = false) -> [UInt8] {
        var frame: [UInt8] = [0x6A, 0x02, isAuthenticated ? 0x8B : 0xCB, 0x02, 0x06, 0x20, 0x42, 0x20]
        frame += identifier.group.prefix(8)
        let checksum = checksum(frame)
        return frame + [UInt8(truncatingIfNeeded: checksum), UInt8(truncatingIfNeeded: checksum >> 8)]
    }

    /// CRC_A (ISO 14443-3, annex B), transmitted with its low octet first.
    static func checksum(_ octets: [UInt8]) -> UInt16 {
        var value: UInt16 = 0x6363
        for octet in octets {
            var mixed = octet ^ UInt8(truncatingIfNeeded: value)
            mixed ^= mixed << 4
            let wide = UInt16(mixed)
            value = value >> 8 ^ wide << 8 ^ wide << 3 ^ wide >> 4
        }
        return value
    }
}
