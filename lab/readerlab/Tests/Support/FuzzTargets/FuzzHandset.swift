// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf

/// The phone's half of the access protocol, for harnesses: it makes messages that get past header, checksum and
/// encryption, around whatever the input says.
struct FuzzHandset {
    private var assembler = MessageAssembler()
    private var terminalSalt = FuzzKeys.salt

    /// Takes what the reader sends, to learn its salt.
    mutating func receive(_ frame: [UInt8]) {
        guard case .message(.ok) = assembler.receive(frame.span) else { return }
        do throws(ProtobufError) {
            let reply = try SessionHandshakeReply(decodingDelimited: assembler.payload.span)
            terminalSalt = SessionSalt(reply.terminalSalt)
        } catch {}
    }

    static let handshake: [UInt8] = {
        var payload: [UInt8] = []
        SessionHandshake(transponderSalt: FixedBytes(FuzzKeys.salt.octets)).encodeDelimited(into: &payload)
        return header(of: payload) + payload
    }()

    /// A request around this plaintext, as one message.
    func request(_ plaintext: [UInt8]) -> [UInt8] {
        let salts = EnvelopeSalts(transponder: FuzzKeys.salt, terminal: terminalSalt)
        let payload = FuzzKeys.sealed(Array(plaintext.prefix(Envelope.plaintextLimit)), salts: salts)
        return header(of: payload) + payload
    }

    /// The frames that the phone sends in one step of the input, raw or of a message.
    func frames(_ choice: UInt8, _ input: inout FuzzInput, limit: Int) -> [[UInt8]] {
        var message: [UInt8]
        switch choice & 7 {
        case 0, 1: return [input.block()]
        case 2:
            let payload = input.block()
            message = header(of: payload) + payload
        case 3: message = header(of: [], status: Int16(bitPattern: input.word()))
        case 4, 5: message = FuzzHandset.handshake
        case 6: message = request(input.block())
        default: message = request(changed(FuzzKeys.token, &input))
        }
        if choice & 8 != 0, !message.isEmpty {
            message[Int(input.word()) % message.count] ^= input.octet()
        }
        return stride(from: 0, to: message.count, by: limit).map {
            Array(message[$0..<min($0 + limit, message.count)])
        }
    }

    /// The good token with one octet changed, or not.
    private func changed(_ token: [UInt8], _ input: inout FuzzInput) -> [UInt8] {
        var token = token
        token[input.number(below: token.count)] ^= input.octet()
        return token
    }
}
