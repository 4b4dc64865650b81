// SPDX-License-Identifier: Apache-2.0

import Crypto

/// A DESFire card, for the other end of a fuzzed or explored transaction: EV1's authentication or that of EV2, one file
/// in either mode, a key that is diversified or not. It has no code in common with the reader's side but AES.
public struct DESFireCardModel: Sendable {
    /// The number in its file.
    public static let number: [UInt8] = [0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE]
    /// The identifier of its application, high octet first.
    public static let application: [UInt8] = [0xF5, 0x1B, 0xC0]
    /// The site's octets of a diversified key.
    public static let system: [UInt8] = [0x4E, 0x58, 0x50]
    /// The keys of the application: that of the file, and that of the identifier.
    public static let key = [UInt8](0x40..<0x50), uidKey = [UInt8](0x60..<0x70)
    private static let uid: [UInt8] = [0x04, 0x78, 0x2E, 0x21, 0x80, 0x1D, 0x80]
    private static let zeros = [UInt8](repeating: 0, count: 16)

    /// The number in its file, and the key that reads it.
    public var number = DESFireCardModel.number, key = DESFireCardModel.key
    /// True for a card that knows only EV1's authentication.
    public var isEV1 = false
    /// True for a file in mode full, false for mode MAC.
    public var isFull = true
    /// True for a card with its own key.
    public var isDiversified = false
    /// True for a card that shows its UID only by the key of all cards.
    public var hasRandomUID = false
    /// Of the random numbers; another one for each authentication.
    public var seed: UInt8 = 0
    /// True once it has sent its number in a session of this transaction.
    public private(set) var hasRead = false

    private var part = 0
    private var challenge: (isEV1: Bool, key: [UInt8], number: UInt8, octets: [UInt8])?
    /// The MAC key, and of EV2 the key for data.
    private var session: (isEV1: Bool, mac: [UInt8], data: [UInt8])?
    private var vector = zeros
    private var counter: UInt16 = 0
    private static let transaction: [UInt8] = [0x01, 0x02, 0x03, 0x04]

    /// A card with the key.
    public init() {}

    /// The field went off.
    public mutating func reset() {
        (hasRead, part, challenge, session) = (false, 0, nil, nil)
    }

    /// The response to a command APDU of the reader.
    public mutating func response(_ command: [UInt8]) -> [UInt8] {
        guard command.count > 4, command[0] == 0x90 else { return [0x6A, 0x82] }
        let data = command.count > 5 ? Array(command[5..<(command.count - 1)]) : []
        switch command[1] {
        case 0x5A: return data.elementsEqual(Self.application.reversed()) ? [0x91, 0x00] : [0x91, 0xA0]
        case 0x60:
            part = 1
            return [0x04, 0x01, 0x01, isEV1 ? 0x01 : 0x33, 0x00, 0x16, 0x05, 0x91, 0xAF]
        case 0xAF where challenge != nil: return authenticated(data)
        case 0xAF where part == 1:
            part = 2
            return [0x04, 0x01, 0x01, 0x01, 0x00, 0x16, 0x05, 0x91, 0xAF]
        case 0xAF where part == 2:
            part = 0
            let shown = hasRandomUID ? [UInt8](repeating: 0, count: 7) : Self.uid
            return shown + [0, 0, 0, 0, 0, 0x10, 0x23, 0x91, 0x00]
        case 0x71 where isEV1: return [0x91, 0x1C]
        case 0x71, 0xAA: return challenged(by: command[1] == 0xAA, data.first ?? 0xFF)
        case 0x51: return inSession(0x51, [], data, Self.uid, isFull: true)
        case 0xBD where data.count >= 7:
            hasRead = session != nil
            return inSession(0xBD, Array(data[..<7]), Array(data[7...]), number, isFull: isFull)
        default: return [0x91, 0x1C]
        }
    }

    private mutating func challenged(by isEV1: Bool, _ number: UInt8) -> [UInt8] {
        let own = isDiversified ? diversified : self.key
        let key = number == 0 ? own : Self.uidKey
        seed &+= 0x3B
        let octets = (0..<16).map { seed &+ 7 &* $0 }
        challenge = (isEV1, key, number, octets)
        return encrypted(octets, key) + [0x91, 0xAF]
    }

    private mutating func authenticated(_ data: [UInt8]) -> [UInt8] {
        guard let (isEV1, key, _, b) = challenge, data.count == 32 else { return [0x91, 0x7E] }
        challenge = nil
        let plain = decrypted(data, key, isEV1 ? encrypted(b, key) : Self.zeros)
        let a = Array(plain[..<16])
        guard Array(plain[16...]) == Array(b[1...]) + [b[0]] else { return [0x91, 0xAE] }
        let rotated = Array(a[1...]) + [a[0]]
        (vector, counter) = (Self.zeros, 0)
        if isEV1 {
            let own = Array(a[0..<4] + b[0..<4] + a[12..<16] + b[12..<16])
            session = (true, own, own)
            return encrypted(rotated, key, Array(data[16...])) + [0x91, 0x00]
        }
        let core = Array(a[0..<2]) + (0..<6).map { a[2 + $0] ^ b[$0] } + Array(b[6...] + a[8...])
        session = (
            false, mac(key, [0x5A, 0xA5, 0x00, 0x01, 0x00, 0x80] + core), mac(key, [0xA5, 0x5A, 0, 1, 0, 0x80] + core)
        )
        return encrypted(Self.transaction + rotated + [UInt8](repeating: 0, count: 12), key) + [0x91, 0x00]
    }

    private mutating func inSession(
        _ instruction: UInt8, _ header: [UInt8], _ code: [UInt8], _ answer: [UInt8], isFull: Bool
    ) -> [UInt8] {
        guard let (isEV1, macKey, dataKey) = session else { return [0x91, 0x9D] }
        if isEV1 {
            vector = mac(macKey, decrypted(vector, macKey) + [instruction] + header)
            guard isFull else {
                vector = mac(macKey, decrypted(vector, macKey) + answer + [0x00])
                return answer + vector[..<8] + [0x91, 0x00]
            }
            var plain = answer + checksum(answer + [0x00])
            plain += [UInt8](repeating: 0, count: (16 - plain.count % 16) % 16)
            let sent = encrypted(plain, dataKey, vector)
            vector = Array(sent.suffix(16))
            return sent + [0x91, 0x00]
        }
        guard code == truncated(mac(macKey, [instruction] + context + header)) else { return [0x91, 0x1E] }
        counter &+= 1
        var sent = answer
        if isFull {
            sent += [0x80] + [UInt8](repeating: 0, count: 15 - answer.count % 16)
            let start = encrypted(
                [0x5A, 0xA5] + Self.transaction + context[..<2] + [UInt8](repeating: 0, count: 8), dataKey)
            sent = encrypted(sent, dataKey, start)
        }
        return sent + truncated(mac(macKey, [0x00] + context + sent)) + [0x91, 0x00]
    }

    private var context: [UInt8] { [UInt8(counter & 0xFF), UInt8(counter >> 8)] + Self.transaction }

    /// AN10922: the message has 14 octets, and is padded to 32; K2 is 4 times the cipher of zeros.
    private var diversified: [UInt8] {
        let message = [0x01] + Self.uid + Self.application + Self.system
        var padded = message + [0x80] + [UInt8](repeating: 0, count: 31 - message.count)
        var subkey = encrypted(Self.zeros, key)
        for _ in 0..<2 {
            let carries = subkey[0] & 0x80 != 0
            subkey = subkey.indices.map { subkey[$0] << 1 | ($0 < 15 ? subkey[$0 + 1] >> 7 : 0) }
            if carries { subkey[15] ^= 0x87 }
        }
        for index in 0..<16 { padded[16 + index] ^= subkey[index] }
        return Array(encrypted(padded, key).suffix(16))
    }

    private func truncated(_ mac: [UInt8]) -> [UInt8] { (0..<8).map { mac[2 * $0 + 1] } }

    private func checksum(_ octets: [UInt8]) -> [UInt8] {
        var crc = UInt32.max
        for octet in octets {
            crc ^= UInt32(octet)
            for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return (0..<4).map { UInt8(truncatingIfNeeded: crc >> UInt32(8 * $0)) }
    }

    private func mac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        certain {
            let tag = try AES128CMAC.authenticate(key: key.span, message.span)
            return tag.indices.map { tag[$0] }
        }
    }

    private func encrypted(_ octets: [UInt8], _ key: [UInt8], _ vector: [UInt8] = zeros) -> [UInt8] {
        certain {
            var octets = octets
            var span = octets.mutableSpan
            try AES128CBC.encrypt(inPlace: &span, key: key.span, iv: vector.span)
            return octets
        }
    }

    private func decrypted(_ octets: [UInt8], _ key: [UInt8], _ vector: [UInt8] = zeros) -> [UInt8] {
        certain {
            var octets = octets
            var span = octets.mutableSpan
            try AES128CBC.decrypt(inPlace: &span, key: key.span, iv: vector.span)
            return octets
        }
    }
}

/// The result of `body`, whose input is never at fault.
private func certain<Value>(_ body: () throws -> Value) -> Value {
    do { return try body() } catch { fatalError("\(error)") }
}
