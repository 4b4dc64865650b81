// SPDX-License-Identifier: Apache-2.0

import Crypto

/// A phone with an Aliro credential over NFC: fast, standard and step-up phase (Aliro 1.0).
struct AliroTapPhone: TapCard {
    /// The keys of a channel, and its counters.
    private struct Channel {
        var readerKey: [UInt8]
        var deviceKey: [UInt8]
        var sent: UInt8 = 1
        var received: UInt8 = 1

        mutating func seal(_ plaintext: [UInt8]) throws -> [UInt8] {
            defer { sent += 1 }
            return try sealed(plaintext, deviceKey, [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, sent])
        }

        mutating func open(_ message: [UInt8]) throws -> [UInt8] {
            defer { received += 1 }
            var plaintext: [UInt8] = []
            let (nonce, header): ([UInt8], [UInt8]) = ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, received], [])
            try AES256GCM.open(
                message.span, key: readerKey.span, nonce: nonce.span, authenticating: header.span, into: &plaintext)
            return plaintext
        }
    }

    let key: P256PrivateKey
    /// The access document; empty for a phone without one.
    var document: [UInt8] = []
    private let group: [UInt8]
    private let application = hexadecimal("a508800200005c020100")
    private var fields: [UInt8: [UInt8]] = [:]
    private var ephemeral: P256PrivateKey?
    private var persistentKey: [UInt8] = []
    private var expedited: Channel?
    private var stepUp: Channel?
    private var usesStepUp = false
    private var chained: [UInt8] = []
    private var pending: [UInt8] = []

    /// A phone of the reader with this point.
    init(group: [UInt8]) throws {
        key = try P256PrivateKey.generate()
        self.group = group
    }

    mutating func response(to command: [UInt8]) throws -> [UInt8] {
        if command[1] == 0xC0 { return next() }
        if command.count > 5 { chained += command[5..<5 + Int(command[4])] }
        guard command[0] & 0x10 == 0 else { return [0x90, 0x00] }
        defer { chained = [] }
        pending = try execute(command[1], chained)
        return next()
    }

    /// The next part of a response, with the number of octets that are left.
    private mutating func next() -> [UInt8] {
        let part = Array(pending.prefix(256))
        pending.removeFirst(part.count)
        return part + (pending.isEmpty ? [0x90, 0x00] : [0x61, UInt8(truncatingIfNeeded: min(256, pending.count))])
    }

    private mutating func execute(_ instruction: UInt8, _ data: [UInt8]) throws -> [UInt8] {
        switch instruction {
        case 0xA4 where data.last == 0x01:
            usesStepUp = false
            return element(0x6F, element(0x84, data) + application)
        case 0xA4: return element(0x6F, element(0x84, data) + element(0xA5, element(0x80, [0, 0])))
        case 0x80: return try authenticate0(data)
        case 0x81: return try authenticate1(data)
        case 0xC3: return try envelope(data)
        case 0xC9:
            _ = usesStepUp ? try stepUp?.open(data) : try expedited?.open(data)
            let answer: [UInt8] = [0, 2, 0, 0]
            return (usesStepUp ? try stepUp?.seal(answer) : try expedited?.seal(answer)) ?? []
        default: return []
        }
    }

    private mutating func authenticate0(_ data: [UInt8]) throws -> [UInt8] {
        fields = elements(data)
        let ephemeral = try P256PrivateKey.generate()
        self.ephemeral = ephemeral
        let response = element(0x86, ephemeral.publicPoint.list)
        guard fields[0x41] == [1], !persistentKey.isEmpty else { return response }
        let block = try derive(persistentKey, salt("VolatileFast") + key.publicPoint.list[1..<33], 160)
        let unset = [UInt8](repeating: 0, count: 20)
        let plaintext = element(0x5E, signals) + element(0x91, unset) + element(0x92, unset)
        expedited = Channel(readerKey: Array(block[32..<64]), deviceKey: Array(block[64..<96]))
        return response
            + element(0x9D, try sealed(plaintext, Array(block[..<32]), [UInt8](repeating: 0, count: 12)))
    }

    private mutating func authenticate1(_ data: [UInt8]) throws -> [UInt8] {
        let reader = fields[0x87] ?? []
        guard let shared = try ephemeral?.sharedSecret(with: reader.span) else { throw TapFault("AUTH1 before AUTH0") }
        let input = shared.indices.map { shared[$0] } + [0, 0, 0, 1] + (fields[0x4C] ?? [])
        let digest = try SHA256.hash(input.span)
        let agreed = digest.indices.map { digest[$0] }
        let block = try derive(agreed, salt("Volatile****"), 160)
        expedited = Channel(readerKey: Array(block[..<32]), deviceKey: Array(block[32..<64]))
        let stepUpKey = Array(block[64..<96])
        stepUp = Channel(
            readerKey: try hkdf(stepUpKey, [], Array("SKReader".utf8), 32),
            deviceKey: try hkdf(stepUpKey, [], Array("SKDevice".utf8), 32))
        persistentKey = try derive(agreed, salt("Persistent**") + key.publicPoint.list[1..<33], 32)
        let signed =
            element(0x4D, fields[0x4D] ?? []) + element(0x86, Array(point[1..<33]))
            + element(0x87, Array((fields[0x87] ?? [])[1..<33])) + element(0x4C, fields[0x4C] ?? [])
            + element(0x93, [0x4E, 0x88, 0x7B, 0x4C])
        let plaintext =
            element(0x5A, key.publicPoint.list) + element(0x9E, try rawSignature(signed, by: key))
            + element(0x5E, signals)
        return try expedited?.seal(plaintext) ?? []
    }

    private mutating func envelope(_ data: [UInt8]) throws -> [UInt8] {
        usesStepUp = true
        _ = try stepUp?.open(Array(data.dropFirst(2 + 1 + 5 + 2)))
        let response = TapItem.map([("1", "1.0"), ("2", .array([.encoded(document)])), ("3", 0)]).encoding
        return element(0x53, TapItem.map([("data", .octets(try stepUp?.seal(response) ?? []))]).encoding)
    }

    /// Bit 0: there is an access document.
    private var signals: [UInt8] { [0, document.isEmpty ? 0 : 1] }
    private var point: [UInt8] { ephemeral?.publicPoint.list ?? [] }

    private func salt(_ label: String) -> [UInt8] {
        var salt = Array(group[1..<33]) + label.utf8 + (fields[0x4D] ?? []) + [0x5E]
        salt += element(0x5C, fields[0x5C] ?? []) + (fields[0x87] ?? [])[1..<33]
        salt += (fields[0x4C] ?? []) + (fields[0x41] ?? []) + (fields[0x42] ?? [])
        return salt + application
    }

    private func derive(_ key: [UInt8], _ salt: [UInt8], _ count: Int) throws -> [UInt8] {
        try hkdf(key, salt, Array(point[1..<33]), count)
    }
}

/// A BER-TLV element with a tag of one octet.
private func element(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
    switch value.count {
    case ..<0x80: [tag, UInt8(value.count)] + value
    case ..<0x100: [tag, 0x81, UInt8(value.count)] + value
    default: [tag, 0x82, UInt8(value.count >> 8), UInt8(value.count & 0xFF)] + value
    }
}

/// The elements of AUTH0, which are shorter than 128 octets.
private func elements(_ octets: [UInt8]) -> [UInt8: [UInt8]] {
    var (elements, rest): ([UInt8: [UInt8]], ArraySlice<UInt8>) = ([:], octets[...])
    while rest.count >= 2 {
        let (tag, count) = (rest[rest.startIndex], Int(rest[rest.startIndex + 1]))
        elements[tag] = Array(rest.dropFirst(2).prefix(count))
        rest = rest.dropFirst(2 + count)
    }
    return elements
}

private func sealed(_ plaintext: [UInt8], _ key: [UInt8], _ nonce: [UInt8]) throws -> [UInt8] {
    var (message, header): ([UInt8], [UInt8]) = ([], [])
    try AES256GCM.seal(
        plaintext.span, key: key.span, nonce: nonce.span, authenticating: header.span, into: &message)
    header = []
    return message
}

private func hkdf(_ key: [UInt8], _ salt: [UInt8], _ info: [UInt8], _ count: Int) throws -> [UInt8] {
    var output = [UInt8](repeating: 0, count: count)
    var span = output.mutableSpan
    try HKDFSHA256.derive(into: &span, inputKey: key.span, salt: salt.span, info: info.span)
    return output
}
