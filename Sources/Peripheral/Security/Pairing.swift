// SPDX-License-Identifier: Apache-2.0

import Crypto
import Timekeeping

/// One pairing as the responder, from Pairing Request to the last key (Core 5.4, Vol 3, Part H, 2.3 and 2.4).
///
/// Inputs are the commands of the central and the answers of the user. A thrown reason ends the pairing and is sent in
/// Pairing Failed.
struct Pairing {
    /// The time limit between two commands (3.4).
    static let timeout = Duration.seconds(30)

    let negotiation: PairingNegotiation
    let initiator: BluetoothAddress
    let responder: BluetoothAddress
    let material: Material
    var state: State
    /// The time of the pairing's timeout. Only a command sent by this side extends it.
    var deadline: Instant

    /// The inputs of this side to a pairing.
    struct Material {
        /// The published out-of-band data with its key; a new key is generated if nil.
        var published: LocalOutOfBand?
        /// Out-of-band data received from the central.
        var received: PeerOutOfBandData?
        /// The identity to distribute.
        var identity: SecurityIdentity?
        var allowsDebugKey: Bool
    }

    /// The state: the input that is awaited.
    enum State {
        // Secure Connections.
        case publicKey
        /// Just Works and numeric comparison: the confirm value is sent.
        case random(KeyAgreement, own: Value128)
        /// The user compares; the central's check value may arrive before the answer.
        case comparison(KeyAgreement, Nonces, check: Value128?)
        /// The user enters the passkey; the central's first confirm value may arrive before the answer.
        case passkey(KeyAgreement, confirm: Value128?)
        case passkeyConfirm(KeyAgreement, PasskeyRound)
        case passkeyRandom(KeyAgreement, PasskeyRound, confirm: Value128, own: Value128)
        case outOfBandRandom(KeyAgreement, Nonces)
        case keyCheck(KeyAgreement, Nonces)
        // Legacy pairing.
        /// The user enters the passkey; the central's confirm value may arrive before the answer.
        case temporaryKey(confirm: Value128?)
        case legacyConfirm(temporaryKey: Value128)
        case legacyRandom(temporaryKey: Value128, confirm: Value128, own: Value128)
        // Both.
        /// Encryption with this key.
        case encryption(Value128)
        case distribution(AwaitedKey, PairedKeys)
        case finished(PairedKeys)
    }

    /// The result of the key exchange: the x coordinates of both public keys and the shared key.
    struct KeyAgreement {
        var ownX: Value256
        var peerX: Value256
        var sharedKey: Value256
    }

    /// The inputs of the check values: N and r of both sides.
    struct Nonces {
        var initiator: Value128
        var responder: Value128
        var initiatorR: Value128
        var responderR: Value128
    }

    /// A round of passkey entry, which compares a bit of the passkey; 20 rounds in all.
    struct PasskeyRound {
        static let count = 20
        var passkey: UInt32
        var index = 0

        /// The r of f4: 0x80 or 0x81 by the bit of this round (2.3.5.6.3).
        var bit: UInt8 { 0x80 | UInt8(truncatingIfNeeded: passkey >> UInt32(index) & 1) }
    }

    /// The keys of the central in their mandatory order (3.6.1).
    enum AwaitedKey {
        case encryptionInformation
        case centralIdentification
        case identityInformation
        case identityAddress(resolvingKey: Value128)
    }

    /// The keys that result from a pairing.
    struct PairedKeys {
        /// The key that the central requests at reconnection; nil if none was distributed.
        var longTermKey: Value128?
        var diversifier: LTKIdentifier
        var identity: BluetoothAddress?
        var resolvingKey: Value128?
    }

    /// A pairing with the result of the feature exchange, between these addresses of the connection. `begin` must be
    /// called next.
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

    /// Handles a command of the central other than Pairing Failed.
    mutating func receive(_ pdu: SecurityPDU, _ port: inout SecurityPort) throws(PairingFailureReason) {
        switch (state, pdu) {
        case (.publicKey, .publicKey(let x, let y)):
            try agree(on: x, y, &port)
        case (.random(let agreement, let own), .random(let peer)):
            try receive(random: peer, agreement, own: own, &port)
        case (.comparison(let agreement, let nonces, nil), .keyCheck(let check)):
            state = .comparison(agreement, nonces, check: check)
        case (.passkey(let agreement, nil), .confirm(let confirm)):
            state = .passkey(agreement, confirm: confirm)
        case (.passkeyConfirm(let agreement, let round), .confirm(let confirm)):
            try answer(confirm, agreement, round, &port)
        case (.passkeyRandom(let agreement, let round, let confirm, let own), .random(let peer)):
            try receive(random: peer, agreement, round, confirm: confirm, own: own, &port)
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
            try receive(pdu, awaited: awaited, keys)
        case (_, .keypress) where isPasskeyEntry:
            // Keypress notifications are ignored and do not extend the timeout.
            break
        case (_, .pairingResponse), (_, .securityRequest):
            throw .commandNotSupported
        default:
            throw .unspecified
        }
    }

    /// Handles the user's answer to `compare`.
    ///
    /// - Returns: False if no answer was requested.
    mutating func answerComparison(
        _ isSame: Bool, _ port: inout SecurityPort
    ) throws(PairingFailureReason) -> Bool {
        guard case .comparison(let agreement, let nonces, let check) = state else { return false }
        guard isSame else { throw .numericComparisonFailed }
        state = .keyCheck(agreement, nonces)
        if let check { try verify(check, agreement, nonces, &port) }
        return true
    }

    /// Handles the user's answer to `requestPasskey`; nil means that the user has no passkey.
    ///
    /// - Returns: False if no passkey was requested.
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

    /// The key for encryption of the link; nil before the check values are verified.
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

    /// The result of `body`, with errors of libcrypto as `unspecified`. No input of a peer causes them.
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
    /// A uniformly distributed passkey by rejection sampling of 20 bits.
    ///
    /// - Throws: `unspecified` after 64 rejected draws, which means that the source of randomness is broken.
    static func passkey(from random: inout any RandomSource) throws(PairingFailureReason) -> UInt32 {
        for _ in 0..<64 {
            let bits = SecurityValue<4>(from: &random).octets
            let number = UInt32(bits[1] & 0x0F) << 16 | UInt32(bits[2]) << 8 | UInt32(bits[3])
            if number < 1_000_000 { return number }
        }
        throw .unspecified
    }
}
