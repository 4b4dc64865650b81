// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Foundation
import JSON
import TestSupport
import Testing

/// `protocols/access/session-vector.json`: one exchange with the demo identity, for authors of phones.
@Suite("The published session vector (docs/protocol/access-profile.md, 5)")
struct SessionFileTests {
    private let vector: [String: [String: String]]

    init() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let file = root.appendingPathComponent("protocols/access/session-vector.json")
        guard case .object(let sections) = try JSONParser.parse(Array(Data(contentsOf: file))).content else {
            throw StatusCode.decode
        }
        vector = sections.reduce(into: [:]) { vector, section in
            guard case .object(let members) = section.value.content else { return }
            vector[section.name] = members.reduce(into: [:]) { values, member in
                if case .string(let text) = member.value.content { values[member.name] = text }
            }
        }
    }

    /// The octets of a member in hexadecimal.
    private func value(_ section: String, _ name: String) throws -> [UInt8] {
        octets(try #require(vector[section]?[name]))
    }

    private func salt(_ section: String, _ name: String) throws -> SessionSalt {
        let octets = try value(section, name)
        let salt = SessionSalt(octets.span)
        return try #require(salt)
    }

    private func salts() throws -> EnvelopeSalts {
        EnvelopeSalts(transponder: try salt("handshake", "phone-salt"), terminal: try salt("reply", "reader-salt"))
    }

    private func privateKey(_ section: String) throws -> P256PrivateKey {
        let scalar = try value(section, "private-key")
        let key = try P256PrivateKey(scalar: scalar.span)
        #expect(octets(key.publicPoint.octets) == (try value(section, "public-key")))
        return key
    }

    /// The message of a section without its header, which is verified.
    private func payload(_ section: String) throws -> [UInt8] {
        let message = try value(section, "message")
        _ = try MessageHeader(checking: message.span)
        return Array(message.dropFirst(6))
    }

    @Test("the keys are the demo identity's")
    func keys() throws {
        #expect(octets(DemoIdentity.terminalPoint) == (try value("reader", "public-key")))
        #expect(octets(DemoIdentity.signaturePoint) == (try value("backend", "public-key")))
        _ = try privateKey("reader")
        _ = try privateKey("backend")
    }

    @Test("the salts, the shared secret and the keys of both directions")
    func derivation() throws {
        let salts = try salts()
        #expect(octets(salts.kdf) == (try value("keys", "kdf-salt")))
        #expect(octets(salts.mac) == (try value("keys", "mac-salt")))
        let (phone, reader) = (try privateKey("phone"), try privateKey("reader"))
        let secret = try phone.sharedSecret(with: reader.publicPoint.octets.span)
        #expect(octets(secret) == (try value("keys", "shared-secret")))
        for (direction, sender, half) in [("request", phone, 0), ("answer", reader, 48)] {
            var material = [UInt8](repeating: 0, count: 96)
            var span = material.mutableSpan
            let input = octets(sender.publicPoint.octets) + octets(secret)
            let label = Array("Secure Message Exchange".utf8)
            try HKDFSHA256.derive(into: &span, inputKey: input.span, salt: salts.kdf.span, info: label.span)
            #expect(material == (try value("keys", "\(direction)-okm")))
            #expect(Array(material[half..<half + 16]) == (try value("keys", "\(direction)-encryption")))
            #expect(Array(material[half + 16..<half + 48]) == (try value("keys", "\(direction)-mac")))
        }
    }

    @Test("the reader's signature is of the phone's salt, and the token's of its text")
    func signatures() throws {
        let (salt, signature) = (try value("handshake", "phone-salt"), try value("reply", "signature"))
        #expect(try privateKey("reader").publicKey.isValid(signature: signature.span, for: salt.span))
        let text = Array(try #require(vector["token"]?["signed-text"]).utf8)
        let tokenSignature = try value("token", "signature")
        #expect(try privateKey("backend").publicKey.isValid(signature: tokenSignature.span, for: text.span))
    }

    @Test("handshake and reply carry the salts")
    func handshake() throws {
        #expect(try payload("handshake") == [0x12, 0x0A, 0x10] + value("handshake", "phone-salt"))
        let signature = try value("reply", "signature")
        let fields = [0x0A, 0x10] + (try value("reply", "reader-salt")) + [0x12, UInt8(signature.count)] + signature
        #expect(try payload("reply") == [UInt8(fields.count)] + fields)
    }

    @Test("the reader opens the request, and seals the answer octet for octet")
    func exchange() throws {
        let reader = try privateKey("reader")
        let request = try payload("request")
        var plaintext: [UInt8] = []
        let envelope = try Envelope.open(request: request.span, terminalKey: reader, salts: salts(), into: &plaintext)
        #expect(plaintext == (try value("request", "plaintext")))
        #expect(plaintext.starts(with: try value("token", "octets")))
        var answer = try value("answer", "plaintext")
        var wire: [UInt8] = []
        try envelope.seal(.response, sender: reader.publicPoint, plaintext: &answer, into: &wire)
        #expect(wire == (try payload("answer")))
        #expect(answer == (try value("answer", "ciphertext")))
        #expect(Array(wire.suffix(32)) == (try value("answer", "mac")))
    }

    @Test("the phone seals the request octet for octet, and opens the answer")
    func phone() throws {
        let (phone, reader) = (try privateKey("phone"), try privateKey("reader"))
        let envelope = try Envelope(ownKey: phone, peerPoint: reader.publicPoint.octets.span, salts: salts())
        var token = try value("token", "octets")
        var wire: [UInt8] = []
        try envelope.seal(.request, sender: phone.publicPoint, plaintext: &token, into: &wire)
        #expect(wire == (try payload("request")))
        #expect(token == (try value("request", "ciphertext")))
        var answer: [UInt8] = []
        let received = try payload("answer")
        try envelope.open(response: received.span, terminalPoint: reader.publicPoint, into: &answer)
        let data = try value("answer", "data")
        #expect(answer == (try value("answer", "plaintext")))
        #expect(answer.dropFirst(3).starts(with: data))
    }
}
