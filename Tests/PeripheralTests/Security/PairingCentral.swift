// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Peripheral

/// A central's own side of pairing.
struct PairingCentral {
    var address = BluetoothAddress(.random, "c0c1c2c3c4c5")
    var identity = BluetoothAddress(.random, "c0c1c2c3c4c5")
    var resolvingKey = Value128(hex: "11111111111111111111111111111111")
    var privateKey = octets("55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd")
    var features = PairingFeatures(
        ioCapability: .noInputNoOutput, requirements: [.bonding, .secureConnections],
        initiatorKeys: [.encryption, .identity], responderKeys: [.encryption, .identity])
    /// The published out-of-band random value; the confirm value follows from the key.
    var outOfBandRandom: Value128?
    /// The out-of-band data received from the peripheral.
    var peerOutOfBand: OutOfBandData?
    /// The temporary key of legacy pairing.
    var temporaryKey = Value128.zero

    /// The passkey that the user enters.
    static let enteredPasskey: UInt32 = 19_655

    /// A PDU was expected, and none was sent.
    struct Silence: Error {}
    /// A deviation from the specification.
    struct Wrong: Error { var what: String }
}

/// A peripheral that pairs with a scripted central: the Security Manager alone, or within a host.
///
/// The central follows the specification of the initiator (Core 5.4, Vol 3, Part H, 2.3 and 2.4) and computes with the
/// toolbox, not with the pairing under test.
protocol PairingPeripheral: ~Copyable {
    /// The peripheral's address of the connection.
    var own: BluetoothAddress { get }
    /// The central's random numbers.
    var random: ScriptedRandom { get set }
    /// The passkey on display.
    var displayedPasskey: UInt32? { get }
    /// True while the central's keys may be due.
    var isPairing: Bool { get }
    /// True if the link is encrypted with a key of LE Secure Connections.
    var isSecure: Bool { get }

    mutating func give(_ pdu: SecurityPDU)
    /// The oldest PDU that was sent and not yet taken.
    mutating func next() throws -> SecurityPDU?
    /// The user's yes to this number; false unless the number was on display and the answer was due.
    mutating func confirm(_ number: UInt32) -> Bool
    /// Enters the passkey; false unless it was requested, nothing sent before it, and its entry due.
    mutating func enterPasskey() -> Bool
    /// Encrypts the link with `key`, which must be the one given to the controller.
    mutating func encrypt(_ key: Value128, _ name: LTKIdentifier) throws
}

extension PairingPeripheral where Self: ~Copyable {
    /// The oldest PDU that was sent; a Pairing Failed ends the test's pairing.
    mutating func nextPDU() throws -> SecurityPDU {
        guard let pdu = try next() else { throw PairingCentral.Silence() }
        if case .failed(let reason) = pdu { throw reason }
        return pdu
    }

    private mutating func takeValue() throws -> Value128 {
        switch try nextPDU() {
        case .confirm(let value), .random(let value), .keyCheck(let value): return value
        case let other: throw PairingCentral.Wrong(what: "\(other)")
        }
    }

    private mutating func draw() -> Value128 { Value128(InlineArray { _ in random.next() }) }

    /// Performs a complete pairing; returns the key of the link.
    @discardableResult
    mutating func pair(_ central: PairingCentral, _ model: AssociationModel) throws -> Value128 {
        let key = try agree(central, model)
        try encrypt(key, .zero)
        try exchangeKeys(central)
        return key
    }

    /// Phases 1 and 2.
    mutating func agree(_ central: PairingCentral, _ model: AssociationModel) throws -> Value128 {
        give(.pairingRequest(central.features))
        guard case .pairingResponse(let response) = try nextPDU() else { throw PairingCentral.Wrong(what: "response") }
        let isSecure =
            central.features.requirements.contains(.secureConnections)
            && response.requirements.contains(.secureConnections)
        let size = Int(min(central.features.maximumKeySize, response.maximumKeySize))
        var key = try isSecure ? agreeSecurely(central, model, response) : agreeLegacy(central, model, response)
        for index in 0..<16 - size { key.octets[index] = 0 }
        return key
    }

    /// Phase 3: takes the peripheral's keys, and gives the central's as requested. Returns the key of legacy pairing
    /// for later connections.
    @discardableResult
    mutating func exchangeKeys(_ central: PairingCentral) throws -> (key: Value128, name: LTKIdentifier)? {
        let legacyKey = try takeKeys()
        guard isPairing else { return legacyKey }
        if !isSecure, central.features.initiatorKeys.contains(.encryption) {
            give(.encryptionInformation(Value128(hex: "77")))
            give(.centralIdentification(LTKIdentifier(diversifier: 7, random: 7)))
        }
        if central.features.initiatorKeys.contains(.identity) {
            give(.identityInformation(central.resolvingKey))
            give(.identityAddress(central.identity))
        }
        _ = try takeKeys()
        return legacyKey
    }

    private mutating func takeKeys() throws -> (key: Value128, name: LTKIdentifier)? {
        var (key, legacyKey): (Value128?, (Value128, LTKIdentifier)?)
        while let pdu = try next() {
            switch pdu {
            case .failed(let reason): throw reason
            case .encryptionInformation(let value): key = value
            case .centralIdentification(let name): legacyKey = key.map { ($0, name) }
            default: break
            }
        }
        return legacyKey
    }

    private mutating func agreeSecurely(
        _ central: PairingCentral, _ model: AssociationModel, _ response: PairingFeatures
    ) throws -> Value128 {
        let key = try P256PrivateKey(scalar: central.privateKey.span)
        let point = key.publicPoint.octets
        let ownX = Value256(InlineArray { point[1 + $0] })
        give(.publicKey(x: ownX, y: Value256(InlineArray { point[33 + $0] })))
        guard case .publicKey(let peerX, let peerY) = try nextPDU() else {
            throw PairingCentral.Wrong(what: "public key")
        }
        let shared = Value256(try key.sharedSecret(with: octets("04" + peerX.hex + peerY.hex).span))

        var nonces = (own: draw(), peer: Value128.zero)
        var r = (own: Value128.zero, peer: Value128.zero)
        switch model {
        case .justWorks, .numericComparison:
            let confirm = try takeValue()
            give(.random(nonces.own))
            nonces.peer = try takeValue()
            try demand(try SecurityToolbox.f4(peerX, ownX, nonces.peer, 0) == confirm, "confirm")
            if model == .numericComparison {
                let number = try SecurityToolbox.g2(ownX, peerX, nonces.own, nonces.peer) % 1_000_000
                try demand(self.confirm(number), "comparison")
            }
        case .passkeyDisplayed, .passkeyEntered:
            let passkey = try passkey(model)
            nonces = try comparePasskey(passkey, isEntered: model == .passkeyEntered, ownX, peerX)
            r = (Value128(passkey: passkey), Value128(passkey: passkey))
        case .outOfBand:
            if let data = central.peerOutOfBand {
                try demand(try SecurityToolbox.f4(peerX, peerX, data.random, 0) == data.confirm, "out-of-band data")
                r.peer = data.random
            }
            if response.hasOutOfBandData { r.own = central.outOfBandRandom ?? .zero }
            give(.random(nonces.own))
            nonces.peer = try takeValue()
        }
        let keys = try SecurityToolbox.f5(shared, nonces.own, nonces.peer, central.address, own)
        give(
            .keyCheck(
                try SecurityToolbox.f6(
                    keys.macKey, nonces.own, nonces.peer, r.peer, capability: central.features, central.address, own)))
        let expected = try SecurityToolbox.f6(
            keys.macKey, nonces.peer, nonces.own, r.own, capability: response, own, central.address)
        try demand(try takeValue() == expected, "check")
        return keys.longTermKey
    }

    private func demand(_ isRight: Bool, _ what: String) throws {
        if !isRight { throw PairingCentral.Wrong(what: what) }
    }

    private func passkey(_ model: AssociationModel) throws -> UInt32 {
        if model == .passkeyEntered { return PairingCentral.enteredPasskey }
        guard let displayedPasskey else { throw PairingCentral.Wrong(what: "no passkey was displayed") }
        return displayedPasskey
    }

    private mutating func comparePasskey(
        _ passkey: UInt32, isEntered: Bool, _ ownX: Value256, _ peerX: Value256
    ) throws -> (own: Value128, peer: Value128) {
        var last = (own: Value128.zero, peer: Value128.zero)
        for round in 0..<20 {
            let bit = 0x80 | UInt8(passkey >> UInt32(round) & 1)
            let own = draw()
            give(.confirm(try SecurityToolbox.f4(ownX, peerX, own, bit)))
            if isEntered, round == 0 { try demand(enterPasskey(), "passkey was not awaited") }
            let confirm = try takeValue()
            give(.random(own))
            let peer = try takeValue()
            try demand(try SecurityToolbox.f4(peerX, ownX, peer, bit) == confirm, "confirm")
            last = (own, peer)
        }
        return last
    }

    private mutating func agreeLegacy(
        _ central: PairingCentral, _ model: AssociationModel, _ response: PairingFeatures
    ) throws -> Value128 {
        let temporaryKey =
            switch model {
            case .justWorks, .numericComparison: Value128.zero
            case .passkeyDisplayed, .passkeyEntered: Value128(passkey: try passkey(model))
            case .outOfBand: central.temporaryKey
            }
        let responder = own
        func confirm(_ random: Value128) throws -> Value128 {
            try SecurityToolbox.c1(
                temporaryKey, random, request: central.features, response: response, initiator: central.address,
                responder: responder)
        }
        let nonce = draw()
        give(.confirm(try confirm(nonce)))
        if model == .passkeyEntered { try demand(enterPasskey(), "passkey was not awaited") }
        let peerConfirm = try takeValue()
        give(.random(nonce))
        let peer = try takeValue()
        try demand(try confirm(peer) == peerConfirm, "confirm")
        return try SecurityToolbox.s1(temporaryKey, responder: peer, initiator: nonce)
    }
}

extension Value128 {
    /// A passkey as a number of 128 bits.
    init(passkey: UInt32) {
        self.init(InlineArray { $0 < 12 ? 0 : UInt8(truncatingIfNeeded: passkey >> UInt32(8 * (15 - $0))) })
    }
}
