// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The card's side of DESFire's secure messaging after an authentication with AES.
struct DESFireCardSession: Sendable {
    private static let zeros = [UInt8](repeating: 0, count: 16)

    /// EV1: one key, and a vector that runs through all messages.
    private struct Chained {
        let key: [UInt8]
        var vector = DESFireCardSession.zeros
    }

    /// EV2: two keys, the transaction's identifier and a counter (AN12196, 3.3).
    private struct Counted {
        let encryption: [UInt8]
        let authentication: [UInt8]
        let transaction: [UInt8]
        var counter: UInt16 = 0

        var context: [UInt8] { [UInt8(counter & 0xFF), UInt8(counter >> 8)] + transaction }
    }

    private enum State {
        case chained(Chained)
        case counted(Counted)
    }

    private var state: State

    /// The session after AuthenticateAES.
    static func chained(reader: [UInt8], card: [UInt8]) -> DESFireCardSession {
        let key = Array(reader[..<4] + card[..<4] + reader[12...] + card[12...])
        return DESFireCardSession(state: .chained(Chained(key: key)))
    }

    /// The session after AuthenticateEV2First.
    static func counted(key: [UInt8], reader: [UInt8], card: [UInt8], transaction: [UInt8]) -> DESFireCardSession {
        let middle = zip(reader[2..<8], card[..<6]).map { $0 ^ $1 }
        let core = Array(reader[..<2]) + middle + Array(card[6...]) + Array(reader[8...])
        let keys = [[0xA5, 0x5A], [0x5A, 0xA5]].map { label in
            DESFireCardCipher.mac(key, label + [0x00, 0x01, 0x00, 0x80] + core)
        }
        return DESFireCardSession(
            state: .counted(Counted(encryption: keys[0], authentication: keys[1], transaction: transaction)))
    }

    /// True for an authentic command. EV1's has no MAC, and changes the vector.
    mutating func accept(_ instruction: UInt8, _ header: [UInt8], mac: [UInt8]) -> Bool {
        switch state {
        case .chained(var session):
            session.vector = DESFireCardCipher.mac(session.key, [instruction] + header, from: session.vector)
            state = .chained(session)
            return mac.isEmpty
        case .counted(var session):
            let right = DESFireCardSession.mac(session, instruction, header)
            session.counter &+= 1
            state = .counted(session)
            return mac == right
        }
    }

    /// The data of a successful response on its way.
    mutating func response(_ data: [UInt8], _ mode: DESFireContents.Mode) -> [UInt8] {
        switch state {
        case .chained(var session):
            defer { state = .chained(session) }
            guard mode != .full else {
                let plain = data + DESFireCardCipher.checksum(data + [0x00])
                let padding = [UInt8](repeating: 0, count: (16 - plain.count % 16) % 16)
                let sent = DESFireCardCipher.encrypt(plain + padding, session.key, session.vector)
                session.vector = Array(sent.suffix(16))
                return sent
            }
            session.vector = DESFireCardCipher.mac(session.key, data + [0x00], from: session.vector)
            return data + session.vector.prefix(8)
        case .counted(let session):
            guard mode != .plain else { return data }
            var sent = data
            if mode == .full {
                let counter = Array(session.context.prefix(2))
                let vector = DESFireCardCipher.encrypt(
                    [0x5A, 0xA5] + session.transaction + counter + [UInt8](repeating: 0, count: 8), session.encryption)
                sent.append(0x80)
                sent += [UInt8](repeating: 0, count: (16 - sent.count % 16) % 16)
                sent = DESFireCardCipher.encrypt(sent, session.encryption, vector)
            }
            return sent + DESFireCardSession.mac(session, 0x00, sent)
        }
    }

    /// The second, fourth, … octet of the CMAC.
    private static func mac(_ session: Counted, _ first: UInt8, _ data: [UInt8]) -> [UInt8] {
        let mac = DESFireCardCipher.mac(session.authentication, [first] + session.context + data)
        return stride(from: 1, to: 16, by: 2).map { mac[$0] }
    }
}

/// AES-128 as a card has it. Keys and vectors have 16 octets, and data a multiple of 16, so that no call fails.
enum DESFireCardCipher {
    static func encrypt(_ octets: [UInt8], _ key: [UInt8], _ vector: [UInt8] = .init(repeating: 0, count: 16))
        -> [UInt8]
    {
        var octets = octets
        var span = octets.mutableSpan
        try? AES128CBC.encrypt(inPlace: &span, key: key.span, iv: vector.span)
        return octets
    }

    static func decrypt(_ octets: [UInt8], _ key: [UInt8], _ vector: [UInt8]) -> [UInt8] {
        var octets = octets
        var span = octets.mutableSpan
        try? AES128CBC.decrypt(inPlace: &span, key: key.span, iv: vector.span)
        return octets
    }

    /// CMAC by SP 800-38B, 6.2, with a first vector, and at least so many blocks.
    static func mac(
        _ key: [UInt8], _ message: [UInt8], from vector: [UInt8] = .init(repeating: 0, count: 16), blocks: Int = 1
    ) -> [UInt8] {
        let count = max(blocks, (message.count + 15) / 16) * 16
        var subkey = doubled(encrypt([UInt8](repeating: 0, count: 16), key))
        var padded = message
        if message.count < count {
            subkey = doubled(subkey)
            padded.append(0x80)
            padded += [UInt8](repeating: 0, count: count - padded.count)
        }
        for index in 0..<16 { padded[count - 16 + index] ^= subkey[index] }
        return Array(encrypt(padded, key, vector).suffix(16))
    }

    /// A card's key (AN10922, 2.2): the CMAC over 01 ‖ input, padded to two blocks.
    static func diversified(_ master: [UInt8], _ input: [UInt8]) -> [UInt8] {
        mac(master, [0x01] + input, blocks: 2)
    }

    static func rotated(_ octets: [UInt8]) -> [UInt8] { Array(octets.dropFirst() + octets.prefix(1)) }

    /// CRC-32, not inverted at the end, least significant octet first.
    static func checksum(_ octets: [UInt8]) -> [UInt8] {
        var crc = UInt32.max
        for octet in octets {
            crc ^= UInt32(octet)
            for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return (0..<4).map { UInt8(truncatingIfNeeded: crc >> UInt32(8 * $0)) }
    }

    private static func doubled(_ block: [UInt8]) -> [UInt8] {
        var result = block.indices.map { index in
            block[index] << 1 | (index + 1 < block.count ? block[index + 1] >> 7 : 0)
        }
        if block[0] & 0x80 != 0 { result[15] ^= 0x87 }
        return result
    }
}
