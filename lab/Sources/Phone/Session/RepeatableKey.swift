// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// A private key whose signatures are functions of key and message (RFC 6979), so that equal runs send equal octets.
///
/// For keys of the lab alone, which are published: copies of the scalar are not wiped.
public struct RepeatableKey: HeldPrivateKey {
    private typealias Scalar = P256Group.Scalar

    private let scalar: Scalar
    private let key: P256PrivateKey

    /// A key from its 32 octets, most significant first.
    ///
    /// - Throws: `invalidKey` for 0, and for the group order or more.
    public init(scalar: Span<UInt8>) throws(CryptoError) {
        key = try P256PrivateKey(scalar: scalar)
        self.scalar = Scalar { scalar[$0] }
    }

    /// The public key.
    public var publicKey: P256PublicKey { key.publicKey }

    /// ECDH: the x coordinate of the key's scalar times `point`.
    public func sharedSecret(with point: Span<UInt8>) throws(CryptoError) -> InlineArray<32, UInt8> {
        try key.sharedSecret(with: point)
    }

    /// Appends an ECDSA signature over the SHA-256 of `message`, in DER.
    public func sign(_ message: Span<UInt8>, into signature: inout [UInt8]) throws(CryptoError) {
        let hash = try SHA256.hash(message)
        let digest = try P256Group.scalar(reducing: hash.span)
        let nonce = try nonce(digest)
        let point = try P256Group.multiplyGenerator(by: nonce.span)
        let first = try P256Group.scalar(reducing: point.octets.span.extracting(1..<33))
        // s = k⁻¹ · (z + r · d)
        let sum = RepeatableKey.sum(try P256Group.product(first, scalar), digest)
        let second = try P256Group.product(P256Group.inverse(of: nonce), P256Group.scalar(reducing: sum.span))
        let integers = RepeatableKey.integer(first) + RepeatableKey.integer(second)
        signature += [0x30, UInt8(integers.count)] + integers
    }

    /// The nonce k of a message with this digest, reduced modulo n (RFC 6979, 3.2).
    private func nonce(_ digest: Scalar) throws(CryptoError) -> Scalar {
        var value = Scalar(repeating: 1)
        var key = Scalar(repeating: 0)
        for step in [0, 1] as [UInt8] {
            let seed = RepeatableKey.octets(scalar) + RepeatableKey.octets(digest)
            key = try RepeatableKey.tag(key, value, [step] + seed)
            value = try RepeatableKey.tag(key, value)
        }
        while true {
            value = try RepeatableKey.tag(key, value)
            let reduced = try RepeatableKey.octets(P256Group.scalar(reducing: value.span))
            if reduced == RepeatableKey.octets(value), reduced.contains(where: { $0 != 0 }) { return value }
            key = try RepeatableKey.tag(key, value, [0])
            value = try RepeatableKey.tag(key, value)
        }
    }

    private static func tag(_ key: Scalar, _ first: Scalar, _ second: [UInt8] = []) throws(CryptoError) -> Scalar {
        try HMACSHA256.authenticate(key: key.span, first.span, second.span)
    }

    /// The sum, 33 octets.
    private static func sum(_ left: Scalar, _ right: Scalar) -> [UInt8] {
        var sum = [UInt8](repeating: 0, count: 33)
        var carry: UInt16 = 0
        for index in left.indices.reversed() {
            carry += UInt16(left[index]) + UInt16(right[index])
            sum[index + 1] = UInt8(truncatingIfNeeded: carry)
            carry >>= 8
        }
        sum[0] = UInt8(carry)
        return sum
    }

    private static func octets(_ scalar: Scalar) -> [UInt8] { scalar.indices.map { scalar[$0] } }

    /// A positive number in DER (X.690, 8.3).
    private static func integer(_ scalar: Scalar) -> [UInt8] {
        var octets = Array(octets(scalar).drop { $0 == 0 })
        if octets.first.map({ $0 >= 0x80 }) ?? true { octets.insert(0, at: 0) }
        return [0x02, UInt8(octets.count)] + octets
    }
}
