// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// Generation and resolution of resolvable private addresses (Core 5.4, Vol 6, Part B, 1.3.2.2 and 1.3.2.3).
public enum IdentityResolution {
    /// A resolvable private address from `resolvingKey`. `bits` is the random part, of which 22 bits are used. All ones
    /// and all zeros are forbidden and are replaced by 1.
    public static func privateAddress(
        resolvingKey: Value128, bits: UInt32
    ) throws(CryptoError) -> BluetoothAddress {
        var part = bits & 0x3F_FFFF
        if part == 0 || part == 0x3F_FFFF { part = 1 }
        let prand = part | 0x40_0000
        let hash = try SecurityToolbox.ah(resolvingKey, prand)
        return BluetoothAddress(kind: .random, value: UInt64(prand) << 24 | UInt64(hash))
    }

    /// True if `address` was generated with `resolvingKey`.
    public static func resolves(_ address: BluetoothAddress, with resolvingKey: Value128) -> Bool {
        guard address.isResolvable,
            let hash = try? SecurityToolbox.ah(resolvingKey, UInt32(truncatingIfNeeded: address.value >> 24))
        else { return false }
        return UInt64(hash) == address.value & 0xFF_FFFF
    }

    /// The bond of the peer with `address`: an identity address, or a private address that the resolving key of a bond
    /// resolves.
    public static func bond(of address: BluetoothAddress, in bonds: [Bond]) -> Bond? {
        let plain = address.unresolvedKind
        if plain.isIdentity { return bonds.first { $0.identity == plain } }
        guard plain.isResolvable else { return nil }
        return bonds.first { bond in
            guard let key = bond.resolvingKey else { return false }
            return resolves(plain, with: key)
        }
    }
}
