// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Crypto
import Phone
import Reader
import Testing
import Timekeeping

@testable import ReaderTestSupport

@Suite("Whole exchanges (access protocol, 5)")
struct ExchangeTests {
    private let validity = TokenValidity(
        from: CivilTime(year: 2026, month: 1, day: 1), through: CivilTime(year: 2027, month: 1, day: 1))

    /// A random source that first gives the recorded salt, then known octets.
    private struct Recorded: RandomSource {
        var recorded = SessionOctets.terminalSalt
        var rest = SplitMix64(seed: 3)

        mutating func fill(_ octets: inout MutableSpan<UInt8>) {
            guard octets.count == recorded.count else { return rest.fill(&octets) }
            for at in octets.indices { octets[at] = recorded[at] }
            recorded = []
        }
    }

    @Test("the recorded exchange, with the device's salt as recorded: same request accepted, same response sent")
    func recorded() throws {
        var session = AccessSession()
        var random = Recorded()
        let identity = try ReaderIdentity.demo()
        let clock = CivilTime(year: 2024, month: 4, day: 18)
        let (handshake, request) = (Array(SessionOctets.handshake[6...]), Array(SessionOctets.request[6...]))

        #expect(session.receive(.ok, handshake.span, identity: identity, clock: clock, random: &random) == .reply)
        // Signatures differ from one to the next; everything before is as recorded.
        #expect(Array(session.answer[9..<25]) == SessionOctets.terminalSalt)
        session.answerTaken()

        let step = session.receive(.ok, request.span, identity: identity, clock: clock, random: &random)
        guard case .execute(let command) = step else { throw StatusCode.test }
        #expect(command.credentialID == "CRED000001")
        #expect(command.name == .ping)
        #expect(command.data.isEmpty)
        #expect(
            command.validity
                == TokenValidity(
                    from: CivilTime(year: 2023, month: 1, day: 1), through: CivilTime(year: 2030, month: 1, day: 1)))

        let result = SessionOctets.resultData
        #expect(session.finish(.ok, result: result.span, identity: identity) == .ok)
        #expect(session.answer == SessionOctets.response)
    }

    /// Runs one exchange to its end, executing with `execute`; what the phone reports.
    private func exchange(
        _ phone: inout Handset, _ terminal: inout Terminal, token: [UInt8],
        execute: (AuthorizedCommand) -> (StatusCode, [UInt8]) = { _ in (.ok, []) }
    ) throws -> PhoneStep {
        var last = try phone.start(token, DemoKeys.terminal())
        guard last == .send else { return last }
        for _ in 0..<4 {
            for frame in phone.sent() {
                if case .execute(let command) = terminal.receive(frame) {
                    let (status, result) = execute(command)
                    _ = terminal.finish(status, result)
                }
            }
            for frame in terminal.sent() {
                last = phone.receive(frame)
            }
            switch last {
            case .completed, .failed: return last
            default: break
            }
        }
        return last
    }

    @Test("phone and reader, every frame size", arguments: [7, 20, 23, 64, 182, 185, 244, 509, 512])
    func frameSizes(limit: Int) throws {
        var phone = Handset()
        var terminal = try Terminal()
        (phone.limit, terminal.limit) = (limit, limit)
        let token = try TokenIssuer.demo().commandToken(
            credentialID: "CRED000001", command: .update, data: [UInt8](repeating: 1, count: 700), validity: validity)
        let result = [UInt8](repeating: 2, count: 1792)
        var executed = 0
        let step = try exchange(&phone, &terminal, token: token) { command in
            #expect(command.name == .update)
            #expect(command.data.count == 700)
            executed += 1
            return (.ok, result)
        }
        #expect(step == .completed(result))
        #expect(executed == 1)
    }

    @Test("many exchanges on one link, good and bad in turn, each with a key and salts of its own")
    func backToBack() throws {
        var phone = Handset()
        var terminal = try Terminal()
        let issuer = try TokenIssuer.demo()
        let stranger = TokenIssuer(
            signatureKey: try P256PrivateKey(scalar: [UInt8](repeating: 0x11, count: 32).span))
        var requests: Set<[UInt8]> = []
        for round in 0..<12 {
            let by = round % 3 == 1 ? stranger : issuer
            let token = try by.commandToken(
                credentialID: "C\(round)", command: round % 3 == 2 ? CommandName(rawValue: "dance") : .open,
                validity: validity)
            #expect(try phone.start(token, DemoKeys.terminal()) == .send)
            for frame in phone.sent() { #expect(terminal.receive(frame) == .reply) }
            for frame in terminal.sent() { _ = phone.receive(frame) }
            var step: SessionStep?
            let frames = phone.sent()
            #expect(requests.insert(Array(frames.joined().dropFirst(6).prefix(65))).inserted, "a key was used twice")
            for frame in frames { step = terminal.receive(frame) }
            if case .execute(let command) = step {
                #expect(command.credentialID == "C\(round)")
                #expect(terminal.finish(command.name == .open ? .ok : .notSupported) != .invalidState)
            }
            var last = PhoneStep.incomplete
            for frame in terminal.sent() { last = phone.receive(frame) }
            switch round % 3 {
            case 0: #expect(last == .completed([]))
            case 1: #expect(last == .failed(PhoneFailure(.peerStatus, terminal: .signature)))
            default: #expect(last == .failed(PhoneFailure(.peerStatus, terminal: .notSupported)))
            }
            #expect(phone.session.isActive == false)
        }
    }

    @Test("a message while a command is executed, or before the answer is taken, is dropped and changes nothing")
    func oneAtATime() throws {
        var terminal = try Terminal()
        #expect(terminal.receive(SessionOctets.handshake) == .reply)
        let answer = terminal.session.answer
        #expect(answer.dropFirst(25).first == 0x12)
        #expect(terminal.receive(SessionOctets.handshake) == .silent(.unavailable))
        #expect(terminal.receive(octets("0000 0000 fff4")) == .silent(.unavailable))
        #expect(terminal.session.answer == answer)

        terminal = try Terminal()
        guard case .execute = try terminal.ask(RawToken()) else { throw StatusCode.test }
        #expect(terminal.session.isExecuting == true)
        #expect(terminal.receive(SessionOctets.handshake) == .silent(.unavailable))
        #expect(terminal.sent().isEmpty)
        #expect(terminal.finish(.ok) == .ok)
        #expect(terminal.session.isExecuting == false)
        #expect(terminal.receive(SessionOctets.handshake) == .silent(.unavailable))
        #expect(!terminal.sent().isEmpty)
        #expect(terminal.receive(SessionOctets.handshake) == .reply)
    }

    @Test("finish without a command answers -4 and sends nothing")
    func finishTwice() throws {
        var terminal = try Terminal()
        #expect(terminal.finish(.ok) == .invalidState)
        #expect(terminal.sent().isEmpty)
        guard case .execute = try terminal.ask(RawToken()) else { throw StatusCode.test }
        #expect(terminal.finish(.ok) == .ok)
        #expect(terminal.finish(.ok) == .invalidState)
        #expect(terminal.sent().count == 1)
        // Between handshake and request neither, and the handshake stands.
        let wire = try terminal.sealed(RawToken().encoded())
        #expect(terminal.finish(.ok) == .invalidState)
        guard case .execute = try terminal.request(wire) else { throw StatusCode.test }
    }

    @Test("a result of more than 1792 octets: -30 in clear")
    func longResult() throws {
        var terminal = try Terminal()
        guard case .execute = try terminal.ask(RawToken()) else { throw StatusCode.test }
        #expect(terminal.finish(.ok, [UInt8](repeating: 0, count: 1793)) == .encode)
        #expect(terminal.sent() == [octets("0000 0000 ffe2")])
        #expect(terminal.receive(SessionOctets.handshake) == .reply)
    }

    @Test("reset forgets a handshake, a half message, a command and an answer")
    func reset() throws {
        var terminal = try Terminal()
        let wire = try terminal.sealed(RawToken().encoded())
        #expect(terminal.receive(Array(try message(wire)[0][..<100])) == nil)
        terminal.reset()
        #expect(terminal.receive(SessionOctets.handshake) == .reply)
        terminal.session.reset()
        #expect(terminal.session.answer.isEmpty == true)
        guard case .execute = try terminal.ask(RawToken()) else { throw StatusCode.test }
        terminal.session.reset()
        #expect(terminal.finish(.ok) == .invalidState)
        #expect(terminal.receive(SessionOctets.handshake) == .reply)
    }

    @Test("100,000 random frames: nothing is ever executed, and a phone is served afterwards")
    func hostileFrames() throws {
        var phone = Handset()
        var terminal = try Terminal()
        var random = SplitMix64(seed: 5)
        let good = try RawToken().encoded()
        for round in 0..<100_000 {
            var frame = random.octets(Int(random.next() % 24))
            // Mostly short messages, now and then a real handshake, and a request with one bit flipped.
            if frame.count > 4, random.next() % 4 != 0 { frame[0] = 0 }
            if round % 500 == 499 { frame = SessionOctets.handshake }
            if round % 5000 == 4999 {
                terminal.reset()
                var wire = try terminal.sealed(good)
                wire[Int(random.next() % UInt64(wire.count))] ^= 1 << UInt8(random.next() % 8)
                frame = try message(wire)[0]
            }
            let step = terminal.receive(frame)
            if case .execute = step { Issue.record("round \(round) was executed") }
            _ = terminal.sent()
        }
        terminal.reset()
        let token = try TokenIssuer.demo().commandToken(
            credentialID: "CRED000001", command: .open, validity: validity)
        #expect(try exchange(&phone, &terminal, token: token) == .completed([]))
    }
}
