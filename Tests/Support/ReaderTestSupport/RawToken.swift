// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Reader
import Timekeeping

/// Protobuf by hand, so that a test can also write what no encoder would.
enum Raw {
    static func varint(_ value: UInt64) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
    }

    static func delimited(_ message: [UInt8]) -> [UInt8] {
        varint(UInt64(message.count)) + message
    }

    static func bytes(_ field: UInt8, _ value: [UInt8]) -> [UInt8] {
        [field << 3 | 2] + delimited(value)
    }

    static func number(_ field: UInt8, _ value: Int) -> [UInt8] {
        [field << 3] + varint(UInt64(value))
    }

    static func time(_ time: CivilTime) -> [UInt8] {
        number(1, time.year) + number(2, time.month) + number(3, time.day) + number(4, time.hour)
            + number(5, time.minute) + number(6, time.second)
    }
}

/// A command token, every part of which a test may choose or leave out.
struct RawToken {
    var credential: String? = "CRED000001"
    var command: String? = "tokn"
    var start: CivilTime? = CivilTime(year: 2026, month: 1, day: 1)
    var end: CivilTime? = CivilTime(year: 2027, month: 1, day: 1)
    var data: [UInt8]? = []
    /// The text that is signed in place of the command.
    var signedAs: String?
    /// In place of the signature that would fit.
    var signature: [UInt8]?
    var hasSignature = true
    /// Appended to the outer message.
    var extra: [UInt8] = []

    /// The whole of it, with its length.
    func encoded(key: P256PrivateKey? = nil) throws -> [UInt8] {
        var message: [UInt8] = []
        if hasSignature {
            message += Raw.bytes(1, try signature ?? sign(key ?? DemoKeys.signature()))
        }
        var inner: [UInt8] = []
        if let credential { inner += Raw.bytes(1, Raw.bytes(1, Array(credential.utf8))) }
        if let start { inner += Raw.bytes(2, Raw.time(start)) }
        if let end { inner += Raw.bytes(3, Raw.time(end)) }
        if let command { inner += Raw.bytes(4, Array(command.utf8)) }
        if let data { inner += Raw.bytes(5, data) }
        message += Raw.bytes(2, inner) + extra
        return Raw.delimited(message)
    }

    private func sign(_ key: P256PrivateKey) throws -> [UInt8] {
        func minute(_ time: CivilTime?) -> String {
            guard let time else { return "" }
            return ":\(time.year):\(time.month):\(time.day):\(time.hour):\(time.minute)"
        }
        let text = Array("\(credential ?? ""):\(signedAs ?? command ?? "")\(minute(start))\(minute(end))".utf8)
        var signature: [UInt8] = []
        try key.sign(text.span, into: &signature)
        return signature
    }
}

/// The published keys.
enum DemoKeys {
    static func signature() throws -> P256PrivateKey {
        let scalar = DemoIdentity.signatureScalar
        return try P256PrivateKey(scalar: scalar.span)
    }

    static func terminal() throws -> P256PublicKey {
        let point = DemoIdentity.terminalPoint
        return try P256PublicKey(point: point.span)
    }
}

extension Terminal {
    /// The published handshake.
    static let handshake = SessionOctets.handshake

    /// A phone made of primitives: shakes hands, and seals `plaintext` for the device.
    mutating func sealed(_ plaintext: [UInt8], key: P256PrivateKey? = nil) throws -> [UInt8] {
        guard receive(Terminal.handshake) == .reply else { throw StatusCode.test }
        let reply = Array(sent().joined())
        let salt = SessionOctets.transponderSalt
        guard let transponder = SessionSalt(salt.span),
            let terminal = SessionSalt(reply.span.extracting(9..<25))
        else { throw StatusCode.test }
        let phone = try key ?? DemoKeys.signature()
        let point = identity.terminalKey.publicPoint
        let envelope = try Envelope(
            ownKey: phone, peerPoint: point.octets.span,
            salts: EnvelopeSalts(transponder: transponder, terminal: terminal))
        var (text, wire) = (plaintext, [UInt8]())
        try envelope.seal(.request, sender: phone.publicPoint, plaintext: &text, into: &wire)
        return wire
    }

    /// Shakes hands, and sends `payload` as the request.
    mutating func request(_ payload: [UInt8]) throws -> SessionStep {
        var step: SessionStep?
        for frame in try message(payload) {
            step = receive(frame)
        }
        guard let step else { throw StatusCode.test }
        return step
    }

    /// Shakes hands, and asks with this token.
    mutating func ask(_ token: RawToken, key: P256PrivateKey? = nil) throws -> SessionStep {
        try request(sealed(token.encoded(key: key)))
    }
}
