// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Crypto
import Testing

@testable import ReaderTestSupport

@Suite("Encryption of one exchange (access protocol, 5)")
struct EnvelopeTests {
    /// Opens a request as the demo device.
    private func open(_ wire: [UInt8]) throws -> [UInt8] {
        var plaintext: [UInt8] = [1, 2, 3]
        let key = try SessionOctets.terminalKey()
        var envelope = try Envelope.open(
            request: wire.span, terminalKey: key, salts: SessionOctets.salts(), into: &plaintext)
        envelope.wipe()
        return plaintext
    }

    /// The error that opening throws, for expectations that compare it.
    private func error(_ body: () throws -> Void) -> EnvelopeError? {
        thrown(body) as? EnvelopeError
    }

    /// The secret between `key` and the owner of `peer`, over the published salts.
    private func agree(_ key: P256PrivateKey, _ peer: P256PrivateKey, _ salts: EnvelopeSalts) throws -> Envelope {
        let point = peer.publicPoint
        return try Envelope(ownKey: key, peerPoint: point.octets.span, salts: salts)
    }

    @Test("the published salts")
    func salts() throws {
        let salts = try SessionOctets.salts()
        #expect(octets(salts.kdf) == SessionOctets.kdfSalt)
        #expect(octets(salts.mac) == SessionOctets.macSalt)
    }

    @Test("the published request opens, padding and all")
    func request() throws {
        #expect(try open(SessionOctets.requestEnvelope) == SessionOctets.requestPlaintext)
    }

    @Test("the published response is sealed octet for octet, over the request's secret")
    func response() throws {
        let key = try SessionOctets.terminalKey()
        var plaintext: [UInt8] = []
        let (request, salts) = (SessionOctets.requestEnvelope, try SessionOctets.salts())
        let envelope = try Envelope.open(request: request.span, terminalKey: key, salts: salts, into: &plaintext)
        plaintext = Array(SessionOctets.responsePlaintext.dropLast(2))
        var wire: [UInt8] = [0xAA]
        try envelope.seal(.response, sender: key.publicPoint, plaintext: &plaintext, into: &wire)
        #expect(wire == [0xAA] + SessionOctets.responseEnvelope)
    }

    @Test("the published request is sealed octet for octet, since both sides have its secret")
    func requestSealed() throws {
        let (point, salts) = (SessionOctets.requestPoint, try SessionOctets.salts())
        let key = try SessionOctets.terminalKey()
        let envelope = try Envelope(ownKey: key, peerPoint: point.span, salts: salts)
        var plaintext = Array(SessionOctets.requestPlaintext.dropLast(14))
        var wire: [UInt8] = []
        try envelope.seal(.request, sender: P256Point(point.span), plaintext: &plaintext, into: &wire)
        #expect(wire == SessionOctets.requestEnvelope)
        #expect(plaintext == SessionOctets.requestCiphertext)
    }

    @Test("both directions with a key of our own, every length up to three blocks, and the limit")
    func roundTrip() throws {
        let terminal = try SessionOctets.terminalKey()
        let phone = try P256PrivateKey(scalar: DemoIdentity.signatureScalar.span)
        let sending = try agree(phone, terminal, SessionOctets.salts())
        var opened: [UInt8] = []
        for count in Array(1...48) + [Envelope.plaintextLimit] {
            let text = [UInt8](repeating: 0x41, count: count)
            let padded = text + [UInt8](repeating: 0, count: (16 - count % 16) % 16)
            var plaintext = text
            var wire: [UInt8] = []
            try sending.seal(.request, sender: phone.publicPoint, plaintext: &plaintext, into: &wire)
            #expect(wire.count == 65 + padded.count + 32)
            let receiving = try Envelope.open(
                request: wire.span, terminalKey: terminal, salts: SessionOctets.salts(), into: &opened)
            #expect(opened == padded)

            plaintext = text
            wire = []
            try receiving.seal(.response, sender: terminal.publicPoint, plaintext: &plaintext, into: &wire)
            try sending.open(response: wire.span, terminalPoint: terminal.publicPoint, into: &opened)
            #expect(opened == padded)
        }
    }

    @Test("1936 octets are the most that a message of 2048 carries")
    func limit() throws {
        #expect(Envelope.plaintextLimit == 1936)
        let key = try SessionOctets.terminalKey()
        let (point, salts) = (SessionOctets.requestPoint, try SessionOctets.salts())
        let envelope = try Envelope(ownKey: key, peerPoint: point.span, salts: salts)
        var plaintext = [UInt8](repeating: 0, count: 1937)
        var wire: [UInt8] = []
        #expect(throws: StatusCode.overflow) {
            try envelope.seal(.response, sender: key.publicPoint, plaintext: &plaintext, into: &wire)
        }
        #expect(wire.isEmpty)
        let long = SessionOctets.requestPoint + [UInt8](repeating: 0, count: 1952 + 32)
        #expect(error { _ = try open(long) } == .overflow)
    }

    @Test("a flipped bit in ciphertext or tag is found before anything is decrypted")
    func authentication() throws {
        for at in 65..<SessionOctets.requestEnvelope.count {
            var wire = SessionOctets.requestEnvelope
            wire[at] ^= 0x10
            #expect(error { _ = try open(wire) } == .authentication, "octet \(at)")
        }
    }

    @Test("the point must be on the curve, uncompressed, and not infinity")
    func point() {
        var offCurve = SessionOctets.requestEnvelope
        offCurve[64] ^= 1
        #expect(error { _ = try open(offCurve) } == .point)
        for form: UInt8 in [0x00, 0x02, 0x03, 0x05, 0x06, 0x07] {
            var wire = SessionOctets.requestEnvelope
            wire[0] = form
            #expect(error { _ = try open(wire) } == .point, "form \(form)")
        }
        var zero = SessionOctets.requestEnvelope
        for at in 1..<65 { zero[at] = 0 }
        #expect(error { _ = try open(zero) } == .point)
    }

    @Test("truncated at every length, and with trailing octets")
    func length() {
        for count in 0..<SessionOctets.requestEnvelope.count {
            let whole = count >= 113 && (count - 97) % 16 == 0
            let wire = Array(SessionOctets.requestEnvelope[..<count])
            #expect(error { _ = try open(wire) } == (whole ? .authentication : .length), "\(count) octets")
        }
        for extra in 1...16 {
            let wire = SessionOctets.requestEnvelope + [UInt8](repeating: 0, count: extra)
            #expect(error { _ = try open(wire) } == (extra == 16 ? .authentication : .length))
        }
    }

    @Test("a failure leaves no plaintext behind")
    func noPlaintext() throws {
        var plaintext: [UInt8] = [1, 2, 3]
        var wire = SessionOctets.requestEnvelope
        wire[300 - 65] ^= 1
        let key = try SessionOctets.terminalKey()
        let salts = try SessionOctets.salts()
        #expect(
            error {
                _ = try Envelope.open(request: wire.span, terminalKey: key, salts: salts, into: &plaintext)
            } == .authentication)
        #expect(plaintext.isEmpty)
    }

    @Test("the phone refuses a response under another key, the request's half, and other salts")
    func wrongResponse() throws {
        let terminal = try SessionOctets.terminalKey()
        let stranger = try P256PrivateKey(scalar: DemoIdentity.signatureScalar.span)
        let salts = try SessionOctets.salts()
        let phone = try P256PrivateKey(scalar: octets("00\(String(repeating: "11", count: 31))").span)
        let sending = try agree(phone, terminal, salts)
        var opened: [UInt8] = []

        // A complete and valid envelope of another party: only the point distinguishes it.
        let forging = try agree(stranger, phone, salts)
        var plaintext: [UInt8] = [1]
        var wire: [UInt8] = []
        try forging.seal(.response, sender: stranger.publicPoint, plaintext: &plaintext, into: &wire)
        #expect(
            error { try sending.open(response: wire.span, terminalPoint: terminal.publicPoint, into: &opened) }
                == .point)

        let answering = try agree(terminal, phone, salts)
        plaintext = [1]
        wire = []
        try answering.seal(.request, sender: terminal.publicPoint, plaintext: &plaintext, into: &wire)
        #expect(
            error { try sending.open(response: wire.span, terminalPoint: terminal.publicPoint, into: &opened) }
                == .authentication)

        let swapped = EnvelopeSalts(
            transponder: try SessionOctets.salt(SessionOctets.terminalSalt),
            terminal: try SessionOctets.salt(SessionOctets.transponderSalt))
        let older = try agree(terminal, phone, swapped)
        plaintext = [1]
        wire = []
        try older.seal(.response, sender: terminal.publicPoint, plaintext: &plaintext, into: &wire)
        #expect(
            error { try sending.open(response: wire.span, terminalPoint: terminal.publicPoint, into: &opened) }
                == .authentication)
    }
}
