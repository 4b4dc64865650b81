// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The uses of AES-128 in the secure channel (OSDP 2.2, annex D).
enum OSDPCipher {
    static let blockCount = 16

    /// One block.
    static func block(_ block: [UInt8], key: ArraySlice<UInt8>) throws(OSDPFault) -> [UInt8] {
        do {
            let output = try AES128Block.encrypt(block.span, key: key.span)
            return output.indices.map { output[$0] }
        } catch { throw .authentication }
    }

    static func encrypt(_ data: [UInt8], key: ArraySlice<UInt8>, vector: [UInt8]) throws(OSDPFault) -> [UInt8] {
        var data = data
        var octets = data.mutableSpan
        do { try AES128CBC.encrypt(inPlace: &octets, key: key.span, iv: vector.span) } catch { throw .authentication }
        return data
    }

    static func decrypt(_ data: [UInt8], key: ArraySlice<UInt8>, vector: [UInt8]) throws(OSDPFault) -> [UInt8] {
        var data = data
        var octets = data.mutableSpan
        do { try AES128CBC.decrypt(inPlace: &octets, key: key.span, iv: vector.span) } catch { throw .authentication }
        return data
    }

    /// The octets with 0x80 appended, and zeros up to a whole block.
    static func padded(_ octets: [UInt8]) -> [UInt8] {
        let octets = octets + [0x80]
        return octets + [UInt8](repeating: 0, count: (blockCount - octets.count % blockCount) % blockCount)
    }

    /// The octets without the padding of the last block.
    static func unpadded(_ octets: [UInt8]) throws(OSDPFault) -> [UInt8] {
        guard let mark = octets.suffix(blockCount).lastIndex(where: { $0 != 0 }), octets[mark] == 0x80 else {
            throw .authentication
        }
        return Array(octets[..<mark])
    }

    /// The MAC of a frame: CBC with a separate key for the last block, which is padded only if it is incomplete.
    static func mac(_ octets: [UInt8], _ keys: OSDPSessionKeys, vector: [UInt8]) throws(OSDPFault) -> [UInt8] {
        let blocks = octets.count.isMultiple(of: blockCount) ? octets : padded(octets)
        let first = Array(blocks.dropLast(blockCount))
        let chained = try first.isEmpty ? vector : encrypt(first, key: keys.mac1, vector: vector).suffix(blockCount)
        return try encrypt(Array(blocks.suffix(blockCount)), key: keys.mac2, vector: Array(chained))
    }
}

/// The keys of one session, S-ENC, S-MAC1 and S-MAC2; wiped when the last reference ends.
final class OSDPSessionKeys: Sendable {
    // Written in deinit only, where no other reference exists.
    nonisolated(unsafe) private var octets: [UInt8]

    var encryption: ArraySlice<UInt8> { octets[0..<16] }
    var mac1: ArraySlice<UInt8> { octets[16..<32] }
    var mac2: ArraySlice<UInt8> { octets[32..<48] }

    /// Derives the keys: each is the encryption of a constant and six octets of the panel's random number (annex
    /// D.4.1).
    init(_ key: OSDPKey, panelRandom: [UInt8]) throws(OSDPFault) {
        octets = []
        let random = panelRandom.prefix(6)
        guard random.count == 6 else { throw .authentication }
        for constants: [UInt8] in [[0x01, 0x82], [0x01, 0x01], [0x01, 0x02]] {
            let block = constants + random + [UInt8](repeating: 0, count: 8)
            octets += try OSDPCipher.block(block, key: key.octets[...])
        }
    }

    deinit { wipeSecret(&octets) }
}
