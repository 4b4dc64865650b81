// SPDX-License-Identifier: Apache-2.0

/// The raw form of an ECDSA signature on P-256, without DER: r ‖ s, 64 octets.
enum RawSignature {
    static let count = 64

    /// The strict DER of r ‖ s, at most 72 octets; nil for another length.
    static func der(_ raw: Span<UInt8>) -> [UInt8]? {
        guard raw.count == count else { return nil }
        var integers: [UInt8] = []
        for start in [0, 32] {
            // The shortest form of a positive number (X.690, 8.3.2); a zero is one octet.
            var first = start
            while first < start + 31, raw[first] == 0 { first += 1 }
            let needsZero = raw[first] >= 0x80
            integers += [0x02, UInt8(start + 32 - first) + (needsZero ? 1 : 0)]
            if needsZero { integers.append(0) }
            for index in first..<start + 32 { integers.append(raw[index]) }
        }
        return [0x30, UInt8(integers.count)] + integers
    }

    /// r ‖ s of a DER signature that libcrypto or a key's holder made; nil for other octets.
    static func raw(_ der: Span<UInt8>) -> [UInt8]? {
        guard der.count >= 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var raw: [UInt8] = []
        var offset = 2
        for _ in 0..<2 {
            guard der.count - offset >= 2, der[offset] == 0x02 else { return nil }
            var first = offset + 2
            let end = first + Int(der[offset + 1])
            guard end > first, end <= der.count else { return nil }
            while first < end, der[first] == 0 { first += 1 }
            guard end - first <= 32 else { return nil }
            raw.append(contentsOf: repeatElement(0, count: 32 - (end - first)))
            for index in first..<end { raw.append(der[index]) }
            offset = end
        }
        return offset == der.count ? raw : nil
    }
}

extension HeldPrivateKey {
    /// An ECDSA signature over the SHA-256 of `message` as r ‖ s, 64 octets.
    ///
    /// - Throws: `libraryFailure` if the holder does not respond, or not with a signature.
    public func rawSignature(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        var der: [UInt8] = []
        try sign(message, into: &der)
        guard let raw = RawSignature.raw(der.span) else { throw .libraryFailure }
        return raw
    }
}

extension P256PublicKey {
    /// Returns true if `signature` (r ‖ s, 64 octets) is an ECDSA signature over the SHA-256 of `message` by the
    /// corresponding private key.
    public func isValid(rawSignature signature: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        guard let der = RawSignature.der(signature) else { return false }
        return isValid(signature: der.span, for: message)
    }
}
