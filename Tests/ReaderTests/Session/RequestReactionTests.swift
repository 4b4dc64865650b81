// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Crypto
import Reader
import Testing
import Timekeeping

@testable import ReaderTestSupport

@Suite("Reactions to a request (access protocol, 5, table)")
struct RequestReactionTests {
    /// The step, what was sent, and whether a new handshake is answered afterwards.
    private func outcome(
        _ token: RawToken, key: P256PrivateKey? = nil, clock: CivilTime? = Terminal.noon
    ) throws -> (step: SessionStep, sent: [[UInt8]]) {
        var terminal = try Terminal()
        terminal.clock = clock
        let step = try terminal.ask(token, key: key)
        let sent = terminal.sent()
        if case .execute = step {} else { #expect(terminal.receive(SessionOctets.handshake) == .reply) }
        return (step, sent)
    }

    /// The reaction to a request that is refused after its command is known.
    private func refused(
        _ status: StatusCode, info: StatusCode, credential: String = "CRED000001", _ command: CommandName = .open
    ) -> SessionStep {
        .refused(
            SessionRefusal(
                status: status, attempt: .init(info: info, credentialID: credential, command: command)))
    }

    private func time(_ hour: Int, _ minute: Int, _ second: Int = 0) -> CivilTime {
        CivilTime(year: 2026, month: 5, day: 4, hour: hour, minute: minute, second: second)
    }

    @Test("MAC wrong, too short, not whole blocks, bad point, empty, a handshake instead: status -156")
    func decrypt() throws {
        let good = try RawToken().encoded()
        let breakages: [(inout [UInt8]) -> Void] = [
            { $0[$0.count - 1] ^= 1 }, { $0[70] ^= 1 }, { $0.removeLast(40) }, { $0.removeLast(1) },
            { $0 = Array($0[..<112]) }, { $0[64] ^= 1 }, { $0[0] = 2 }, { $0 = [] },
            { $0 = Array(SessionOctets.handshake[6...]) },
        ]
        for (row, damage) in breakages.enumerated() {
            var terminal = try Terminal()
            var wire = try terminal.sealed(good)
            damage(&wire)
            #expect(try terminal.request(wire) == .refused(SessionRefusal(status: .decrypt)), "row \(row)")
            #expect(terminal.sent() == [octets("0000 0000 ff64")])
            #expect(terminal.receive(SessionOctets.handshake) == .reply)
        }
    }

    @Test("the salts of another handshake do not open a request: status -156")
    func replay() throws {
        var terminal = try Terminal()
        let wire = try terminal.sealed(RawToken().encoded())
        guard case .execute = try terminal.request(wire) else { throw StatusCode.test }
        #expect(terminal.finish(.ok) == .ok)
        _ = terminal.sent()
        #expect(terminal.receive(SessionOctets.handshake) == .reply)
        _ = terminal.sent()
        #expect(try terminal.request(wire) == .refused(SessionRefusal(status: .decrypt)))
    }

    @Test("no valid token inside: status -32")
    func decode() throws {
        let longName = String(repeating: "x", count: 9)
        var tokens: [[UInt8]] = try [
            RawToken(command: longName).encoded(), RawToken(credential: "12345678901").encoded(),
            RawToken(data: [UInt8](repeating: 0, count: 1793)).encoded(),
            RawToken(credential: nil).encoded(), RawToken(command: nil).encoded(), RawToken(start: nil).encoded(),
            RawToken(end: nil).encoded(), RawToken(data: nil).encoded(), RawToken(hasSignature: false).encoded(),
            RawToken(signature: [UInt8](repeating: 0x30, count: 75)).encoded(),
            RawToken(credential: "CR\u{E9}D").encoded(),
        ]
        tokens += [octets("deadbeef"), octets("05"), octets("ff01")]
        for (row, token) in tokens.enumerated() {
            var terminal = try Terminal()
            let step = try terminal.request(terminal.sealed(token))
            #expect(step == .refused(SessionRefusal(status: .decode)), "row \(row)")
            #expect(terminal.sent() == [octets("0000 0000 ffe0")])
            #expect(terminal.receive(SessionOctets.handshake) == .reply)
        }
    }

    @Test("a token cut off at every length, padding in place of the rest: status -32")
    func truncated() throws {
        let token = try RawToken().encoded()
        // Without its last octet, a zero, the padding completes it again.
        for count in 1..<token.count - 1 {
            var terminal = try Terminal()
            let step = try terminal.request(terminal.sealed(Array(token[..<count])))
            #expect(step == .refused(SessionRefusal(status: .decode)), "\(count) octets")
        }
    }

    @Test("octets after the token are ignored, whatever they are")
    func trailing() throws {
        var terminal = try Terminal()
        let token = try RawToken().encoded() + octets("0404040401")
        guard case .execute = try terminal.request(terminal.sealed(token)) else { throw StatusCode.test }
    }

    @Test("what a log shows of a step holds neither credential nor data")
    func description() throws {
        let step = try outcome(RawToken(command: "UPDATE", data: Array("passphrase".utf8))).step
        #expect("\(step)" == "execute(command UPDATE, 10 octets of data)")
        let refusal = try outcome(RawToken(signature: [])).step
        #expect(!"\(refusal)".contains("CRED"))
    }

    @Test("the longest of everything is accepted, and so is an unknown field")
    func limits() throws {
        let token = RawToken(
            credential: "1234567890", command: "EV_QUERY", data: [UInt8](repeating: 7, count: 1792),
            extra: Raw.number(9, 1))
        guard case .execute(let command) = try outcome(token).step else { throw StatusCode.test }
        #expect(command.credentialID == "1234567890")
        #expect(command.name == .eventQuery)
        #expect(command.data == [UInt8](repeating: 7, count: 1792))
    }

    @Test("no choice of payload: status -5")
    func noPayload() throws {
        var terminal = try Terminal()
        let step = try terminal.request(terminal.sealed(Raw.delimited(Raw.bytes(1, [1, 2, 3]))))
        #expect(step == .refused(SessionRefusal(status: .notSupported)))
        #expect(terminal.sent() == [octets("0000 0000 fffb")])
    }

    @Test("a credential without its required files is no token: status -32")
    func offlinePayloads() throws {
        var terminal = try Terminal()
        let step = try terminal.request(terminal.sealed(Raw.delimited(Raw.bytes(1, [1]) + Raw.bytes(3, []))))
        #expect(step == .refused(SessionRefusal(status: .decode)))
    }

    @Test("an empty signature: status -3, event -12")
    func emptySignature() throws {
        let outcome = try outcome(RawToken(signature: []))
        #expect(outcome.step == refused(.invalidArguments, info: .signature))
        #expect(outcome.sent == [octets("0000 0000 fffd")])
    }

    @Test("a wrong signature: status -12, event -12")
    func wrongSignature() throws {
        let stranger = try P256PrivateKey(scalar: [UInt8](repeating: 0x11, count: 32).span)
        let outcome = try outcome(RawToken(), key: stranger)
        #expect(outcome.step == refused(.signature, info: .signature))
        #expect(outcome.sent == [octets("0000 0000 fff4")])
        for signature in [[0], octets("3006020101020101"), [UInt8](repeating: 0xFF, count: 74)] {
            #expect(try self.outcome(RawToken(signature: signature)).step == refused(.signature, info: .signature))
        }
    }

    @Test("every signed part counts: a token changed after signing is -12")
    func changed() throws {
        let signature = try signature(of: RawToken())
        let far = CivilTime(year: 2099, month: 1, day: 1)
        let changes = [
            RawToken(credential: "CRED000002", signature: signature), RawToken(command: "toof", signature: signature),
            RawToken(start: CivilTime(year: 2020, month: 1, day: 1), signature: signature),
            RawToken(end: far, signature: signature),
        ]
        for token in changes {
            guard case .refused(let refusal) = try outcome(token).step else { throw StatusCode.test }
            #expect(refusal.status == .signature)
        }
        guard case .execute = try outcome(RawToken(signature: signature)).step else { throw StatusCode.test }
    }

    private func signature(of token: RawToken) throws -> [UInt8] {
        let encoded = try token.encoded()
        // Length (two octets above 127, else one), tag 0A, length of the signature.
        let at = encoded[0] < 0x80 ? 2 : 3
        return Array(encoded[(at + 1)..<(at + 1 + Int(encoded[at]))])
    }

    @Test("before the start or after the end: status -13, event -13")
    func validity() throws {
        let token = RawToken(start: time(8, 0), end: time(17, 30))
        for clock in [time(7, 59, 59), time(17, 30, 1), time(17, 31)] {
            let outcome = try outcome(token, clock: clock)
            #expect(outcome.step == refused(.validity, info: .validity))
            #expect(outcome.sent == [octets("0000 0000 fff3")])
        }
        for clock in [time(8, 0), time(8, 0, 59), time(17, 30)] {
            guard case .execute(let command) = try outcome(token, clock: clock).step else { throw StatusCode.test }
            #expect(command.wasValidityChecked)
            #expect(command.validity == TokenValidity(from: time(8, 0), through: time(17, 30)))
        }
    }

    @Test("seconds that a token gives can take away from its signed minutes, and add nothing")
    func seconds() throws {
        let token = RawToken(start: time(8, 0, 30), end: time(17, 30, 40))
        #expect(try outcome(token, clock: time(8, 0, 29)).step == refused(.validity, info: .validity))
        #expect(try outcome(token, clock: time(17, 30, 1)).step == refused(.validity, info: .validity))
        let forged = RawToken(start: time(8, 0), end: time(17, 30, 4_000_000_000))
        #expect(try outcome(forged, clock: time(17, 30, 1)).step == refused(.validity, info: .validity))
    }

    @Test("the clock is not readable: silence, -157, whatever else is wrong with the token")
    func noClock() throws {
        for token in [RawToken(), RawToken(signature: []), RawToken(signature: [1]), RawToken(command: "STATUS")] {
            let outcome = try outcome(token, clock: nil)
            #expect(outcome.step == .silent(.currentTime))
            #expect(outcome.sent.isEmpty)
        }
    }

    @Test("without a clock a command that sets it goes on, if it is signed", arguments: ["UPDATE", "time"])
    func settingTheClock(name: String) throws {
        let token = RawToken(command: name, data: [1, 2], signedAs: "MAINTC")
        guard case .execute(let command) = try outcome(token, clock: nil).step else { throw StatusCode.test }
        #expect(!command.wasValidityChecked)
        #expect(command.data == [1, 2])
        var forged = token
        forged.signature = [0x30]
        #expect(
            try outcome(forged, clock: nil).step
                == refused(.signature, info: .signature, CommandName(rawValue: name)))
    }

    @Test("an unknown command is authorized here; its executor answers -5")
    func unknownCommand() throws {
        var terminal = try Terminal()
        guard case .execute(let command) = try terminal.ask(RawToken(command: "dance")) else { throw StatusCode.test }
        #expect(command.name.rawValue == "dance")
        #expect(terminal.finish(.notSupported) == .notSupported)
        #expect(terminal.sent() == [octets("0000 0000 fffb")])
        #expect(terminal.receive(SessionOctets.handshake) == .reply)
    }

    @Test("a maintenance credential's token fits each command of the group, and none other")
    func group() throws {
        for name in ["PING", "STATUS", "UPDATE", "BL_PUSH", "EV_QUERY", "SL_CLEAR", "BOOTLD"] {
            guard case .execute(let command) = try outcome(RawToken(command: name, signedAs: "MAINTC")).step else {
                throw StatusCode.test
            }
            #expect(command.name.rawValue == name)
        }
        for name in ["tokn", "dance"] {
            #expect(
                try outcome(RawToken(command: name, signedAs: "MAINTC")).step
                    == refused(.signature, info: .signature, CommandName(rawValue: name)))
        }
        // The other way round: a token to open is none for maintenance.
        #expect(
            try outcome(RawToken(command: "UPDATE", signedAs: "tokn")).step
                == refused(.signature, info: .signature, .update))
    }

    @Test("unsigned data is passed on for maintenance commands only")
    func unsignedData() throws {
        for (name, data) in [("tokn", []), ("dance", []), ("UPDATE", [1, 2, 3]), ("PING", [1, 2, 3])]
            as [(String, [UInt8])]
        {
            guard case .execute(let command) = try outcome(RawToken(command: name, data: [1, 2, 3])).step else {
                throw StatusCode.test
            }
            #expect(command.data == data, "\(name)")
        }
    }

    @Test("a checksum error, a short frame or a status in place of the request: silence, and a new handshake")
    func frameFaults() throws {
        var terminal = try Terminal()
        let wire = try terminal.sealed(RawToken().encoded())
        var frame = try message(wire)[0]
        frame[50] ^= 1
        #expect(terminal.receive(frame) == .silent(.crc))
        #expect(terminal.sent().isEmpty)
        // The old request is now taken for a handshake.
        #expect(try terminal.request(wire) == .silent(.decode))
        _ = try terminal.sealed([])
        #expect(terminal.receive([1, 2, 3]) == .silent(.invalidState))
        _ = try terminal.sealed([])
        #expect(terminal.receive(octets("0000 0000 ffff")) == .silent(.peerStatus))
        #expect(terminal.receive(SessionOctets.handshake) == .reply)
    }
}
