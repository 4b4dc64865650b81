// SPDX-License-Identifier: Apache-2.0

import Crypto
import TestSupport

/// An Aliro phone with its own derivation of keys. The plaintext of each response can be altered before it is sealed.
struct AliroPhoneModel {
    static let key = certain {
        try P256PrivateKey(octets("9293c769ccc75562180455ed7db8ba0699ddcb582d34872d71f442f7a61d43e3"))
    }
    static let point = [UInt8](key.publicPoint.octets)
    /// The device type 0000 and version 1.0, in its element.
    static let application = octets("a508800200005c020100")

    private struct Channel {
        let reader: [UInt8]
        let phone: [UInt8]
        var sent: UInt8 = 0

        mutating func seal(_ plaintext: [UInt8]) -> [UInt8] {
            sent &+= 1
            return AliroPhoneModel.seal(plaintext, phone, [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, sent])
        }
    }

    /// The reader's point.
    let group: [UInt8]
    /// Documents available, and the selection of the step-up application.
    var signals: UInt16 = 0
    /// The DeviceResponse of the step-up phase.
    var documents: [UInt8] = []
    /// By the reader's identifier.
    private var persistentKeys: [[UInt8]: [UInt8]] = [:]
    private var fields: [UInt8: [UInt8]] = [:]
    private var ephemeral = AliroPhoneModel.key
    private var expedited: Channel?
    private var stepUp: Channel?
    private var isInStepUp = false
    private var chained: [UInt8] = []
    private var pending: [UInt8] = []

    init(group: [UInt8]) { self.group = group }

    /// The whole response or its first part, with `alter` applied to its plaintext.
    mutating func respond(to command: [UInt8], _ alter: (inout [UInt8]) -> Void = { _ in }) -> [UInt8] {
        guard command.count >= 5 else { return [0x67, 0x00] }
        if command[1] == 0xC0 { return emit() }
        chained += command[5..<min(command.count, 5 + Int(command[4]))]
        guard command[0] & 0x10 == 0 else { return [0x90, 0x00] }
        defer { chained = [] }
        switch command[1] {
        case 0xA4: pending = selected(chained, alter)
        case 0x80: pending = authenticated0(chained, alter)
        case 0x81: pending = authenticated1(chained, alter)
        case 0xC3: pending = enveloped(alter)
        case 0xC9: pending = concluded(alter)
        default: pending = []
        }
        return emit()
    }

    private mutating func emit() -> [UInt8] {
        let part = Array(pending.prefix(256))
        pending.removeFirst(part.count)
        return part + (pending.isEmpty ? [0x90, 0x00] : [0x61, UInt8(truncatingIfNeeded: min(256, pending.count))])
    }

    private mutating func selected(_ name: [UInt8], _ alter: (inout [UInt8]) -> Void) -> [UInt8] {
        isInStepUp = name.last == 0x02
        var response = element(0x84, name)
        response += isInStepUp ? octets("a50480020000") : Self.application
        response = element(0x6F, response)
        alter(&response)
        return response
    }

    private mutating func authenticated0(_ data: [UInt8], _ alter: (inout [UInt8]) -> Void) -> [UInt8] {
        fields = Self.elements(data)
        ephemeral = certain { try P256PrivateKey.generate() }
        var response = element(0x86, ephemeralPoint)
        if fields[0x41] == [1] {
            var cryptogram = [UInt8](repeating: 0xC5, count: 64)
            if let persistent = persistentKeys[fields[0x4D] ?? []] {
                let keys = derive(persistent, salt("VolatileFast") + Self.point[1..<33], 160)
                let plaintext =
                    element(0x5E, [0, 0]) + element(0x91, .init(repeating: 0, count: 20))
                    + element(0x92, .init(repeating: 0, count: 20))
                cryptogram = Self.seal(plaintext, Array(keys[..<32]), .init(repeating: 0, count: 12))
                expedited = Channel(reader: Array(keys[32..<64]), phone: Array(keys[64..<96]))
            }
            response += element(0x9D, cryptogram)
        }
        alter(&response)
        return response
    }

    private mutating func authenticated1(_ data: [UInt8], _ alter: (inout [UInt8]) -> Void) -> [UInt8] {
        guard let readerPoint = fields[0x87], let shared = try? ephemeral.secret(with: readerPoint) else { return [] }
        let input = shared + [0, 0, 0, 1] + (fields[0x4C] ?? [])
        let agreed = certain { [UInt8](try SHA256.hash(input.span)) }
        let keys = derive(agreed, salt("Volatile****"), 160)
        expedited = Channel(reader: Array(keys[..<32]), phone: Array(keys[32..<64]))
        let stepUpKey = Array(keys[64..<96])
        stepUp = Channel(
            reader: Self.hkdf(stepUpKey, [], Array("SKReader".utf8), 32),
            phone: Self.hkdf(stepUpKey, [], Array("SKDevice".utf8), 32))
        persistentKeys[fields[0x4D] ?? []] = derive(agreed, salt("Persistent**") + Self.point[1..<33], 32)
        let message =
            element(0x4D, fields[0x4D] ?? []) + element(0x86, Array(ephemeralPoint[1..<33]))
            + element(0x87, Array(readerPoint[1..<33])) + element(0x4C, fields[0x4C] ?? [])
            + element(0x93, [0x4E, 0x88, 0x7B, 0x4C])
        var plaintext = element(0x5A, Self.point)
        plaintext += element(0x9E, certain { try Self.key.rawSignature(message.span) })
        plaintext += element(0x5E, [UInt8(signals >> 8), UInt8(signals & 0xFF)])
        alter(&plaintext)
        return expedited?.seal(plaintext) ?? []
    }

    private mutating func enveloped(_ alter: (inout [UInt8]) -> Void) -> [UInt8] {
        isInStepUp = true
        var plaintext = documents
        alter(&plaintext)
        let sealed = stepUp?.seal(plaintext) ?? []
        return element(0x53, octets("a16464617461") + AliroDocumentModel.octetString(sealed))
    }

    private mutating func concluded(_ alter: (inout [UInt8]) -> Void) -> [UInt8] {
        var plaintext: [UInt8] = [0x00, 0x02, 0x00, 0x00]
        alter(&plaintext)
        return (isInStepUp ? stepUp?.seal(plaintext) : expedited?.seal(plaintext)) ?? []
    }

    private var ephemeralPoint: [UInt8] { [UInt8](ephemeral.publicPoint.octets) }

    private func salt(_ label: String) -> [UInt8] {
        var salt = Array(group[1..<33]) + label.utf8
        salt += (fields[0x4D] ?? []) + [0x5E] + element(0x5C, fields[0x5C] ?? [])
        salt += (fields[0x87] ?? []).dropFirst().prefix(32)
        return salt + (fields[0x4C] ?? []) + (fields[0x41] ?? []) + (fields[0x42] ?? []) + Self.application
    }

    private func derive(_ key: [UInt8], _ salt: [UInt8], _ count: Int) -> [UInt8] {
        Self.hkdf(key, salt, Array(ephemeralPoint[1..<33]), count)
    }

    private static func hkdf(_ key: [UInt8], _ salt: [UInt8], _ info: [UInt8], _ count: Int) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: count)
        var span = output.mutableSpan
        certain { try HKDFSHA256.derive(into: &span, inputKey: key.span, salt: salt.span, info: info.span) }
        return output
    }

    private static func seal(_ plaintext: [UInt8], _ key: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
        var sealed: [UInt8] = []
        let header: [UInt8] = []
        certain {
            try AES256GCM.seal(
                plaintext.span, key: key.span, nonce: nonce.span, authenticating: header.span, into: &sealed)
        }
        return sealed
    }

    /// Elements of AUTH0 and AUTH1: tags and lengths of one octet.
    private static func elements(_ octets: [UInt8]) -> [UInt8: [UInt8]] {
        var elements: [UInt8: [UInt8]] = [:]
        var at = 0
        while at + 1 < octets.count {
            let end = min(octets.count, at + 2 + Int(octets[at + 1]))
            elements[octets[at]] = Array(octets[at + 2..<end])
            at = end
        }
        return elements
    }
}

/// An element of BER-TLV with the shortest length.
private func element(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
    switch value.count {
    case ..<0x80: [tag, UInt8(value.count)] + value
    case ..<0x100: [tag, 0x81, UInt8(value.count)] + value
    default: [tag, 0x82, UInt8(value.count >> 8), UInt8(value.count & 0xFF)] + value
    }
}
