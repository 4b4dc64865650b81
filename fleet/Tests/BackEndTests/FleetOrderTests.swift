// SPDX-License-Identifier: Apache-2.0

import Crypto
import Fleet
import Foundation
import Reader
import TestSupport
import Testing

@testable import BackEnd
import Commands

/// Orders from the desk: their octets, their counter, and the words for each answer.
@Suite struct FleetOrderTests {
    private static let now: UInt64 = 1_800_000_000

    private static func order(_ command: RemoteCommand = .pulse, seconds: UInt64 = 20, key: [UInt8] = keyID)
        -> FleetOrder
    {
        FleetOrder(
            command, to: "7761307931597753", name: "Front door", key: key,
            id: [UInt8](repeating: 0xAB, count: 16), counter: 7, now: now, seconds: seconds)
    }

    /// The key with the private scalar 1, whose public point is the generator (SEC 2, 2.4.2).
    private static func key() throws -> P256PrivateKey {
        let scalar = [UInt8](repeating: 0, count: 31) + [1]
        return try P256PrivateKey(scalar: scalar.span)
    }

    /// The first octets of the SHA-256 of the generator's SubjectPublicKeyInfo, by OpenSSL.
    private static let keyID: [UInt8] = [0x5C, 0xD2, 0x52, 0xFB, 0x0C, 0xE8, 0x93, 0x24]

    @Test func theMessageOctetForOctet() throws {
        let key = try Self.key()
        let signer = try OrderKey(key)
        #expect(signer.id == Self.keyID)
        let message = try signer.message(Self.order().order)
        let body: [UInt8] =
            [0xA8, 0x62, 0x69, 0x64, 0x50] + [UInt8](repeating: 0xAB, count: 16)  // "id"
            + [0x63, 0x6B, 0x65, 0x79, 0x48] + Self.keyID  // "key"
            + [0x64] + Array("args".utf8) + [0xA0]
            + [0x66] + Array("reader".utf8) + [0x70] + Array("7761307931597753".utf8)
            + [0x67] + Array("command".utf8) + [0x65] + Array("pulse".utf8)
            + [0x67] + Array("counter".utf8) + [0x07]
            + [0x67] + Array("expires".utf8) + [0x1A, 0x6B, 0x49, 0xD2, 0x14]  // now + 20
            + [0x6A] + Array("not-before".utf8) + [0x1A, 0x6B, 0x49, 0xD1, 0xFB]  // now - 5
        #expect(message.starts(with: [0x82, 0x58, UInt8(body.count)] + body + [0x58]))
        let signature = Array(message.dropFirst(3 + body.count + 2))
        #expect(message[3 + body.count + 1] == UInt8(signature.count))
        let signed = Array("readerd-remote-v1\0".utf8) + body
        let (isValid, isValidWithoutDomain) = (
            key.publicKey.isValid(signature: signature.span, for: signed.span),
            key.publicKey.isValid(signature: signature.span, for: body.span)
        )
        #expect(isValid && !isValidWithoutDomain)
        #expect(try RemoteOrder.Signed(message).order == Self.order().order)
    }

    /// The time from `not-before` to `expires` never exceeds what the reader takes.
    @Test(arguments: RemoteCommand.allCases) func times(command: RemoteCommand) {
        for seconds in [1, 20, 26, command.lifeSeconds] {
            let order = Self.order(command, seconds: seconds).order
            #expect(order.expires == Self.now + seconds)
            #expect(order.notBefore <= Self.now && order.notBefore >= Self.now - 5)
            #expect(order.expires - order.notBefore <= command.lifeSeconds)
        }
        #expect(Self.order(command, seconds: command.lifeSeconds).order.notBefore == Self.now)
    }

    private static func text(
        _ answer: RemoteAnswer, by key: P256PrivateKey? = nil
    ) throws -> [UInt8] {
        var signature: [UInt8] = []
        let octets = RemoteAnswer.signedOctets(answer.body)
        try (key ?? Self.key()).sign(octets.span, into: &signature)
        return Array(RemoteAnswer.text(answer.body, signature: signature).utf8)
    }

    private static func answer(
        _ result: RemoteAnswer.Result, _ reason: RemoteAnswer.Reason? = nil, id: UInt8 = 0xAB,
        device: String = "7761307931597753", sequence: UInt64? = nil
    ) -> RemoteAnswer {
        RemoteAnswer(
            device: device, id: [UInt8](repeating: id, count: 16), command: "pulse", result, reason,
            sequence: sequence)
    }

    @Test func onlyTheReadersAnswerCounts() throws {
        let key = try Self.key().publicKey
        let done = Self.answer(.done, sequence: 12)
        #expect(try Self.order().answer(in: Self.text(done), key: key) == done)
        #expect(try Self.order().answer(in: Self.text(Self.answer(.done, id: 0xAC)), key: key) == nil)
        #expect(try Self.order().answer(in: Self.text(Self.answer(.done, device: "6161616161616161")), key: key) == nil)
        #expect(try Self.order().answer(in: Array("{}".utf8), key: key) == nil)
        let forged = try Self.text(done, by: P256PrivateKey.generate())
        #expect(throws: CommandError.self) { try Self.order().answer(in: forged, key: key) }
        let altered = String(decoding: try Self.text(done), as: UTF8.self).replacing("12", with: "13")
        #expect(throws: CommandError.self) { try Self.order().answer(in: Array(altered.utf8), key: key) }
    }

    @Test func linesAndCodes() {
        let order = Self.order()
        #expect(order.line(.answered(Self.answer(.done, sequence: 12))) == "Front door: pulse granted, event 12")
        #expect(
            order.line(.answered(Self.answer(.refused, .lockdown)))
                == "Front door: pulse refused (lockdown): the door is locked down; end that first: --lockdown-off")
        #expect(
            order.line(.unanswered(seconds: 10)).hasPrefix(
                "Front door: pulse: no answer within 10 s; it may still be carried out until 1800000020 "))
        #expect(order.line(.undelivered("x")) == "Front door: pulse: not delivered: x")
        #expect(FleetOrder.code(.answered(Self.answer(.done))) == 0)
        for outcome in [
            FleetOrder.Outcome.answered(Self.answer(.repeated)), .answered(Self.answer(.refused, .key)),
            .unanswered(seconds: 1), .undelivered(""),
        ] { #expect(FleetOrder.code(outcome) == 1) }
        let lines = RemoteAnswer.Reason.allCases.map { order.line(.answered(Self.answer(.refused, $0))) }
        #expect(Set(lines).count == lines.count && lines.allSatisfy { !$0.contains("\n") && $0.utf8.count < 160 })
    }

    @Test func json() {
        #expect(
            Self.order().json(.answered(Self.answer(.done, sequence: 12)))
                == #"{"reader":"Front door","device":"7761307931597753","id":"\#(String(repeating: "ab", count: 16))","#
                + #""command":"pulse","counter":7,"expires":1800000020,"result":"done","sequence":12,"#
                + #""text":"Front door: pulse granted, event 12"}"#)
        #expect(Self.order().json(.unanswered(seconds: 1)).contains(#""result":"no-answer""#))
    }

    // MARK: - Files

    @Test func theKeyIsMadeOnceAndPrivate() throws {
        let directory = try TemporaryDirectory()
        let paths = try OrderKey.make(in: directory.path + "/desk")
        let mode = { (path: String) in
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(paths.private) == 0o600 && mode(paths.public) == 0o644)
        let made = try OrderKey(path: paths.private)
        let pem = Array(try Data(contentsOf: URL(fileURLWithPath: paths.public)))
        let der = try P256PublicKey(pem: pem.span).der()
        let hash = try SHA256.hash(der.span)
        #expect(made.id == (0..<8).map { hash[$0] })
        #expect(throws: CommandError.self) { try OrderKey.make(in: directory.path + "/desk") }
        #expect(try OrderKey(path: paths.private).id == made.id)
        // Half of a pair is not made good either.
        try FileManager.default.removeItem(atPath: paths.private)
        #expect(throws: CommandError.self) { try OrderKey.make(in: directory.path + "/desk") }
    }

    @Test func aKeyThatOthersReadIsRefused() throws {
        let directory = try TemporaryDirectory()
        let paths = try OrderKey.make(in: directory.path)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: paths.private)
        #expect(throws: CommandError.self) { try OrderKey(path: paths.private) }
        #expect(throws: CommandError.self) { try OrderKey(path: paths.public) }
    }

    @Test func theCounterOnlyRises() throws {
        let directory = try TemporaryDirectory()
        let path = try OrderKey.make(in: directory.path).private
        let counter = OrderCounter(keyPath: path)
        #expect(try counter.next(at: 1000) == 1000)
        #expect(try String(contentsOfFile: path + ".counter", encoding: .utf8) == "1000\n")
        // The same moment, and a clock that has gone back.
        #expect(try counter.next(at: 1000) == 1001)
        #expect(try counter.next(at: 5) == 1002)
        #expect(try OrderCounter(keyPath: path).next(at: 2000) == 2000)
        // The end: a number of the order has to be below 2^53.
        #expect(try counter.next(at: 1 << 53 - 1) == 1 << 53 - 1)
        #expect(throws: CommandError.self) { try counter.next(at: 0) }
    }

    @Test(arguments: ["", "\n", "12", "-1\n", "9007199254740992\n", "1 2\n", "12\n\n", "123456789012345678\n"])
    func aDamagedCounterIsRefused(text: String) throws {
        let directory = try TemporaryDirectory()
        let path = try OrderKey.make(in: directory.path).private
        try Data(text.utf8).write(to: URL(fileURLWithPath: path + ".counter"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path + ".counter")
        #expect(throws: CommandError.self) { try OrderCounter(keyPath: path).next(at: 1 << 40) }
    }
}
