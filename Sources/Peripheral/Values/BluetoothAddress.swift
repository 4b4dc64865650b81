// SPDX-License-Identifier: Apache-2.0

/// A Bluetooth device address with its kind (Core 5.4, Vol 6, Part B, 1.3).
public struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
    /// The type of an address in HCI (Core 5.4, Vol 4, Part E, 7.7.65.1).
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The octet in HCI packets.
        public var rawValue: UInt8
        /// The kind with this octet, known or not.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Assigned by the IEEE.
        public static let `public` = Kind(rawValue: 0x00)
        /// Static, resolvable or non-resolvable private.
        public static let random = Kind(rawValue: 0x01)
        /// A public identity that the controller resolved.
        public static let publicIdentity = Kind(rawValue: 0x02)
        /// A random static identity that the controller resolved.
        public static let randomIdentity = Kind(rawValue: 0x03)
    }

    /// The type of the address.
    public var kind: Kind
    /// The 48 bits; the most significant octet, printed first, is in bits 40 to 47.
    public var value: UInt64

    /// The address of this type; bits above 47 are dropped.
    public init(kind: Kind, value: UInt64) {
        self.kind = kind
        self.value = value & 0xFFFF_FFFF_FFFF
    }

    /// A random static address from 46 random bits (Core 5.4, Vol 6, Part B, 1.3.2.1): the two most significant bits
    /// are set. All ones and all zeros are forbidden in the random part and are replaced by 1.
    public static func randomStatic(from bits: UInt64) -> BluetoothAddress {
        var part = bits & 0x3FFF_FFFF_FFFF
        if part == 0 || part == 0x3FFF_FFFF_FFFF { part = 1 }
        return BluetoothAddress(kind: .random, value: part | 0xC000_0000_0000)
    }

    /// A non-resolvable private address from 46 random bits (Core 5.4, Vol 6, Part B, 1.3.2.2): the two most
    /// significant bits are clear. All ones and all zeros are forbidden in the random part and are replaced by 1.
    public static func nonResolvable(from bits: UInt64) -> BluetoothAddress {
        var part = bits & 0x3FFF_FFFF_FFFF
        if part == 0 || part == 0x3FFF_FFFF_FFFF { part = 1 }
        return BluetoothAddress(kind: .random, value: part)
    }

    /// The usual notation: `C0:11:22:33:44:55`.
    public var description: String {
        stride(from: 40, through: 0, by: -8)
            .map { shift in
                let octet = String(UInt8(truncatingIfNeeded: value >> UInt64(shift)), radix: 16, uppercase: true)
                return octet.count == 1 ? "0" + octet : octet
            }
            .joined(separator: ":")
    }
}
