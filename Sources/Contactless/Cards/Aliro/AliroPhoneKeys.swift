// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The phone's derivation of keys (Aliro 1.0), its own and not the reader's.
struct AliroPhoneKeys: Sendable {
    /// The signatures' purposes (tag 93).
    static let readerUsage: [UInt8] = [0x41, 0x5D, 0x95, 0x69], phoneUsage: [UInt8] = [0x4E, 0x88, 0x7B, 0x4C]
    /// The interfaces in the salts.
    static let nfc: UInt8 = 0x5E, bluetooth: UInt8 = 0xC3
    /// The reader's list of versions over Bluetooth LE, and the selected one.
    static let linkVersions: [UInt8] = [0x01, 0x00, 0x01, 0x00]
    private static let blockCount = 160

    /// The point of the reader, or of the authority of its certificate.
    let groupPoint: [UInt8]
    /// The fields of AUTH0 by tag.
    let request: [UInt8: [UInt8]]
    /// Whole elements: A5 of the response to SELECT; B1 and B2 of AUTH0.
    let application: [UInt8]
    let extensions: [UInt8]
    let phoneEphemeral: [UInt8]
    var interface = AliroPhoneKeys.nfc

    var reader: [UInt8] { request[0x4D] ?? [] }
    private var readerX: [UInt8] { Array((request[0x87] ?? []).dropFirst().prefix(32)) }

    private func salt(_ label: String, credential: [UInt8] = []) -> [UInt8] {
        var salt = Array(groupPoint[1..<33]) + label.utf8 + reader
        salt.append(interface)
        salt += AliroWire.element(0x5C, request[0x5C] ?? []) + readerX
        salt += (request[0x4C] ?? []) + (request[0x41] ?? []) + (request[0x42] ?? [])
        return salt + application + credential.dropFirst().prefix(32)
    }

    private var info: [UInt8] { Array(phoneEphemeral[1..<33]) + extensions }

    /// The octets that a side signs.
    func signed(_ usage: [UInt8]) -> [UInt8] {
        let parts: [(UInt8, [UInt8])] = [
            (0x4D, reader), (0x86, Array(phoneEphemeral[1..<33])), (0x87, readerX), (0x4C, request[0x4C] ?? []),
            (0x93, usage),
        ]
        return parts.flatMap { AliroWire.element($0, $1) }
    }

    /// The agreed key of the standard phase.
    func agreed(_ ephemeral: P256PrivateKey) throws -> [UInt8] {
        let point = request[0x87] ?? []
        let shared = try ephemeral.sharedSecret(with: point.span)
        let input = shared.indices.map { shared[$0] } + [0, 0, 0, 1] + (request[0x4C] ?? [])
        let digest = try SHA256.hash(input.span)
        return digest.indices.map { digest[$0] }
    }

    /// Reader, phone, step-up, Bluetooth, ranging.
    func standard(_ agreed: [UInt8]) -> [[UInt8]] {
        AliroPhoneKeys.cut(AliroPhoneKeys.hkdf(agreed, salt("Volatile****"), info, AliroPhoneKeys.blockCount))
    }

    /// Cryptogram, reader, phone, Bluetooth, ranging.
    func fast(_ persistent: [UInt8], credential: [UInt8]) -> [[UInt8]] {
        let salt = salt("VolatileFast", credential: credential)
        return AliroPhoneKeys.cut(AliroPhoneKeys.hkdf(persistent, salt, info, AliroPhoneKeys.blockCount))
    }

    /// The key for later fast phases.
    func persistent(_ agreed: [UInt8], credential: [UInt8]) -> [UInt8] {
        AliroPhoneKeys.hkdf(agreed, salt("Persistent**", credential: credential), info, 32)
    }

    private static func cut(_ block: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: block.count, by: 32).map { Array(block[$0..<$0 + 32]) }
    }

    /// HKDF with SHA-256; the lengths are within its limits.
    static func hkdf(_ key: [UInt8], _ salt: [UInt8], _ info: [UInt8], _ count: Int) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: count)
        var span = output.mutableSpan
        try? HKDFSHA256.derive(into: &span, inputKey: key.span, salt: salt.span, info: info.span)
        return output
    }
}

/// The phone's side of a channel: AES-256-GCM with the direction and a counter in the nonce.
package struct AliroPhoneChannel: Sendable {
    private let reader: [UInt8]
    private let phone: [UInt8]
    private var sent: UInt32 = 0
    private var received: UInt32 = 0

    package init(reader: [UInt8], phone: [UInt8]) { (self.reader, self.phone) = (reader, phone) }

    /// The channel of documents.
    init(stepUp key: [UInt8]) {
        reader = AliroPhoneKeys.hkdf(key, [], Array("SKReader".utf8), 32)
        phone = AliroPhoneKeys.hkdf(key, [], Array("SKDevice".utf8), 32)
    }

    /// The channel of notifications over Bluetooth LE.
    init(bluetooth key: [UInt8]) {
        reader = AliroPhoneKeys.hkdf(key, AliroPhoneKeys.linkVersions, Array("BleSKReader".utf8), 32)
        phone = AliroPhoneKeys.hkdf(key, AliroPhoneKeys.linkVersions, Array("BleSKDevice".utf8), 32)
    }

    /// The phone's next message; with `isReflected` by the key and in the direction of the reader.
    package mutating func seal(
        _ plaintext: [UInt8], isReflected: Bool = false, header: [UInt8] = []
    ) -> [UInt8] {
        sent += 1
        let nonce = AliroPhoneChannel.nonce(isReflected ? 0 : 1, sent)
        return AliroPhoneChannel.seal(plaintext, isReflected ? reader : phone, nonce, header: header)
    }

    /// The reader's next message; nil if it is not authentic.
    mutating func open(_ sealed: [UInt8], header: [UInt8] = []) -> [UInt8]? {
        received += 1
        let nonce = AliroPhoneChannel.nonce(0, received)
        var plaintext: [UInt8] = []
        do {
            try AES256GCM.open(
                sealed.span, key: reader.span, nonce: nonce.span, authenticating: header.span, into: &plaintext)
        } catch { return nil }
        return plaintext
    }

    private static func nonce(_ direction: UInt8, _ counter: UInt32) -> [UInt8] {
        [0, 0, 0, 0, 0, 0, 0, direction] + (0..<4).reversed().map { UInt8(truncatingIfNeeded: counter >> ($0 * 8)) }
    }

    /// The ciphertext and its tag.
    static func seal(
        _ plaintext: [UInt8], _ key: [UInt8], _ nonce: [UInt8], header: [UInt8] = []
    ) -> [UInt8] {
        var sealed: [UInt8] = []
        try? AES256GCM.seal(
            plaintext.span, key: key.span, nonce: nonce.span, authenticating: header.span, into: &sealed)
        return sealed
    }
}
