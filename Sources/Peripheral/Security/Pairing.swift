import Crypto
import Timekeeping

/// One pairing as the responder, from Pairing Request to the last key (Core 5.4, Vol 3, Part H, 2.3 and 2.4).
///
/// Commands and the user's answers go in; a thrown reason ends the pairing and is for Pairing Failed.
struct Pairing {
    /// The longest pause between two commands (3.4).
    static let timeout = Duration.seconds(30)

    let negotiation: PairingNegotiation
    let initiator: BluetoothAddress
    let responder: BluetoothAddress
    let material: Material
    var state: State
    /// When the other side has taken too long. Only a command that this side sends moves it.
    var deadline: Instant

    /// What this side brings to a pairing.
    struct Material {
        /// The data that was given out, and its key; without it a fresh key is made.
        var published: LocalOutOfBand?
        /// What came of the central on another way.
        var received: PeerOutOfBandData?
        /// What is handed out as identity.
        var identity: SecurityIdentity?
        var allowsDebugKey: Bool
    }

    /// What is awaited.
    enum State {
        // Secure Connections.
        case publicKey
        /// Just Works and numeric comparison: the confirm value is sent.
        case random(KeyAgreement, own: Value128)
        /// The user compares; the central's check may be here before the answer.
        case comparison(KeyAgreement, Nonces, check: Value128?)
        /// The user enters; the central's first confirm value may be here before the answer.
        case passkey(KeyAgreement, confirm: Value128?)
        case passkeyConfirm(KeyAgreement, PasskeyRound)
        case passkeyRandom(KeyAgreement, PasskeyRound, confirm: Value128, own: Value128)
        case outOfBandRandom(KeyAgreement, Nonces)
        case keyCheck(KeyAgreement, Nonces)
        // Legacy pairing.
        /// The user enters; the central's confirm value may be here before the answer.
        case temporaryKey(confirm: Value128?)
        case legacyConfirm(temporaryKey: Value128)
        case legacyRandom(temporaryKey: Value128, confirm: Value128, own: Value128)
        // Both.
        /// Encryption with this key.
        case encryption(Value128)
        case distribution(AwaitedKey, PairedKeys)
        case finished(PairedKeys)
    }

    /// The point that was agreed on, and the two that led there.
    struct KeyAgreement {
        var ownX: Value256
        var peerX: Value256
        var sharedKey: Value256
    }

    /// What goes into the check values: N and r of both sides.
    struct Nonces {
        var initiator: Value128
        var responder: Value128
        var initiatorR: Value128
        var responderR: Value128
    }

    /// One of the twenty rounds in which a passkey is compared bit by bit.
    struct PasskeyRound {
        static let count = 20
        var passkey: UInt32
        var index = 0

        /// The r of f4: the bit, under a 1 (2.3.5.6.3).
        var bit: UInt8 { 0x80 | UInt8(truncatingIfNeeded: passkey >> UInt32(index) & 1) }
    }

    /// What the central hands out, in the order that it has to keep (3.6.1).
    enum AwaitedKey {
        case encryptionInformation
        case centralIdentification
        case identityInformation
        case identityAddress(resolvingKey: Value128)
    }

    /// What a pairing leaves behind.
    struct PairedKeys {
        /// The key that the central will ask for when it comes back; nil if none was handed out.
        var longTermKey: Value128?
        var diversifier: LTKIdentifier
        var identity: BluetoothAddress?
        var resolvingKey: Value128?
    }

    /// A pairing on what was negotiated, between these addresses of the connection; `begin` is next.
    init(
        _ negotiation: PairingNegotiation, initiator: BluetoothAddress, responder: BluetoothAddress, material: Material
    ) {
        self.negotiation = negotiation
        self.initiator = initiator
        self.responder = responder
        self.material = material
        state = .publicKey
        deadline = .origin
    }

    /// Answers the Pairing Request.
    mutating func begin(_ port: inout SecurityPort) throws(PairingFailureReason) {
        send(.pairingResponse(negotiation.response), &port)
        if !negotiation.isSecureConnections { try beginLegacy(&port) }
    }

    /// Takes a command of the central, which is not Pairing Failed.
    mutating func receive(_ pdu: SecurityPDU, _ port: inout SecurityPort) throws(PairingFailureReason) {
        switch (state, pdu) {
        case (.publicKey, .publicKey(let x, let y)):
            try agree(on: x, y, &port)
        case (.random(let agreement, let own), .random(let peer)):
            try take(random: peer, agreement, own: own, &port)
        case (.comparison(let agreement, let nonces, nil), .keyCheck(let check)):
            state = .comparison(agreement, nonces, check: check)
        case (.passkey(let agreement, nil), .confirm(let confirm)):
            state = .passkey(agreement, confirm: confirm)
        case (.passkeyConfirm(let agreement, let round), .confirm(let confirm)):
            try answer(confirm, agreement, round, &port)
        case (.passkeyRandom(let agreement, let round, let confirm, let own), .random(let peer)):
            try take(random: peer, agreement, round, confirm: confirm, own: own, &port)
        case (.outOfBandRandom(let agreement, let nonces), .random(let peer)):
            var nonces = nonces
            nonces.initiator = peer
            state = .keyCheck(agreement, nonces)
            send(.random(nonces.responder), &port)
        case (.keyCheck(let agreement, let nonces), .keyCheck(let check)):
            try verify(check, agreement, nonces, &port)
        case (.temporaryKey(nil), .confirm(let confirm)):
            state = .temporaryKey(confirm: confirm)
        case (.legacyConfirm(let key), .confirm(let confirm)):
            try answerLegacy(confirm, temporaryKey: key, &port)
        case (.legacyRandom(let key, let confirm, let own), .random(let peer)):
            try takeLegacy(random: peer, temporaryKey: key, confirm: confirm, own: own, &port)
        case (.distribution(let awaited, let keys), _):
            try take(pdu, awaited: awaited, keys)
        case (_, .keypress) where isPasskeyEntry:
            // Not asked for, of no use, and it does not keep the pairing alive.
            break
        case (_, .pairingResponse), (_, .securityRequest):
            throw .commandNotSupported
        default:
            throw .unspecified
        }
    }

    /// The user's answer to `compare`; false if none was asked for.
    mutating func answerComparison(
        _ isSame: Bool, _ port: inout SecurityPort
    ) throws(PairingFailureReason) -> Bool {
        guard case .comparison(let agreement, let nonces, let check) = state else { return false }
        guard isSame else { throw .numericComparisonFailed }
        state = .keyCheck(agreement, nonces)
        if let check { try verify(check, agreement, nonces, &port) }
        return true
    }

    /// The user's answer to `requestPasskey`, nil for "none"; false if none was asked for.
    mutating func enterPasskey(
        _ passkey: UInt32?, _ port: inout SecurityPort
    ) throws(PairingFailureReason) -> Bool {
        switch state {
        case .passkey(let agreement, let confirm):
            guard let passkey else { throw .passkeyEntryFailed }
            let round = PasskeyRound(passkey: passkey)
            state = .passkeyConfirm(agreement, round)
            if let confirm { try answer(confirm, agreement, round, &port) }
        case .temporaryKey(let confirm):
            guard let passkey else { throw .passkeyEntryFailed }
            let key = Value128(passkey: passkey)
            state = .legacyConfirm(temporaryKey: key)
            if let confirm { try answerLegacy(confirm, temporaryKey: key, &port) }
        default: return false
        }
        return true
    }

    /// The key that the link is to be encrypted with now, if the pairing is that far.
    var encryptionKey: Value128? {
        guard case .encryption(let key) = state else { return nil }
        return key
    }

    private var isPasskeyEntry: Bool {
        switch state {
        case .passkey, .passkeyConfirm, .passkeyRandom, .temporaryKey: true
        case .legacyConfirm: negotiation.model == .passkeyDisplayed
        default: false
        }
    }

    mutating func send(_ pdu: SecurityPDU, _ port: inout SecurityPort) {
        port.emit(.send(pdu))
        deadline = port.now + Pairing.timeout
    }

    /// What `body` gives; nothing that a peer sends makes it fail.
    func computed<Value>(_ body: () throws(CryptoError) -> Value) throws(PairingFailureReason) -> Value {
        do { return try body() } catch { throw .unspecified }
    }
}

extension SecurityValue<16> {
    /// A passkey as a 128-bit number (2.3.5.3, 2.3.5.6.5).
    init(passkey: UInt32) {
        self = .zero
        for index in 0..<4 { octets[15 - index] = UInt8(truncatingIfNeeded: passkey >> UInt32(index * 8)) }
    }
}

extension UInt32 {
    /// Six random digits, all equally likely: 20 bits at a time, those of a million or more thrown away. Throws if that
    /// never ends, which a source of randomness that works does once in 10⁸⁰ times.
    static func passkey(from random: inout any RandomSource) throws(PairingFailureReason) -> UInt32 {
        for _ in 0..<64 {
            let bits = SecurityValue<4>(from: &random).octets
            let number = UInt32(bits[1] & 0x0F) << 16 | UInt32(bits[2]) << 8 | UInt32(bits[3])
            if number < 1_000_000 { return number }
        }
        throw .unspecified
    }
}
