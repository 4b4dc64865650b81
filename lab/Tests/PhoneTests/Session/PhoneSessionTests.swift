// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Crypto
import Phone
import Testing
import Timekeeping

@Suite("The phone's half of an exchange (access protocol, 5)")
struct PhoneSessionTests {
    /// A device built from primitives, so that it can answer as no reader would.
    private struct Device {
        let key: P256PrivateKey
        var salt = octets("5f748e29d1314bfa870a93bcee975919")

        init() throws {
            let scalar = DemoIdentity.terminalScalar
            key = try P256PrivateKey(scalar: scalar.span)
        }

        /// A reply whose signature by `signer` covers `signed`.
        func reply(over signed: [UInt8], by signer: P256PrivateKey? = nil) throws -> [UInt8] {
            var signature: [UInt8] = []
            try (signer ?? key).sign(signed.span, into: &signature)
            let message = [0x0A, UInt8(salt.count)] + salt + [0x12, UInt8(signature.count)] + signature
            return [UInt8(message.count)] + message
        }

        /// Opens the phone's request.
        func open(_ wire: [UInt8], phoneSalt: [UInt8], into plaintext: inout [UInt8]) throws -> Envelope {
            guard let transponder = SessionSalt(phoneSalt.span), let terminal = SessionSalt(salt.span) else {
                throw StatusCode.test
            }
            let salts = EnvelopeSalts(transponder: transponder, terminal: terminal)
            return try Envelope.open(request: wire.span, terminalKey: key, salts: salts, into: &plaintext)
        }
    }

    private struct Phone: ~Copyable {
        var session = PhoneSession()
        var random = SplitMix64(seed: 7)

        mutating func start(_ token: [UInt8] = [2, 0x0A, 0]) throws -> PhoneStep {
            let point = DemoIdentity.terminalPoint
            return session.start(token: token.span, terminal: try P256PublicKey(point: point.span), random: &random)
        }

        mutating func receive(_ frame: [UInt8]) -> PhoneStep {
            session.receive(frame.span, random: &random)
        }

        mutating func receive(payload: [UInt8]) throws -> PhoneStep {
            var framer = MessageFramer()
            try framer.begin(payload: payload.span)
            var step = PhoneStep.incomplete
            for frame in allPackets({ framer.next(limit: 512, into: &$0) }) { step = receive(frame) }
            return step
        }

        /// The payload of the one message that is ready.
        mutating func sent() -> [UInt8] {
            Array(allPackets { session.nextFrame(limit: 20, into: &$0) }.joined().dropFirst(6))
        }

        /// Starts the session and performs the handshake; returns the salt that the phone sent and its request.
        mutating func requested(_ device: Device, token: [UInt8] = [2, 0x0A, 0]) throws -> (
            salt: [UInt8], wire: [UInt8]
        ) {
            guard try start(token) == .send else { throw StatusCode.test }
            let salt = Array(sent().dropFirst(3))
            guard try receive(payload: device.reply(over: salt)) == .send else { throw StatusCode.test }
            return (salt, sent())
        }
    }

    @Test("a handshake with a salt of its own, then the token as it was given, zero-padded")
    func request() throws {
        var phone = Phone()
        let device = try Device()
        #expect(try phone.start([3, 1, 2, 3]) == .send)
        let handshake = phone.sent()
        #expect(Array(handshake[..<3]) == octets("120a10"))
        #expect(handshake.count == 19)
        let salt = Array(handshake[3...])
        #expect(SessionSalt(salt.span)?.isStrong == true)
        #expect(try phone.receive(payload: device.reply(over: salt)) == .send)
        var plaintext: [UInt8] = []
        let envelope = try device.open(phone.sent(), phoneSalt: salt, into: &plaintext)
        #expect(plaintext == [3, 1, 2, 3] + [UInt8](repeating: 0, count: 12))

        var (result, wire) = (octets("04 0a02cafe"), [UInt8]())
        try envelope.seal(.response, sender: device.key.publicPoint, plaintext: &result, into: &wire)
        #expect(try phone.receive(payload: wire) == .completed([0xCA, 0xFE]))
        #expect(phone.session.isActive == false)
    }

    @Test("an empty result is completed with nothing; one without its required field is -32")
    func results() throws {
        let device = try Device()
        for (text, expected) in [
            ("02 0a00", .completed([])), ("00", .failed(PhoneFailure(.decode))),
            ("02 1201", .failed(PhoneFailure(.decode))), ("ff", .failed(PhoneFailure(.decode))),
        ] as [(String, PhoneStep)] {
            var phone = Phone()
            let (salt, request) = try phone.requested(device)
            var plaintext: [UInt8] = []
            let envelope = try device.open(request, phoneSalt: salt, into: &plaintext)
            var (result, wire) = (octets(text), [UInt8]())
            try envelope.seal(.response, sender: device.key.publicPoint, plaintext: &result, into: &wire)
            #expect(try phone.receive(payload: wire) == expected, "\(text)")
        }
    }

    @Test("a reply with a wrong signature: -12")
    func wrongSignature() throws {
        let device = try Device()
        var phone = Phone()
        #expect(try phone.start() == .send)
        let salt = Array(phone.sent().dropFirst(3))
        let stranger = try P256PrivateKey(scalar: [UInt8](repeating: 0x11, count: 32).span)
        #expect(try phone.receive(payload: device.reply(over: salt, by: stranger)) == .failed(PhoneFailure(.signature)))
        #expect(phone.sent().isEmpty)

        #expect(try phone.start() == .send)
        _ = phone.sent()
        // The device's own signature, over another handshake's salt.
        #expect(try phone.receive(payload: device.reply(over: salt)) == .failed(PhoneFailure(.signature)))
    }

    @Test("a weak salt of the device: -150")
    func weakSalt() throws {
        var device = try Device()
        device.salt = octets("01020304050607ffffffffffffffffff")
        var phone = Phone()
        #expect(try phone.start() == .send)
        let salt = Array(phone.sent().dropFirst(3))
        #expect(try phone.receive(payload: device.reply(over: salt)) == .failed(PhoneFailure(.salt)))
    }

    @Test("a reply that is none, truncated at every length: -32")
    func undecodable() throws {
        let device = try Device()
        var phone = Phone()
        var salt = [UInt8](repeating: 0, count: 16)
        let reply = try device.reply(over: salt)
        for count in 0..<reply.count {
            #expect(try phone.start() == .send)
            salt = phone.sent()
            #expect(try phone.receive(payload: Array(reply[..<count])) == .failed(PhoneFailure(.decode)))
        }
    }

    @Test("checksum wrong: -9; a first frame of 5 octets: -4; more than 2048 octets: -7")
    func frames() throws {
        var phone = Phone()
        #expect(try phone.start() == .send)
        #expect(phone.receive(octets("0001 0000 0000 55")) == .failed(PhoneFailure(.crc)))
        #expect(try phone.start() == .send)
        #expect(phone.receive([0, 0, 0, 0, 0]) == .failed(PhoneFailure(.invalidState)))
        #expect(try phone.start() == .send)
        #expect(phone.receive(octets("1388 0000 0000")) == .failed(PhoneFailure(.overflow)))
        #expect(phone.receive([0]) == .ignored)
    }

    @Test("a status alone: -170, and the status is passed up; after the handshake and after the request")
    func status() throws {
        var phone = Phone()
        #expect(try phone.start() == .send)
        #expect(phone.receive(octets("0000 0000 ff6a")) == .failed(PhoneFailure(.peerStatus, terminal: .salt)))
        _ = try phone.requested(Device())
        #expect(phone.receive(octets("0000 0000 fff3")) == .failed(PhoneFailure(.peerStatus, terminal: .validity)))
        _ = try phone.requested(Device())
        let unknown = StatusCode(rawValue: -9999)
        #expect(phone.receive(octets("0000 0000 d8f1")) == .failed(PhoneFailure(.peerStatus, terminal: unknown)))
    }

    @Test("a response with a wrong MAC, under the wrong half of the keys, or of somebody else: -14")
    func wrongResponse() throws {
        let device = try Device()
        for variant in 0..<5 {
            var phone = Phone()
            let (salt, request) = try phone.requested(device)
            var plaintext: [UInt8] = []
            let envelope = try device.open(request, phoneSalt: salt, into: &plaintext)
            var (result, wire) = (octets("02 0a00"), [UInt8]())
            switch variant {
            case 0:
                try envelope.seal(.response, sender: device.key.publicPoint, plaintext: &result, into: &wire)
                wire[wire.count - 1] ^= 1
            case 1:
                try envelope.seal(.request, sender: device.key.publicPoint, plaintext: &result, into: &wire)
            case 2:
                // Valid in itself: anyone who relays the handshake can make this one.
                let forger = try P256PrivateKey(scalar: [UInt8](repeating: 0x11, count: 32).span)
                guard let transponder = SessionSalt(salt.span), let terminal = SessionSalt(device.salt.span) else {
                    throw StatusCode.test
                }
                let forged = try Envelope(
                    ownKey: forger, peerPoint: request.span.extracting(0..<65),
                    salts: EnvelopeSalts(transponder: transponder, terminal: terminal))
                try forged.seal(.response, sender: forger.publicPoint, plaintext: &result, into: &wire)
            case 3:
                try envelope.seal(.response, sender: device.key.publicPoint, plaintext: &result, into: &wire)
                wire.removeLast()
            default:
                wire = []
            }
            #expect(try phone.receive(payload: wire) == .failed(PhoneFailure(.cryptography)), "variant \(variant)")
        }
    }

    @Test("one exchange at a time, and nothing is expected when none goes on")
    func order() throws {
        var phone = Phone()
        #expect(phone.receive(octets("0000 0000 0000")) == .ignored)
        #expect(try phone.start() == .send)
        #expect(try phone.start() == .failed(PhoneFailure(.invalidState)))
        #expect(phone.session.isActive == true)
        phone.session.reset()
        #expect(phone.session.isActive == false)
        #expect(phone.sent().isEmpty)
        #expect(try phone.start([UInt8](repeating: 0, count: 1937)) == .failed(PhoneFailure(.overflow)))
        #expect(try phone.start([UInt8](repeating: 0, count: 1936)) == .send)
    }

    @Test("a source that gives no salt or no scalar fails the exchange")
    func brokenRandom() throws {
        let device = try Device()
        var session = PhoneSession()
        var (broken, good) = (ConstantRandom(0xFF), SplitMix64(seed: 1))
        let (key, token) = (device.key.publicKey, [UInt8]([0]))
        #expect(session.start(token: token.span, terminal: key, random: &broken) == .failed(PhoneFailure(.ownSalt)))
        #expect(session.start(token: token.span, terminal: key, random: &good) == .send)
        var (frame, framer) = ([UInt8](), MessageFramer())
        _ = session.nextFrame(limit: 512, into: &frame)
        let reply = try device.reply(over: Array(frame[9...]))
        try framer.begin(payload: reply.span)
        _ = framer.next(limit: 512, into: &frame)
        #expect(session.receive(frame.span, random: &broken) == .failed(PhoneFailure(.cryptography)))
    }

    @Test("100,000 random frames from the device never complete an exchange")
    func hostileFrames() throws {
        var phone = Phone()
        var random = SplitMix64(seed: 8)
        for _ in 0..<100_000 {
            if !phone.session.isActive { _ = try phone.start() }
            var frame = random.octets(Int(random.next() % 24))
            if frame.count > 4, random.next() % 4 != 0 { frame[0] = 0 }
            switch phone.receive(frame) {
            case .completed, .send, .ignored: Issue.record("a random frame was taken for an answer")
            case .incomplete, .failed: break
            }
        }
    }
}
