// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Crypto
import Reader
import Testing

@testable import ReaderTestSupport

@Suite("Reactions to a handshake (access protocol, 5, table)")
struct HandshakeReactionTests {
    private func step(_ payload: [UInt8]) throws -> (SessionStep?, [[UInt8]]) {
        var terminal = try Terminal()
        var step: SessionStep?
        for frame in try message(payload) {
            step = terminal.receive(frame)
        }
        return (step, terminal.sent())
    }

    @Test("the published handshake is answered with a salt and a signature over the phone's salt")
    func reply() throws {
        var terminal = try Terminal()
        #expect(terminal.receive(SessionOctets.handshake) == .reply)
        let sent = Array(terminal.sent().joined())
        // Delimited: a salt of 16 octets, a signature in DER.
        let count = sent.count - 6
        #expect(Array(sent[6..<9]) == [UInt8(count - 1), 0x0A, 0x10])
        #expect(sent[25] == 0x12)
        #expect(Int(sent[26]) == sent.count - 27)
        #expect(sent[27] == 0x30)
        let (key, salt) = (terminal.identity.terminalKey.publicKey, SessionOctets.transponderSalt)
        let valid = key.isValid(signature: sent.span.extracting(27..<sent.count), for: salt.span)
        #expect(valid)
        #expect(SessionSalt(sent.span.extracting(9..<25))?.isStrong == true)
    }

    @Test("fewer than 8 different values: status -150; 0xFF is none")
    func weakSalt() throws {
        for salt in ["01020304050607ffffffffffffffffff", "01020304050607070707070707070707"] {
            let (step, sent) = try step(Raw.delimited(Raw.bytes(1, octets(salt))))
            #expect(step == .refused(SessionRefusal(status: .salt)))
            #expect(sent == [octets("0000 0000 ff6a")])
        }
        let (step, _) = try step(Raw.delimited(Raw.bytes(1, octets("0102030405060708ffffffffffffffff"))))
        #expect(step == .reply)
    }

    @Test("a salt of 8 or 18 octets, garbage, an empty message: silence, -32")
    func undecodable() throws {
        let salt = SessionOctets.transponderSalt
        for payload in [
            Raw.delimited(Raw.bytes(1, Array(salt[..<8]))), Raw.delimited(Raw.bytes(1, salt + [1, 2])),
            octets("deadbeefdeadbeef"), [], [0x00], Raw.delimited(Raw.bytes(2, salt)),
        ] {
            let (step, sent) = try step(payload)
            #expect(step == .silent(.decode))
            #expect(sent.isEmpty)
        }
    }

    @Test("an extra unknown field is accepted")
    func unknownField() throws {
        let payload = Raw.delimited(
            Raw.bytes(1, SessionOctets.transponderSalt) + Raw.number(9, 5) + Raw.bytes(10, [1, 2, 3]))
        #expect(try step(payload).0 == .reply)
    }

    @Test("truncated at every length, with the lengths put right: silence, -32")
    func truncated() throws {
        let payload = Array(SessionOctets.handshake[6...])
        for count in 0..<payload.count {
            #expect(try step(Array(payload[..<count])).0 == .silent(.decode))
        }
    }

    @Test("checksum wrong, or surplus octets: silence, -9")
    func checksum() throws {
        var terminal = try Terminal()
        var broken = SessionOctets.handshake
        broken[10] ^= 1
        #expect(terminal.receive(broken) == .silent(.crc))
        #expect(terminal.receive(SessionOctets.handshake + [0]) == .silent(.crc))
        #expect(terminal.sent().isEmpty)
        #expect(terminal.receive(SessionOctets.handshake) == .reply)
    }

    @Test("a status other than 0: silence, -170, with a payload or without")
    func status() throws {
        var terminal = try Terminal()
        var message = SessionOctets.handshake
        message[5] = 1
        #expect(terminal.receive(message) == .silent(.peerStatus))
        #expect(terminal.receive(octets("0000 0000 fff4")) == .silent(.peerStatus))
        #expect(terminal.sent().isEmpty)
    }

    @Test("a first frame of 5 octets: silence, -4")
    func shortFrame() throws {
        var terminal = try Terminal()
        #expect(terminal.receive(Array(SessionOctets.handshake[..<5])) == .silent(.invalidState))
        #expect(terminal.sent().isEmpty)
        #expect(terminal.receive(SessionOctets.handshake) == .reply)
    }

    @Test(
        "length field above 2048: -7 at the header, and the next handshake is answered",
        arguments: [
            "0801 0000 0000", "1388 0000 0000", "ffff 0000 0000",
        ])
    func tooLong(header: String) throws {
        var terminal = try Terminal()
        #expect(terminal.receive(octets(header)) == .refused(SessionRefusal(status: .overflow)))
        #expect(terminal.sent() == [octets("0000 0000 fff9")])
        #expect(terminal.receive(SessionOctets.handshake) == .reply)
    }

    @Test("octet by octet after the header, and cut in two anywhere")
    func split() throws {
        var terminal = try Terminal()
        let whole = SessionOctets.handshake
        #expect(terminal.receive(Array(whole[..<6])) == nil)
        for at in 6..<whole.count {
            #expect(terminal.receive([whole[at]]) == (at == whole.count - 1 ? .reply : nil))
        }
        for cut in 6..<whole.count {
            var terminal = try Terminal()
            #expect(terminal.receive(Array(whole[..<cut])) == nil)
            #expect(terminal.receive(Array(whole[cut...])) == .reply)
        }
    }

    @Test("a random source that gives no usable salt: status -153, no handshake")
    func brokenRandom() throws {
        var session = AccessSession()
        var random = ConstantRandom(0)
        let (identity, payload) = (try ReaderIdentity.demo(), Array(SessionOctets.handshake[6...]))
        let step = session.receive(.ok, payload.span, identity: identity, clock: Terminal.noon, random: &random)
        #expect(step == .refused(SessionRefusal(status: .ownSalt)))
    }
}
