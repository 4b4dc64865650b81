// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Peripheral
import Testing
import Timekeeping

/// A Security Manager with one central, which follows the specification of the initiator (Core 5.4, Vol 3, Part H, 2.3
/// and 2.4) and computes with the toolbox, not with the pairing under test.
struct PairingRig: ~Copyable {
    /// A central's own side.
    struct Central {
        var address = BluetoothAddress(.random, "c0c1c2c3c4c5")
        var identity = BluetoothAddress(.random, "c0c1c2c3c4c5")
        var resolvingKey = Value128(hex: "11111111111111111111111111111111")
        var key = octets("55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd")
        var features = PairingFeatures(
            ioCapability: .noInputNoOutput, requirements: [.bonding, .secureConnections],
            initiatorKeys: [.encryption, .identity], responderKeys: [.encryption, .identity])
        /// The published out-of-band random value; the confirm value follows from the key.
        var outOfBandRandom: Value128?
        /// The out-of-band data received from the peripheral.
        var peerOutOfBand: OutOfBandData?
        /// The temporary key of legacy pairing.
        var temporaryKey = Value128.zero
    }

    static let own = BluetoothAddress(.random, "f0f1f2f3f4f5")
    static let ownIdentity = SecurityIdentity(
        address: BluetoothAddress(.public, "0a0b0c0d0e0f"),
        resolvingKey: Value128(hex: "22222222222222222222222222222222"))
    /// The passkey that the user enters.
    static let enteredPasskey: UInt32 = 19_655

    var manager: SecuredLinks
    var random = ScriptedRandom(seed: 7)
    var now = start
    /// The PDUs sent and not yet taken.
    var sent: [SecurityPDU] = []
    /// All actions except PDUs.
    var actions: [SecurityAction] = []

    init(_ policy: SecurityPolicy, store: any BondStore = TransientBondStore(), seed: UInt64 = 3) {
        manager = SecuredLinks(
            policy: policy, identity: PairingRig.ownIdentity, store: store, random: ScriptedRandom(seed: seed),
            linkCapacity: 2)
    }

    /// A permissive policy, for tests of one restriction at a time.
    static var open: SecurityPolicy {
        var policy = SecurityPolicy()
        policy.secureConnections = .preferred
        return policy
    }

    mutating func connect(_ central: Central) {
        manager.close(slot: 0, at: now)
        manager.open(slot: 0, peer: central.address, own: PairingRig.own)
        sent = []
        actions = []
    }

    mutating func drain() {
        while let action = manager.nextAction() {
            if case .send(let pdu) = action { sent.append(pdu) } else { actions.append(action) }
        }
    }

    mutating func give(_ octets: [UInt8]) {
        manager.receive(octets, slot: 0, at: now)
        drain()
    }

    mutating func give(_ pdu: SecurityPDU) { give(pdu.octets) }

    /// The oldest PDU that was sent; a Pairing Failed ends the test's pairing.
    mutating func take() throws -> SecurityPDU {
        guard !sent.isEmpty else { throw Silence() }
        let pdu = sent.removeFirst()
        if case .failed(let reason) = pdu { throw reason }
        return pdu
    }

    /// A PDU was expected, and none was sent.
    struct Silence: Error {}
    /// A PDU deviates from the specification.
    struct Wrong: Error { var what: String }

    mutating func takeValue() throws -> Value128 {
        switch try take() {
        case .confirm(let value), .random(let value), .keyCheck(let value): return value
        case let other: throw Wrong(what: "\(other)")
        }
    }

    mutating func draw() -> Value128 {
        Value128(InlineArray { _ in random.next() })
    }

    /// Performs a complete pairing; returns the key of the link.
    @discardableResult
    mutating func pair(_ central: Central, _ model: AssociationModel) throws -> Value128 {
        let key = try agree(central, model)
        try encrypt(key)
        try exchangeKeys(central)
        return key
    }

    /// Encrypts the link with `key`, which must be the one given to the controller.
    mutating func encrypt(_ key: Value128, _ name: LTKIdentifier = .zero) throws {
        guard manager.longTermKeyRequested(slot: 0, name: name) == key else { throw Wrong(what: "key") }
        manager.encryptionChanged(slot: 0, status: .success, at: now)
        drain()
    }

    /// Phases 1 and 2.
    mutating func agree(_ central: Central, _ model: AssociationModel) throws -> Value128 {
        give(.pairingRequest(central.features))
        guard case .pairingResponse(let response) = try take() else { throw Wrong(what: "response") }
        let isSecure =
            central.features.requirements.union([]).contains(.secureConnections)
            && response.requirements.contains(.secureConnections)
        let size = Int(min(central.features.maximumKeySize, response.maximumKeySize))
        var key = try isSecure ? agreeSecurely(central, model, response) : agreeLegacy(central, model, response)
        for index in 0..<16 - size { key.octets[index] = 0 }
        return key
    }

    /// Phase 3: receives the peripheral's keys, and sends the central's as requested.
    mutating func exchangeKeys(_ central: Central) throws {
        while !sent.isEmpty { _ = try take() }
        guard manager.isPairing(slot: 0) else { return }
        let isSecure = manager.level(slot: 0).isSecureConnections
        if !isSecure, central.features.initiatorKeys.contains(.encryption) {
            give(.encryptionInformation(Value128(hex: "77")))
            give(.centralIdentification(LTKIdentifier(diversifier: 7, random: 7)))
        }
        if central.features.initiatorKeys.contains(.identity) {
            give(.identityInformation(central.resolvingKey))
            give(.identityAddress(central.identity))
        }
        while !sent.isEmpty { _ = try take() }
    }

    private mutating func agreeSecurely(
        _ central: Central, _ model: AssociationModel, _ response: PairingFeatures
    ) throws -> Value128 {
        let key = try P256PrivateKey(scalar: central.key.span)
        let own = key.publicPoint.octets
        let ownX = Value256(InlineArray { own[1 + $0] })
        give(.publicKey(x: ownX, y: Value256(InlineArray { own[33 + $0] })))
        guard case .publicKey(let peerX, let peerY) = try take() else { throw Wrong(what: "public key") }
        let shared = Value256(try key.sharedSecret(with: octets("04" + peerX.hex + peerY.hex).span))

        var nonces = (own: draw(), peer: Value128.zero)
        var r = (own: Value128.zero, peer: Value128.zero)
        switch model {
        case .justWorks, .numericComparison:
            let confirm = try takeValue()
            give(.random(nonces.own))
            nonces.peer = try takeValue()
            guard try SecurityToolbox.f4(peerX, ownX, nonces.peer, 0) == confirm else { throw Wrong(what: "confirm") }
            if model == .numericComparison {
                let number = try SecurityToolbox.g2(ownX, peerX, nonces.own, nonces.peer) % 1_000_000
                guard actions.contains(.compare(number)), manager.answerComparison(true, slot: 0, at: now) else {
                    throw Wrong(what: "comparison")
                }
            }
        case .passkeyDisplayed, .passkeyEntered:
            let passkey = try model == .passkeyDisplayed ? displayedPasskey() : PairingRig.enteredPasskey
            nonces = try comparePasskey(passkey, isEntered: model == .passkeyEntered, ownX, peerX)
            r = (
                Value128(hex: String(passkey, radix: 16).evenDigits),
                Value128(hex: String(passkey, radix: 16).evenDigits)
            )
        case .outOfBand:
            if let data = central.peerOutOfBand {
                guard try SecurityToolbox.f4(peerX, peerX, data.random, 0) == data.confirm else {
                    throw Wrong(what: "out-of-band data")
                }
                r.peer = data.random
            }
            if response.hasOutOfBandData { r.own = central.outOfBandRandom ?? .zero }
            give(.random(nonces.own))
            nonces.peer = try takeValue()
        }
        let keys = try SecurityToolbox.f5(shared, nonces.own, nonces.peer, central.address, PairingRig.own)
        give(
            .keyCheck(
                try SecurityToolbox.f6(
                    keys.macKey, nonces.own, nonces.peer, r.peer, capability: central.features, central.address,
                    PairingRig.own)))
        let expected = try SecurityToolbox.f6(
            keys.macKey, nonces.peer, nonces.own, r.own, capability: response, PairingRig.own, central.address)
        guard try takeValue() == expected else { throw Wrong(what: "check") }
        return keys.longTermKey
    }

    private func displayedPasskey() throws -> UInt32 {
        for case .displayPasskey(let passkey) in actions { return passkey }
        throw Wrong(what: "no passkey was displayed")
    }

    private mutating func comparePasskey(
        _ passkey: UInt32, isEntered: Bool, _ ownX: Value256, _ peerX: Value256
    ) throws -> (own: Value128, peer: Value128) {
        var last = (own: Value128.zero, peer: Value128.zero)
        for round in 0..<20 {
            let bit = 0x80 | UInt8(passkey >> UInt32(round) & 1)
            let own = draw()
            give(.confirm(try SecurityToolbox.f4(ownX, peerX, own, bit)))
            if isEntered, round == 0 {
                guard actions.contains(.requestPasskey), sent.isEmpty,
                    manager.enterPasskey(PairingRig.enteredPasskey, slot: 0, at: now)
                else { throw Wrong(what: "passkey was not awaited") }
                drain()
            }
            let confirm = try takeValue()
            give(.random(own))
            let peer = try takeValue()
            guard try SecurityToolbox.f4(peerX, ownX, peer, bit) == confirm else { throw Wrong(what: "confirm") }
            last = (own, peer)
        }
        return last
    }

    private mutating func agreeLegacy(
        _ central: Central, _ model: AssociationModel, _ response: PairingFeatures
    ) throws -> Value128 {
        var temporaryKey = Value128.zero
        switch model {
        case .justWorks, .numericComparison: break
        case .passkeyDisplayed: temporaryKey = Value128(hex: String(try displayedPasskey(), radix: 16).evenDigits)
        case .passkeyEntered:
            temporaryKey = Value128(hex: String(PairingRig.enteredPasskey, radix: 16).evenDigits)
        case .outOfBand: temporaryKey = central.temporaryKey
        }
        func confirm(_ random: Value128) throws -> Value128 {
            try SecurityToolbox.c1(
                temporaryKey, random, request: central.features, response: response, initiator: central.address,
                responder: PairingRig.own)
        }
        let own = draw()
        give(.confirm(try confirm(own)))
        if model == .passkeyEntered {
            guard sent.isEmpty, manager.enterPasskey(PairingRig.enteredPasskey, slot: 0, at: now) else {
                throw Wrong(what: "passkey was not awaited")
            }
            drain()
        }
        let peerConfirm = try takeValue()
        give(.random(own))
        let peer = try takeValue()
        guard try confirm(peer) == peerConfirm else { throw Wrong(what: "confirm") }
        return try SecurityToolbox.s1(temporaryKey, responder: peer, initiator: own)
    }
}

extension String {
    /// The same hexadecimal number in an even count of digits.
    var evenDigits: String { count % 2 == 0 ? self : "0" + self }
}
