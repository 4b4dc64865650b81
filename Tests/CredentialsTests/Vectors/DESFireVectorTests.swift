// SPDX-License-Identifier: Apache-2.0

import Crypto
import TestSupport
import Testing

@testable import Credentials

/// Each value of the vectors of DESFire.
@Suite struct DESFireVectorTests {
    private struct Chosen: RandomSource {
        let chosen: [UInt8]
        mutating func fill(_ octets: inout MutableSpan<UInt8>) {
            for index in octets.indices { octets[index] = chosen[index] }
        }
    }

    private static let zeros = [UInt8](repeating: 0, count: 16)

    /// The data of a wrapped command: 90, instruction, 00 00, length, data, 00.
    private func data(_ command: [UInt8]) -> [UInt8] { Array(command[5..<command.count - 1]) }

    @Test("Each vector has a consumer")
    func all() throws {
        let file = try VectorFile("desfire")
        try authentication(file, "authenticate-ev2-first")
        try macMode(file, "comm-mode-mac")
        try fullMode(file, "comm-mode-full-response")
        try commandVector(file, "comm-mode-full-command")
        try realCard(file, "mac-of-a-real-card")
        try reading(file, "own-read-full")
        try version1(file, "ev1-authenticate-aes")
        try diversification(file, "an10922-aes128")
        file.isConsumed()
    }

    /// A transaction that has sent `AuthenticateEV2First`.
    private func transaction(_ randomA: [UInt8], key: [UInt8], count: Int = 17) throws -> DESFireTransaction {
        let key = try #require(DESFireCredential.Key(number: 0, octets: key))
        let credential = try #require(
            DESFireCredential(application: octets("f51bc0"), file: 1, count: count, communication: .full, key: key))
        var random = Chosen(chosen: randomA)
        return DESFireTransaction(credential, random: &random)
    }

    private func authentication(_ file: VectorFile, _ path: String) throws {
        func value(_ name: String) -> [UInt8] { file.octets("\(path)/\(name)") }
        let (key, a, b) = (value("key"), value("rnda"), value("rndb"))
        var transaction = try transaction(a, key: key)
        _ = transaction.start()
        #expect(transaction.receive(octets("9100").span) == .transmit(value("command")))
        #expect(transaction.receive(value("response").span) == .transmit(value("command-2")))
        let plain = value("response-2-plain")
        let sealed = Array(value("response-2").dropLast(2))
        #expect(try DESFireCipher.decrypt(sealed, key: key) == plain)
        let response = value("response-2")
        guard case .transmit = transaction.receive(response.span) else { throw CardRefusal.outOfOrder }
        #expect(try DESFireCipher.decrypt(Array(value("response").prefix(16)), key: key) == b)
        let session = try DESFireSession.counted(key: key, randomA: a, randomB: b, transaction: Array(plain.prefix(4)))
        guard case .counted(let encryption, let mac, let identifier, 0) = session else { throw CardRefusal.outOfOrder }
        #expect(identifier == value("ti"))
        #expect(encryption == value("session-enc") && mac == value("session-mac"))
        #expect(try DESFireCipher.mac(key: key, value("sv1")) == encryption)
        #expect(try DESFireCipher.mac(key: key, value("sv2")) == mac)
        // The reader sends no capabilities.
        file.skip(["\(path)/also-seen"], because: "another reader's command")
    }

    private func session(_ file: VectorFile, _ path: String) throws -> DESFireSession {
        let encryption = file.has("\(path)/session-enc") ? file.octets("\(path)/session-enc") : Self.zeros
        let counter = file.has("\(path)/counter-before") ? try #require(UInt16(file.text("\(path)/counter-before"))) : 0
        return .counted(
            encryption: encryption, mac: file.octets("\(path)/session-mac"), transaction: file.octets("\(path)/ti"),
            counter: counter)
    }

    private func macMode(_ file: VectorFile, _ path: String) throws {
        var session = try session(file, path)
        let command = file.octets("\(path)/command")
        #expect(try session.command(0xF5, [0x02]) == data(command))
        let response = Array(file.octets("\(path)/response").dropLast(2))
        let body = Array(response.dropLast(8))
        #expect(try session.response(response, .mac, count: body.count) == body)
        for (name, code) in [("mac-input", data(command).suffix(8)), ("response-mac-input", response.suffix(8))] {
            let mac = try DESFireCipher.mac(key: file.octets("\(path)/session-mac"), file.octets("\(path)/\(name)"))
            #expect(DESFireCipher.truncated(mac) == Array(code))
        }
    }

    private func fullMode(_ file: VectorFile, _ path: String) throws {
        var session = try session(file, path)
        #expect(try session.command(0x51, []) == data(file.octets("\(path)/command")))
        let response = Array(file.octets("\(path)/response").dropLast(2))
        let uid = file.octets("\(path)/uid")
        #expect(try session.response(response, .full, count: 7) == uid)
        let key = file.octets("\(path)/session-enc")
        let vector = file.octets("\(path)/iv")
        #expect(try DESFireCipher.encrypt(file.octets("\(path)/iv-input"), key: key) == vector)
        let plain = try DESFireCipher.decrypt(Array(response.prefix(16)), key: key, vector: vector)
        #expect(plain == file.octets("\(path)/plain") && DESFireCipher.unpadded(plain) == uid)
    }

    private func commandVector(_ file: VectorFile, _ path: String) throws {
        let (key, input) = (file.octets("\(path)/session-enc"), file.octets("\(path)/iv-input"))
        let counter = try #require(UInt8(file.text("\(path)/counter-before")))
        #expect(input == [0xA5, 0x5A] + file.octets("\(path)/ti") + [counter] + [UInt8](repeating: 0, count: 9))
        #expect(try DESFireCipher.encrypt(input, key: key) == file.octets("\(path)/iv"))
    }

    private func realCard(_ file: VectorFile, _ path: String) throws {
        var session = try session(file, path)
        let key = file.octets("\(path)/session-mac")
        let mac = try DESFireCipher.mac(key: key, file.octets("\(path)/command-mac-input"))
        #expect(DESFireCipher.truncated(mac) == file.octets("\(path)/command-mac"))
        let data = file.octets("\(path)/response-data")
        let response = data + file.octets("\(path)/response-mac")
        #expect(try session.response(response, .mac, count: data.count) == data)
        guard case .counted(_, _, _, let counter) = session else { throw CardRefusal.outOfOrder }
        #expect("\(counter)" == file.text("\(path)/counter-in-response"))
    }

    private func reading(_ file: VectorFile, _ path: String) throws {
        let key = octets("00112233445566778899aabbccddeeff")
        var transaction = try transaction(file.octets("\(path)/rnda"), key: key)
        var step = transaction.start()
        for index in 0..<file.count("\(path)/exchange") {
            #expect(step == .transmit(file.octets("\(path)/exchange/\(index)/command")))
            step = transaction.receive(file.octets("\(path)/exchange/\(index)/response").span)
        }
        #expect(step == .decide(CardEvidence(kind: .desfire, identity: file.octets("\(path)/data"))))
        let session = try DESFireSession.counted(
            key: key, randomA: file.octets("\(path)/rnda"), randomB: file.octets("\(path)/rndb"),
            transaction: file.octets("\(path)/ti"))
        guard case .counted(let encryption, let mac, _, _) = session else { throw CardRefusal.outOfOrder }
        #expect(encryption == file.octets("\(path)/session-enc") && mac == file.octets("\(path)/session-mac"))
    }

    /// Native commands, which the reader wraps: the first octet is the instruction, or the status of the response.
    private func version1(_ file: VectorFile, _ path: String) throws {
        func value(_ name: String) -> [UInt8] { file.octets("\(path)/\(name)") }
        func wrapped(_ command: [UInt8]) -> [UInt8] {
            [0x90, command[0], 0, 0, UInt8(command.count - 1)] + command[1...] + [0]
        }
        let (key, a, b) = (value("key"), value("rnda"), value("rndb"))
        var transaction = try transaction(a, key: key, count: 4)
        _ = transaction.start()
        // A card of EV1: EV2's command is unknown, and its version says so.
        for response in ["9100", "911c", "0401010100160591af", "0401010104160591af"] {
            _ = transaction.receive(octets(response).span)
        }
        let version = octets("04010203040506000000000010239100")
        #expect(transaction.receive(version.span) == .transmit(wrapped(value("command"))))
        let challenge = Array(value("response").dropFirst()) + [0x91, 0xAF]
        #expect(transaction.receive(challenge.span) == .transmit(wrapped(value("command-2"))))
        let proof = Array(value("response-2").dropFirst()) + [0x91, 0x00]
        guard case .transmit(let read) = transaction.receive(proof.span), read[1] == 0xBD else {
            throw CardRefusal.proof
        }
        #expect(try DESFireCipher.decrypt(Array(challenge.prefix(16)), key: key) == b)
        guard case .chained(let session, _) = DESFireSession.chained(randomA: a, randomB: b) else {
            throw CardRefusal.outOfOrder
        }
        #expect(session == value("session-key"))
    }

    private func diversification(_ file: VectorFile, _ path: String) throws {
        #expect(file.count(path) == 2)
        for index in 0..<file.count(path) {
            let key = try DESFireCipher.diversified(
                file.octets("\(path)/\(index)/master"), file.octets("\(path)/\(index)/m"))
            #expect(key == file.octets("\(path)/\(index)/key"))
            let wrong = "\(path)/\(index)/wrong-if-padded-to-16"
            if file.has(wrong) { #expect(key != file.octets(wrong)) }
        }
    }
}
