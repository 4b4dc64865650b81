// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// The owner of a libcrypto key, with the operations common to both kinds of key.
///
/// `@unchecked Sendable`: the pointer is set once, the key is immutable after its creation, and libcrypto
/// synchronizes its own caches and reference counts of a shared key.
final class P256KeyHandle: @unchecked Sendable {
    /// The maximum length of the PEM of a P-256 key: a private one has 241 octets.
    private static let pemRoom = 512

    let key: OpaquePointer

    /// Takes ownership of the key that `make` returns.
    init(_ make: (UnsafeMutablePointer<OpaquePointer?>) -> Int32) throws(CryptoError) {
        var made: OpaquePointer?
        try CryptoError.check(make(&made))
        guard let made else { throw .libraryFailure }
        key = made
    }

    deinit {
        readerd_crypto_key_free(key)
    }

    /// Takes ownership of the key that `make` parses from `octets`.
    convenience init(
        from octets: Span<UInt8>,
        _ make: (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<OpaquePointer?>) -> Int32
    ) throws(CryptoError) {
        try self.init { made in
            octets.withUnsafeBufferPointer { make($0.baseAddress, $0.count, made) }
        }
    }

    /// The public point.
    func point() throws(CryptoError) -> P256Point {
        try P256Group.point { readerd_crypto_key_point(key, $0) }
    }

    /// The PEM text of the key, written by `write`.
    func pem(
        _ write: (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?) -> Int32
    ) throws(CryptoError) -> [UInt8] {
        var status: Int32 = 0
        let text = [UInt8](unsafeUninitializedCapacity: P256KeyHandle.pemRoom) { buffer, count in
            var length = buffer.count
            status = write(key, buffer.baseAddress, &length)
            count = Int(status) == READERD_CRYPTO_OK ? length : 0
        }
        try CryptoError.check(status)
        return text
    }
}
