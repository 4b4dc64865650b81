// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// A private key whose signatures are functions of key and message (RFC 6979), so that equal runs send equal octets.
///
/// For keys of the lab alone, which are published: its arithmetic is not in constant time.
public struct RepeatableKey: HeldPrivateKey {
    /// The group's order n less 2, most significant octet first (SEC 2, 2.4.2): the exponent of an inverse modulo n.
    private static let orderLess2: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x4F,
    ]

    private let scalar: [UInt8]
    private let key: P256PrivateKey

    /// A key from its 32 octets, most significant first.
    ///
    /// - Throws: `invalidKey` for 0, and for the group order or more.
    public init(scalar: Span<UInt8>) throws(CryptoError) {
        key = try P256PrivateKey(scalar: scalar)
        self.scalar = (0..<scalar.count).map { scalar[$0] }
    }

    /// The public key.
    public var publicKey: P256PublicKey { key.publicKey }

    /// ECDH: the x coordinate of the key's scalar times `point`.
    public func sharedSecret(with point: Span<UInt8>) throws(CryptoError) -> InlineArray<32, UInt8> {
        try key.sharedSecret(with: point)
    }

    /// Appends an ECDSA signature over the SHA-256 of `message`, in DER.
    public func sign(_ message: Span<UInt8>, into signature: inout [UInt8]) throws(CryptoError) {
        let digest = try RepeatableKey.reduce(RepeatableKey.octets(SHA256.hash(message)))
        let nonce = try nonce(digest)
        let point = try P256Group.multiplyGenerator(by: nonce.span)
        let first = try RepeatableKey.reduce((1...32).map { point.octets[$0] })
        // s = k⁻¹ · (z + r · d)
        let sum = RepeatableKey.sum(try RepeatableKey.multiply(first, scalar), digest)
        let second = try RepeatableKey.multiply(
            try RepeatableKey.inverse(of: nonce), try RepeatableKey.reduce(sum))
        let integers = RepeatableKey.integer(first) + RepeatableKey.integer(second)
        signature += [0x30, UInt8(integers.count)] + integers
    }

    /// The nonce k of a message with this digest, reduced modulo n (RFC 6979, 3.2).
    private func nonce(_ digest: [UInt8]) throws(CryptoError) -> [UInt8] {
        var value = [UInt8](repeating: 1, count: 32)
        var key = [UInt8](repeating: 0, count: 32)
        for step in [0, 1] as [UInt8] {
            key = try RepeatableKey.tag(key, value + [step] + scalar + digest)
            value = try RepeatableKey.tag(key, value)
        }
        while true {
            value = try RepeatableKey.tag(key, value)
            if try RepeatableKey.reduce(value) == value, value.contains(where: { $0 != 0 }) { return value }
            key = try RepeatableKey.tag(key, value + [0])
            value = try RepeatableKey.tag(key, value)
        }
    }

    private static func tag(_ key: [UInt8], _ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        let nothing: [UInt8] = []
        return octets(try HMACSHA256.authenticate(key: key.span, message.span, nothing.span))
    }

    /// Fermat: k⁻¹ = kⁿ⁻².
    private static func inverse(of value: [UInt8]) throws(CryptoError) -> [UInt8] {
        var power = [UInt8](repeating: 0, count: 31) + [1]
        for octet in orderLess2 {
            for bit in (0..<8).reversed() {
                power = try multiply(power, power)
                if octet >> bit & 1 == 1 { power = try multiply(power, value) }
            }
        }
        return power
    }

    /// The product modulo n.
    private static func multiply(_ left: [UInt8], _ right: [UInt8]) throws(CryptoError) -> [UInt8] {
        let (left, right) = (words(left), words(right))
        var product = [UInt64](repeating: 0, count: 8)
        for row in 0..<4 {
            var carry: UInt64 = 0
            for column in 0..<4 {
                let sum = UInt128(left[row]) * UInt128(right[column]) + UInt128(product[row + column]) + UInt128(carry)
                product[row + column] = UInt64(truncatingIfNeeded: sum)
                carry = UInt64(truncatingIfNeeded: sum >> 64)
            }
            product[row + 4] = carry
        }
        return try reduce(
            product.reversed().flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } })
    }

    /// The four words of 32 octets, least significant first.
    private static func words(_ octets: [UInt8]) -> [UInt64] {
        (0..<4).map { word in octets[24 - 8 * word..<32 - 8 * word].reduce(0) { $0 << 8 | UInt64($1) } }
    }

    /// The sum, 33 octets.
    private static func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var (sum, carry) = ([UInt8](), UInt16(0))
        for (left, right) in zip(left, right).reversed() {
            carry += UInt16(left) + UInt16(right)
            sum.append(UInt8(truncatingIfNeeded: carry))
            carry >>= 8
        }
        return [UInt8(carry)] + sum.reversed()
    }

    private static func reduce(_ octets: [UInt8]) throws(CryptoError) -> [UInt8] {
        self.octets(try P256Group.scalar(reducing: octets.span))
    }

    private static func octets(_ array: InlineArray<32, UInt8>) -> [UInt8] { (0..<32).map { array[$0] } }

    /// A positive number in DER (X.690, 8.3).
    private static func integer(_ octets: [UInt8]) -> [UInt8] {
        var octets = Array(octets.drop { $0 == 0 })
        if octets.first.map({ $0 >= 0x80 }) ?? true { octets.insert(0, at: 0) }
        return [0x02, UInt8(octets.count)] + octets
    }
}
