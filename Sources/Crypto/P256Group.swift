// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// Arithmetic of the group P-256 for protocols beyond ECDH and ECDSA, in constant time with respect to scalars.
///
/// Every point is verified to be on the curve (`invalidPoint`). A result at infinity is an `invalidPoint` as well.
public enum P256Group {
    /// A number from 0 to n − 1, most significant octet first.
    public typealias Scalar = InlineArray<32, UInt8>

    /// The number `octets` (1 to 64, most significant first) modulo the group order n.
    public static func scalar(reducing octets: Span<UInt8>) throws(CryptoError) -> Scalar {
        try scalar { result in
            octets.withUnsafeBufferPointer { readerd_crypto_p256_reduce($0.baseAddress, $0.count, result) }
        }
    }

    /// `left` times `right` modulo the group order n.
    public static func product(_ left: Scalar, _ right: Scalar) throws(CryptoError) -> Scalar {
        try scalar { result in
            left.span.withUnsafeBufferPointer { left in
                right.span.withUnsafeBufferPointer { right in
                    readerd_crypto_p256_scalar_multiply(left.baseAddress, right.baseAddress, result)
                }
            }
        }
    }

    /// The inverse of `factor` modulo the group order n.
    ///
    /// - Throws: `invalidKey` for 0.
    public static func inverse(of factor: Scalar) throws(CryptoError) -> Scalar {
        try scalar { result in
            factor.span.withUnsafeBufferPointer { readerd_crypto_p256_scalar_invert($0.baseAddress, result) }
        }
    }

    /// `scalar` times the generator.
    ///
    /// - Throws: `invalidKey` for 0, and for n or more.
    public static func multiplyGenerator(by scalar: Span<UInt8>) throws(CryptoError) -> P256Point {
        guard scalar.count == 32 else { throw .invalidLength }
        return try point { product in
            scalar.withUnsafeBufferPointer { readerd_crypto_p256_multiply($0.baseAddress, nil, product) }
        }
    }

    /// `scalar` times `point`.
    ///
    /// - Throws: `invalidKey` for 0, and for n or more.
    public static func multiply(_ factor: P256Point, by scalar: Span<UInt8>) throws(CryptoError) -> P256Point {
        guard scalar.count == 32 else { throw .invalidLength }
        return try point { product in
            scalar.withUnsafeBufferPointer { scalar in
                factor.octets.span.withUnsafeBufferPointer {
                    readerd_crypto_p256_multiply(scalar.baseAddress, $0.baseAddress, product)
                }
            }
        }
    }

    /// `left` + `right`.
    public static func add(_ left: P256Point, _ right: P256Point) throws(CryptoError) -> P256Point {
        try sum(left, right, subtract: 0)
    }

    /// `left` − `right`.
    public static func subtract(_ right: P256Point, from left: P256Point) throws(CryptoError) -> P256Point {
        try sum(left, right, subtract: 1)
    }

    private static func sum(
        _ left: P256Point, _ right: P256Point, subtract: Int32
    ) throws(CryptoError) -> P256Point {
        try point { sum in
            left.octets.span.withUnsafeBufferPointer { left in
                right.octets.span.withUnsafeBufferPointer { right in
                    readerd_crypto_p256_add(left.baseAddress, right.baseAddress, subtract, sum)
                }
            }
        }
    }

    /// The scalar whose 32 octets `write` stores.
    private static func scalar(_ write: (UnsafeMutablePointer<UInt8>?) -> Int32) throws(CryptoError) -> Scalar {
        var scalar = Scalar(repeating: 0)
        var octets = scalar.mutableSpan
        let status = octets.withUnsafeMutableBufferPointer { write($0.baseAddress) }
        try CryptoError.check(status)
        return scalar
    }

    /// The point whose 65 octets `write` stores, which libcrypto has verified.
    static func point(_ write: (UnsafeMutablePointer<UInt8>?) -> Int32) throws(CryptoError) -> P256Point {
        var octets = InlineArray<65, UInt8>(repeating: 0)
        var span = octets.mutableSpan
        let status = span.withUnsafeMutableBufferPointer { write($0.baseAddress) }
        try CryptoError.check(status)
        return P256Point(trusted: octets)
    }
}
