// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The secure messaging after an authentication with AES. Every response has to be authentic: an error ends the
/// session.
enum DESFireSession {
    /// AuthenticateAES (EV1): one key, and a vector that runs through all messages.
    case chained(key: [UInt8], vector: [UInt8])
    /// AuthenticateEV2First (EV2 and EV3): two keys, the transaction's identifier, and a counter of commands.
    case counted(encryption: [UInt8], mac: [UInt8], transaction: [UInt8], counter: UInt16)

    /// The session of EV1: the first four octets of both random numbers, then their last four. The key is in memory
    /// once.
    static func chained(randomA a: [UInt8], randomB b: [UInt8]) -> DESFireSession {
        let key = (0..<16).map { (index: Int) in
            (index / 4 % 2 == 0 ? a : b)[index < 8 ? index % 4 : 12 + index % 4]
        }
        return .chained(key: key, vector: DESFireCipher.zeroVector)
    }

    /// The session of EV2 (AN12196, 6.6).
    static func counted(
        key: [UInt8], randomA a: [UInt8], randomB b: [UInt8], transaction: [UInt8]
    ) throws(CryptoError) -> DESFireSession {
        let mixed = (0..<6).map { a[2 + $0] ^ b[$0] }
        let core = Array(a[0..<2]) + mixed + Array(b[6..<16]) + Array(a[8..<16])
        return .counted(
            encryption: try derived(key, [0xA5, 0x5A, 0x00, 0x01, 0x00, 0x80] + core),
            mac: try derived(key, [0x5A, 0xA5, 0x00, 0x01, 0x00, 0x80] + core),
            transaction: transaction, counter: 0)
    }

    /// A session key, in memory once.
    private static func derived(_ key: [UInt8], _ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        let tag = try AES128CMAC.authenticate(key: key.span, message.span)
        return tag.indices.map { tag[$0] }
    }

    /// The data of a command with this header, which stays clear.
    mutating func command(_ instruction: UInt8, _ header: [UInt8]) throws(CryptoError) -> [UInt8] {
        switch self {
        case .chained(let key, let vector):
            let next = try DESFireCipher.mac(key: key, [instruction] + header, vector: vector)
            self = .chained(key: key, vector: next)
            return header
        case .counted(_, let mac, let transaction, let counter):
            let code = try DESFireCipher.mac(
                key: mac, [instruction] + DESFireSession.octets(counter) + transaction + header)
            return header + DESFireCipher.truncated(code)
        }
    }

    /// The data of a response that ended with success, `count` octets in clear.
    ///
    /// - Throws: `proof` for a response that is not authentic.
    mutating func response(
        _ octets: [UInt8], _ mode: DESFireCredential.Communication, count: Int
    ) throws(CardRefusal) -> [UInt8] {
        let data: [UInt8]?
        do throws(CryptoError) {
            data = try opened(octets, mode)
        } catch {
            throw .proof
        }
        guard let data, data.count == count else { throw .proof }
        return data
    }

    private mutating func opened(
        _ octets: [UInt8], _ mode: DESFireCredential.Communication
    ) throws(CryptoError) -> [UInt8]? {
        switch self {
        case .chained(let key, let vector):
            guard mode == .full else { return try openedByMAC(octets, key, vector) }
            guard !octets.isEmpty, octets.count.isMultiple(of: 16) else { return nil }
            self = .chained(key: key, vector: Array(octets.suffix(16)))
            return DESFireSession.checked(try DESFireCipher.decrypt(octets, key: key, vector: vector))
        case .counted(let encryption, let mac, let transaction, var counter):
            guard octets.count >= 8 else { return nil }
            counter &+= 1
            self = .counted(encryption: encryption, mac: mac, transaction: transaction, counter: counter)
            let body = Array(octets.dropLast(8))
            let context = DESFireSession.octets(counter) + transaction
            let code = DESFireCipher.truncated(try DESFireCipher.mac(key: mac, [0x00] + context + body))
            guard constantTimeEqual(code.span, octets.span.extracting(last: 8)) else { return nil }
            guard mode == .full else { return body }
            let vector = try DESFireCipher.encrypt(
                [0x5A, 0xA5] + transaction + DESFireSession.octets(counter) + [UInt8](repeating: 0, count: 8),
                key: encryption)
            return DESFireCipher.unpadded(try DESFireCipher.decrypt(body, key: encryption, vector: vector))
        }
    }

    private mutating func openedByMAC(
        _ octets: [UInt8], _ key: [UInt8], _ vector: [UInt8]
    ) throws(CryptoError) -> [UInt8]? {
        guard octets.count >= 8 else { return nil }
        let body = Array(octets.dropLast(8))
        let code = try DESFireCipher.mac(key: key, body + [0x00], vector: vector)
        self = .chained(key: key, vector: code)
        return constantTimeEqual(code.span.extracting(first: 8), octets.span.extracting(last: 8)) ? body : nil
    }

    /// The data before its CRC and the padding with zeros; nil if there is no such place.
    private static func checked(_ plain: [UInt8]) -> [UInt8]? {
        let padding = plain.reversed().prefix(16).prefix { $0 == 0 }.count
        for end in stride(from: plain.count, through: max(plain.count - padding, 4), by: -1) {
            let data = Array(plain[..<(end - 4)])
            if DESFireCipher.checksum(data + [0x00]) == Array(plain[(end - 4)..<end]) { return data }
        }
        return nil
    }

    private static func octets(_ counter: UInt16) -> [UInt8] { [UInt8(counter & 0xFF), UInt8(counter >> 8)] }

    /// Overwrites the keys.
    mutating func wipe() {
        // The value that is removed has the only reference to its keys; a shared array would be copied, not wiped.
        switch exchange(&self, with: .chained(key: [], vector: [])) {
        case .chained(var key, _):
            wipeSecret(&key)
        case .counted(var encryption, var mac, _, _):
            wipeSecret(&encryption)
            wipeSecret(&mac)
        }
    }
}
