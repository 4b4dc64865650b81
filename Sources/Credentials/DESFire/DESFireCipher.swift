// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The ciphers of DESFire's secure messaging, with AES-128. Keys and vectors have 16 octets.
enum DESFireCipher {
    static let zeroVector = [UInt8](repeating: 0, count: 16)

    /// AES-CMAC of a message that is not empty. It begins with a vector if there is one, which EV1 carries from command
    /// to command.
    static func mac(key: [UInt8], _ message: [UInt8], vector: [UInt8]? = nil) throws(CryptoError) -> [UInt8] {
        var message = message
        // The block that encrypts to the vector, after which CMAC is in that state.
        if let vector { message = try decrypt(vector, key: key) + message }
        let tag = try AES128CMAC.authenticate(key: key.span, message.span)
        return tag.indices.map { tag[$0] }
    }

    /// The eight octets of a CMAC that EV2 transmits: the second, the fourth, and so on (AN12196, 4.4).
    static func truncated(_ mac: [UInt8]) -> [UInt8] { stride(from: 1, to: mac.count, by: 2).map { mac[$0] } }

    /// A diversified key (AN10922, 2.2): the CMAC over 01 ‖ input, padded to two blocks. The input has 1 to 31 octets.
    static func diversified(_ master: [UInt8], _ input: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard (1...31).contains(input.count) else { throw .invalidLength }
        let message = [0x01] + input
        guard message.count <= 16 else { return try mac(key: master, message) }
        // The second block has padding only. CMAC has no such block: it is that of one octet, whose vector makes up for
        // the difference.
        let padded = message + [0x80] + [UInt8](repeating: 0, count: 31 - message.count)
        let own = [0x00, 0x80] + [UInt8](repeating: 0, count: 14)
        let first = try encrypt(Array(padded[..<16]), key: master)
        return try mac(key: master, [0x00], vector: (0..<16).map { first[$0] ^ padded[16 + $0] ^ own[$0] })
    }

    /// CBC without padding, in place if the caller has no other reference to the octets.
    static func encrypt(
        _ octets: consuming [UInt8], key: [UInt8], vector: [UInt8] = zeroVector
    ) throws(CryptoError) -> [UInt8] {
        var octets = octets
        var span = octets.mutableSpan
        try AES128CBC.encrypt(inPlace: &span, key: key.span, iv: vector.span)
        return octets
    }

    static func decrypt(
        _ octets: [UInt8], key: [UInt8], vector: [UInt8] = zeroVector
    ) throws(CryptoError) -> [UInt8] {
        var octets = octets
        var span = octets.mutableSpan
        try AES128CBC.decrypt(inPlace: &span, key: key.span, iv: vector.span)
        return octets
    }

    /// CRC-32 as EV1 has it: initial value all ones, not inverted at the end, least significant octet first.
    static func checksum(_ octets: [UInt8]) -> [UInt8] {
        var crc = UInt32.max
        for octet in octets {
            crc ^= UInt32(octet)
            for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return (0..<4).map { UInt8(truncatingIfNeeded: crc >> UInt32(8 * $0)) }
    }

    /// The octets without padding `80 00…`; nil without such padding.
    static func unpadded(_ octets: [UInt8]) -> [UInt8]? {
        guard let end = octets.lastIndex(where: { $0 != 0 }), octets[end] == 0x80 else { return nil }
        return Array(octets[..<end])
    }

    /// RndA ‖ RndB, the latter with its first octet at the end, in memory once.
    static func answer(randomA a: [UInt8], randomB b: [UInt8]) -> [UInt8] {
        (0..<32).map { $0 < 16 ? a[$0] : b[($0 - 15) % 16] }
    }

    /// True if `proof` is `random` with its first octet at the end.
    static func isRotated(_ proof: Span<UInt8>, _ random: [UInt8]) -> Bool {
        var expected = random.indices.map { random[($0 + 1) % random.count] }
        defer { wipeSecret(&expected) }
        return constantTimeEqual(proof, expected.span)
    }
}
