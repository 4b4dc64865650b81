// SPDX-License-Identifier: Apache-2.0

/// The identifier by which a phone selects an application (ISO/IEC 7816-4, 12.2.3): 5 to 16 octets.
public struct ApplicationID: Hashable, Sendable, CustomStringConvertible {
    /// The octets.
    public let octets: [UInt8]

    /// The valid lengths; fewer than 5 octets name no provider.
    public static let counts = 5...16

    /// The identifier with these octets; nil for an invalid length.
    public init?(_ octets: [UInt8]) {
        guard ApplicationID.counts.contains(octets.count) else { return nil }
        self.octets = octets
    }

    /// The identifier in hexadecimal digits, without separators.
    public init?(_ text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, text.utf8.count == digits.count, digits.count.isMultiple(of: 2) else {
            return nil
        }
        self.init(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }

    /// The access application's default: F (not registered) and 0, then `readerd` in ASCII and the version 1.
    public static let access = ApplicationID(unchecked: [0xF0, 0x72, 0x65, 0x61, 0x64, 0x65, 0x72, 0x64, 0x01])
    /// The NDEF application (NFC Forum Type 4 Tag, 5.5).
    public static let ndef = ApplicationID(unchecked: [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01])

    private init(unchecked octets: [UInt8]) { self.octets = octets }

    /// Hexadecimal digits.
    public var description: String {
        octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
