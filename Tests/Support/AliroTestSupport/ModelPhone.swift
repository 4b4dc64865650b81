// SPDX-License-Identifier: Apache-2.0

public import Crypto
import TestSupport

/// A phone that plays an Aliro card, with its own key derivation. Its responses can be altered at each stage.
public struct ModelPhone: Sendable {
    /// The commands, by what they are for.
    public enum Stage: CaseIterable, Sendable {
        case select, auth0, loadCert, auth1, selectStepUp, envelope, mailbox, exchange, controlFlow
    }

    /// The two keys of a channel, and its counters.
    struct Channel: Sendable {
        var readerKey: [UInt8]
        var deviceKey: [UInt8]
        var sent: UInt8 = 1
        var received: UInt8 = 1

        mutating func seal(_ plaintext: [UInt8]) -> [UInt8] {
            defer { sent += 1 }
            return gcm(deviceKey, [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, sent], seal: plaintext)
        }

        mutating func open(_ sealed: [UInt8]) -> [UInt8]? {
            defer { received += 1 }
            return gcm(readerKey, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, received], open: sealed)
        }
    }

    /// The credential's.
    public let key: P256PrivateKey
    /// The point of the reader, or of the authority of its certificate.
    var group: [UInt8]
    var application = octets("a508800200005c020100")
    /// The signaling bitmap.
    public var signals: UInt16 = 0
    var accessTime: String?
    var revocationTime: String?
    /// Documents by type.
    var documents: [String: EncodedItem] = [:]
    /// The whole response with documents, instead of `documents`.
    public var wholeDocuments: [UInt8]?
    /// Vendor data of AUTH0's response, a whole B2 element.
    var extensions: [UInt8] = []
    var ephemeralScalar: [UInt8]?

    /// The mailbox; nil without one. Writes of an atomic session take effect with its last command.
    var mailbox: [UInt8]?
    private var session: [UInt8]?

    /// Alterations of the data of responses, of plaintexts before they are sealed, and status words.
    var alterData: [Stage: @Sendable ([UInt8]) -> [UInt8]] = [:]
    var alterPlaintext: [Stage: @Sendable ([UInt8]) -> [UInt8]] = [:]
    var statusWords: [Stage: [UInt8]] = [:]

    /// Values that the phone has received.
    private(set) var commands: [[UInt8]] = []
    private(set) var status: [UInt8]?
    private(set) var control: [UInt8]?
    private(set) var certificate: [UInt8]?
    private(set) var usedFast = false
    private(set) var usedStepUp = false
    /// By reader identifier.
    var persistentKeys: [[UInt8]: [UInt8]] = [:]

    private var fields: [UInt8: [UInt8]] = [:]
    private var ephemeral: P256PrivateKey?
    private var expedited: Channel?
    private var stepUp: Channel?
    private var isStepUpSelected = false
    private var chained: [UInt8] = []
    private var pending: [UInt8] = []

    /// A phone with this key, for a reader or an authority with the point `group`.
    public init(scalar: [UInt8], group: [UInt8]) throws {
        key = try P256PrivateKey(scalar)
        self.group = group
    }

    /// The credential's point.
    public var point: [UInt8] { [UInt8](key.publicPoint.octets) }

    /// True if it has a key for the fast phase with some reader.
    public var hasFastKey: Bool { !persistentKeys.isEmpty }

    /// The phone leaves the field.
    public mutating func leave() {
        (status, control, certificate, usedFast, usedStepUp) = (nil, nil, nil, false, false)
        (expedited, stepUp, isStepUpSelected, chained, pending, session) = (nil, nil, false, [], [], nil)
        commands = []
    }

    /// The response to a command APDU. `alter` changes what it says, before it is sealed.
    public mutating func respond(
        to command: [UInt8], _ alter: (inout [UInt8]) -> Void = { _ in }
    ) throws -> [UInt8] {
        commands.append(command)
        if command[1] == 0xC0 { return emit() }
        let data = command.count > 5 ? Array(command[5..<5 + Int(command[4])]) : []
        chained += data
        guard command[0] & 0x10 == 0 else { return [0x90, 0x00] }
        defer { chained = [] }
        let (stage, response) = try execute(command[1], chained, alter)
        if let word = statusWords[stage] { return word }
        pending = alterData[stage].map { $0(response) } ?? response
        return emit()
    }

    private mutating func emit() -> [UInt8] {
        let part = Array(pending.prefix(256))
        pending.removeFirst(part.count)
        return part + (pending.isEmpty ? [0x90, 0x00] : [0x61, UInt8(truncatingIfNeeded: min(256, pending.count))])
    }

    private mutating func execute(
        _ instruction: UInt8, _ data: [UInt8], _ alter: (inout [UInt8]) -> Void
    ) throws -> (Stage, [UInt8]) {
        var response: [UInt8] = []
        let stage: Stage
        switch instruction {
        case 0xA4 where data.last == 0x01: (stage, response) = (.select, tlv(0x6F, tlv(0x84, data) + application))
        case 0xA4:
            isStepUpSelected = true
            (stage, response) = (.selectStepUp, tlv(0x6F, tlv(0x84, data) + tlv(0xA5, tlv(0x80, [0, 0]))))
        case 0x80: (stage, response) = (.auth0, try authenticate0(data))
        case 0xD1:
            certificate = data
            stage = .loadCert
        case 0x81: return (.auth1, try authenticate1(data, alter))
        case 0xC3: return (.envelope, envelope(data, alter))
        case 0xC9: return exchange(data, alter)
        default:
            control = [data[2], data[5]]
            stage = .controlFlow
        }
        alter(&response)
        return (stage, response)
    }

    private mutating func authenticate0(_ data: [UInt8]) throws -> [UInt8] {
        fields = elements(data)
        ephemeral = try ephemeralScalar.map { try P256PrivateKey($0) } ?? P256PrivateKey.generate()
        var response = tlv(0x86, deviceEphemeral)
        if fields[0x41] == [1] {
            var cryptogram = [UInt8](repeating: 0xC5, count: 64)
            if let persistent = persistentKeys[fields[0x4D] ?? []] {
                let block = derive(persistent, salt("VolatileFast") + point[1..<33], 160)
                let plaintext =
                    tlv(0x5E, bitmap) + tlv(0x91, accessTime.map { Array($0.utf8) } ?? .init(repeating: 0, count: 20))
                    + tlv(0x92, revocationTime.map { Array($0.utf8) } ?? .init(repeating: 0, count: 20))
                cryptogram = gcm(Array(block[..<32]), .init(repeating: 0, count: 12), seal: plaintext)
                expedited = Channel(readerKey: Array(block[32..<64]), deviceKey: Array(block[64..<96]))
            }
            response += tlv(0x9D, cryptogram)
        }
        return response + extensions
    }

    private mutating func authenticate1(_ data: [UInt8], _ alter: (inout [UInt8]) -> Void) throws -> [UInt8] {
        guard let readerPoint = fields[0x87] else { return [] }
        let request = elements(data)
        certificate = request[0x90] ?? certificate
        let shared = try ephemeral?.secret(with: readerPoint) ?? []
        let agreed = sha256(shared + [0, 0, 0, 1] + (fields[0x4C] ?? []))
        let block = derive(agreed, salt("Volatile****"), 160)
        expedited = Channel(readerKey: Array(block[..<32]), deviceKey: Array(block[32..<64]))
        let stepUpKey = Array(block[64..<96])
        stepUp = Channel(
            readerKey: hkdf(stepUpKey, [], Array("SKReader".utf8), 32),
            deviceKey: hkdf(stepUpKey, [], Array("SKDevice".utf8), 32))
        persistentKeys[fields[0x4D] ?? []] = derive(agreed, salt("Persistent**") + point[1..<33], 32)
        let signed = signedOctets([0x4E, 0x88, 0x7B, 0x4C])
        var plaintext = request[0x41] == [1] ? tlv(0x5A, point) : tlv(0x4E, keySlot(point))
        plaintext += tlv(0x9E, try key.rawSignature(signed.span))
        plaintext += tlv(0x5E, bitmap)
        if let accessTime { plaintext += tlv(0x91, Array(accessTime.utf8)) }
        if let revocationTime { plaintext += tlv(0x92, Array(revocationTime.utf8)) }
        plaintext = alterPlaintext[.auth1].map { $0(plaintext) } ?? plaintext
        alter(&plaintext)
        return expedited?.seal(plaintext) ?? []
    }

    private mutating func envelope(_ data: [UInt8], _ alter: (inout [UInt8]) -> Void) -> [UInt8] {
        usedStepUp = true
        let sealed = Array(data.dropFirst(2 + 1 + 5 + 2))
        guard let request = stepUp?.open(sealed), signals & 4 == 0 || isStepUpSelected else { return [] }
        let wanted = ["aliro-a", "aliro-r"].filter { type in
            let name = Array(type.utf8)
            return request.indices.contains { request[$0...].starts(with: name) }
        }
        let found = wanted.compactMap { documents[$0] }
        var members: [(EncodedItem, EncodedItem)] = [("1", "1.0")]
        if !found.isEmpty { members.append(("2", .array(found))) }
        members.append(("3", 0))
        var response = wholeDocuments ?? EncodedItem.map(members).encoding
        response = alterPlaintext[.envelope].map { $0(response) } ?? response
        alter(&response)
        return tlv(0x53, EncodedItem.map([("data", .octets(stepUp?.seal(response) ?? []))]).encoding)
    }

    private mutating func exchange(_ data: [UInt8], _ alter: (inout [UInt8]) -> Void) -> (Stage, [UInt8]) {
        if !usedStepUp, certificate == nil, commands.contains(where: { $0[1] == 0x81 }) == false { usedFast = true }
        let plaintext = usedStepUp ? stepUp?.open(data) : expedited?.open(data)
        guard let plaintext else { return (.exchange, [0xFF]) }
        let isMail = plaintext.first == 0xBA
        let stage = isMail ? Stage.mailbox : .exchange
        var answer: [UInt8] = [0, 2, 0, 0]
        if isMail {
            answer = mail(Array((elements(plaintext)[0xBA]) ?? []))
        } else {
            // An atomic session is not over.
            guard plaintext.prefix(2) == [0x97, 0x02], session == nil else { return (stage, [0xFF]) }
            status = Array(plaintext[2...])
        }
        answer = alterPlaintext[stage].map { $0(answer) } ?? answer
        alter(&answer)
        return (stage, (usedStepUp ? stepUp?.seal(answer) : expedited?.seal(answer)) ?? [])
    }

    /// The response to a command for the mailbox: what is read, and the status.
    private mutating func mail(_ command: [UInt8]) -> [UInt8] {
        guard let mailbox, command.prefix(2) == [0x8C, 0x01], command.count > 2 else { return [0, 2, 0xFF, 0xFF] }
        let isLast = command[2] == 0
        let before = session ?? mailbox
        var after = before
        var answer: [UInt8] = []
        var at = 3
        while at < command.count {
            let value = Array(command[(at + 2)..<(at + 2 + Int(command[at + 1]))])
            let offset = Int(value[0]) << 8 | Int(value[1])
            switch command[at] {
            case 0x87:
                let count = Int(value[2]) << 8 | Int(value[3])
                guard offset + count <= before.count else { return [0, 2, 0, 1] }
                answer += value[2...] + before[offset..<offset + count]
            case 0x8A:
                guard offset + value.count - 2 <= before.count else { return [0, 2, 0, 1] }
                after.replaceSubrange(offset..<offset + value.count - 2, with: value[2...])
            case 0x95:
                let count = Int(value[2]) << 8 | Int(value[3])
                guard offset + count <= before.count else { return [0, 2, 0, 1] }
                after.replaceSubrange(offset..<offset + count, with: [UInt8](repeating: value[4], count: count))
            default: return [0, 2, 0, 2]
            }
            at += 2 + value.count
        }
        if isLast { (self.mailbox, session) = (after, nil) } else { session = after }
        return answer + [0, 2, 0, 0]
    }

    /// True if the signature of the last AUTH1 is by `reader`.
    func isSigned(by reader: P256PublicKey) -> Bool {
        guard let command = commands.last(where: { $0[1] == 0x81 }) else { return false }
        let signature = Array(command[10..<74])
        let message = signedOctets([0x41, 0x5D, 0x95, 0x69])
        return reader.isValid(rawSignature: signature.span, for: message.span)
    }

    private var bitmap: [UInt8] { [UInt8(signals >> 8), UInt8(signals & 0xFF)] }
    private var deviceEphemeral: [UInt8] { ephemeral.map { [UInt8]($0.publicPoint.octets) } ?? [] }

    private func signedOctets(_ usage: [UInt8]) -> [UInt8] {
        tlv(0x4D, fields[0x4D] ?? []) + tlv(0x86, Array(deviceEphemeral[1..<33]))
            + tlv(0x87, Array((fields[0x87] ?? [])[1..<33])) + tlv(0x4C, fields[0x4C] ?? []) + tlv(0x93, usage)
    }

    private func salt(_ label: String) -> [UInt8] {
        var salt = Array(group[1..<33]) + label.utf8
        salt += (fields[0x4D] ?? []) + [0x5E] + tlv(0x5C, fields[0x5C] ?? [])
        salt += (fields[0x87] ?? [])[1..<33]
        salt += (fields[0x4C] ?? []) + (fields[0x41] ?? []) + (fields[0x42] ?? [])
        return salt + application
    }

    private func derive(_ key: [UInt8], _ salt: [UInt8], _ count: Int) -> [UInt8] {
        hkdf(key, salt, Array(deviceEphemeral[1..<33]) + extensions, count)
    }
}

func tlv(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
    switch value.count {
    case ..<0x80: [tag, UInt8(value.count)] + value
    case ..<0x100: [tag, 0x81, UInt8(value.count)] + value
    default: [tag, 0x82, UInt8(value.count >> 8), UInt8(value.count & 0xFF)] + value
    }
}

/// Elements with tags of one octet.
func elements(_ octets: [UInt8]) -> [UInt8: [UInt8]] {
    var elements: [UInt8: [UInt8]] = [:]
    var at = 0
    while at + 1 < octets.count {
        let tag = octets[at]
        var count = Int(octets[at + 1])
        at += 2
        if count == 0x81 {
            count = Int(octets[at])
            at += 1
        } else if count == 0x82 {
            count = Int(octets[at]) << 8 | Int(octets[at + 1])
            at += 2
        }
        guard at + count <= octets.count else { break }
        elements[tag] = Array(octets[at..<at + count])
        at += count
    }
    return elements
}

func sha256(_ octets: [UInt8]) -> [UInt8] { (try? [UInt8](SHA256.hash(octets.span))) ?? [] }

func keySlot(_ point: [UInt8]) -> [UInt8] { (try? Array([UInt8](SHA1.hash(point.span)).prefix(8))) ?? [] }

func hkdf(_ key: [UInt8], _ salt: [UInt8], _ info: [UInt8], _ count: Int) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: count)
    var span = output.mutableSpan
    try? HKDFSHA256.derive(into: &span, inputKey: key.span, salt: salt.span, info: info.span)
    return output
}

private func gcm(_ key: [UInt8], _ nonce: [UInt8], seal plaintext: [UInt8]) -> [UInt8] {
    var sealed: [UInt8] = []
    let header: [UInt8] = []
    try? AES256GCM.seal(
        plaintext.span, key: key.span, nonce: nonce.span, authenticating: header.span, into: &sealed)
    return sealed
}

private func gcm(_ key: [UInt8], _ nonce: [UInt8], open sealed: [UInt8]) -> [UInt8]? {
    var plaintext: [UInt8] = []
    let header: [UInt8] = []
    do {
        try AES256GCM.open(
            sealed.span, key: key.span, nonce: nonce.span, authenticating: header.span, into: &plaintext)
    } catch { return nil }
    return plaintext
}
