// SPDX-License-Identifier: Apache-2.0

internal import Crypto

/// The public values of a transaction from which its keys are derived, and over which both sides sign.
struct AliroParameters {
    /// The interface in the salts.
    enum Interface: UInt8 {
        case nfc = 0x5E
        case bluetooth = 0xC3
    }

    /// Aliro 1.0.
    static let version: [UInt8] = [0x01, 0x00]

    /// A label in the salts, 12 octets.
    enum Label: String {
        case volatile = "Volatile****"
        case fast = "VolatileFast"
        case persistent = "Persistent**"
    }

    /// The purpose of a signature (tag 93).
    enum Usage {
        case reader
        case device

        var octets: [UInt8] {
            switch self {
            case .reader: [0x41, 0x5D, 0x95, 0x69]
            case .device: [0x4E, 0x88, 0x7B, 0x4C]
            }
        }
    }

    /// The point of the reader, or of the authority of its certificate.
    let groupPoint: [UInt8]
    let readerIdentifier: [UInt8]
    let readerEphemeral: [UInt8]
    let transaction: [UInt8]
    var interface = Interface.nfc
    /// The values of the tags 41 and 42 of AUTH0, as sent.
    var flags: [UInt8] = []
    /// The whole element A5 of the answer to SELECT, or of the phone's first message.
    var application: [UInt8] = []
    var deviceEphemeral: [UInt8] = []
    /// The whole element B2 of the answer to AUTH0; empty without one.
    var extensions: [UInt8] = []

    static func x(_ point: [UInt8]) -> [UInt8] { Array(point[1..<33]) }

    func salt(_ label: Label, credential: [UInt8]? = nil) -> [UInt8] {
        var salt = Self.x(groupPoint) + label.rawValue.utf8 + readerIdentifier
        salt.append(interface.rawValue)
        salt.append(tag: 0x5C, Self.version)
        salt += Self.x(readerEphemeral) + transaction + flags + application
        if let credential { salt += Self.x(credential) }
        return salt
    }

    var info: [UInt8] { Self.x(deviceEphemeral) + extensions }

    func signedOctets(_ usage: Usage) -> [UInt8] {
        var octets: [UInt8] = []
        octets.append(tag: 0x4D, readerIdentifier)
        octets.append(tag: 0x86, Self.x(deviceEphemeral))
        octets.append(tag: 0x87, Self.x(readerEphemeral))
        octets.append(tag: 0x4C, transaction)
        octets.append(tag: 0x93, usage.octets)
        return octets
    }

    /// Kdh of the shared X coordinate. The caller wipes it.
    func agreedKey(_ shared: inout InlineArray<32, UInt8>) throws(CryptoError) -> [UInt8] {
        var input = [UInt8](inline: shared) + [0, 0, 0, 1] + transaction
        defer { wipeSecret(&input) }
        var span = shared.mutableSpan
        wipeSecret(&span)
        var digest = try SHA256.hash(input.span)
        let key = [UInt8](inline: digest)
        span = digest.mutableSpan
        wipeSecret(&span)
        return key
    }

    /// The keys of the standard phase.
    func standardKeys(_ agreed: [UInt8]) throws(CryptoError) -> AliroKeys {
        try AliroKeys(inputKey: agreed, salt: salt(.volatile), info: info)
    }

    /// The keys of the fast phase.
    func fastKeys(_ persistent: [UInt8], credential: [UInt8]) throws(CryptoError) -> AliroKeys {
        try AliroKeys(inputKey: persistent, salt: salt(.fast, credential: credential), info: info)
    }

    /// Kpersistent. The caller wipes it.
    func persistentKey(_ agreed: [UInt8], credential: [UInt8]) throws(CryptoError) -> [UInt8] {
        try AliroKeys.derive(32, agreed, salt: salt(.persistent, credential: credential), info: info)
    }
}

/// The five keys of a phase, 32 octets each.
struct AliroKeys {
    static let keyCount = 32
    private var block: [UInt8]

    init(inputKey: [UInt8], salt: [UInt8], info: [UInt8]) throws(CryptoError) {
        block = try Self.derive(5 * Self.keyCount, inputKey, salt: salt, info: info)
    }

    /// The key at this place in the order of the phase. The caller wipes it.
    private func key(_ index: Int) -> [UInt8] { Array(block[index * Self.keyCount..<(index + 1) * Self.keyCount]) }

    /// The channel of the standard phase.
    var expedited: AliroChannel { AliroChannel(readerKey: key(0), deviceKey: key(1)) }
    /// The key of the step-up channel, which only the standard phase has.
    var stepUp: [UInt8] { key(2) }
    /// The key of the channel of notifications over Bluetooth LE, in both phases.
    var bluetooth: [UInt8] { key(3) }
    /// The key of the cryptogram in the fast phase.
    var cryptogram: [UInt8] { key(0) }
    /// The channel of the fast phase.
    var fast: AliroChannel { AliroChannel(readerKey: key(1), deviceKey: key(2)) }

    mutating func wipe() { wipeSecret(&block) }

    static func derive(
        _ count: Int, _ inputKey: [UInt8], salt: [UInt8], info: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: count)
        var span = output.mutableSpan
        try HKDFSHA256.derive(into: &span, inputKey: inputKey.span, salt: salt.span, info: info.span)
        return output
    }
}
