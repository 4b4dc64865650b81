// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The ciphers of DESFire's secure messaging, with AES-128. Keys and vectors have 16 octets.
enum DESFireCipher {
    static let zeroVector = [UInt8](repeating: 0, count: 16)

    /// AES-CMAC (NIST SP 800-38B) that begins with a vector, which EV1 carries from command to command. The message is
    /// padded to at least `blocks` blocks; key diversification has two.
    static func mac(
        key: [UInt8], _ message: [UInt8], vector: [UInt8] = zeroVector, blocks: Int = 1
    ) throws(CryptoError) -> [UInt8] {
        var subkey = doubled(try encrypt(zeroVector, key: key))
        var padded = message
        let count = max(blocks, (message.count + 15) / 16) * 16
        if message.count < count {
            subkey = doubled(subkey)
            padded.append(0x80)
            padded.append(contentsOf: repeatElement(0, count: count - padded.count))
        }
        for index in 0..<16 { padded[count - 16 + index] ^= subkey[index] }
        return Array(try encrypt(padded, key: key, vector: vector).suffix(16))
    }

    /// The eight octets of a CMAC that EV2 transmits: the second, the fourth, and so on (AN12196, 4.4).
    static func truncated(_ mac: [UInt8]) -> [UInt8] { stride(from: 1, to: mac.count, by: 2).map { mac[$0] } }

    /// A diversified key (AN10922, 2.2): the CMAC over 01 ‖ input, padded to two blocks. The input has 1 to 31 octets.
    static func diversified(_ master: [UInt8], _ input: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard (1...31).contains(input.count) else { throw .invalidLength }
        return try mac(key: master, [0x01] + input, blocks: 2)
    }

    /// CBC without padding.
    static func encrypt(
        _ octets: [UInt8], key: [UInt8], vector: [UInt8] = zeroVector
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

    /// The octets, the first moved to the end.
    static func rotated(_ octets: [UInt8]) -> [UInt8] { Array(octets.dropFirst() + octets.prefix(1)) }

    /// Multiplication by x in the field of 2^128 (SP 800-38B, 6.1).
    private static func doubled(_ block: [UInt8]) -> [UInt8] {
        var result = block.indices.map { index in
            block[index] << 1 | (index + 1 < block.count ? block[index + 1] >> 7 : 0)
        }
        if block[0] & 0x80 != 0 { result[result.count - 1] ^= 0x87 }
        return result
    }
}
