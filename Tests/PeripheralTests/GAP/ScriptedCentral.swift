// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Octets
import Timekeeping

@testable import Peripheral

/// A central that pairs with a host, as the specification says of the initiator (Core 5.4, Vol 3, Part H, 2.3 and 2.4),
/// computed with the toolbox and not with the pairing under test.
final class ScriptedCentral {
    let rig: SecureRig
    let handle: UInt16
    /// The peripheral's address of the connection.
    var own = Sample.address(1)
    var address = BluetoothAddress(.random, "c0c1c2c3c4c5")
    var identity = BluetoothAddress(.random, "c0c1c2c3c4c5")
    var resolvingKey = Value128(hex: "11111111111111111111111111111111")
    var privateKey = octets("55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd")
    var features = PairingFeatures(
        ioCapability: .noInputNoOutput, requirements: [.bonding, .secureConnections],
        initiatorKeys: [.encryption, .identity], responderKeys: [.encryption, .identity])
    var random = ScriptedRandom(seed: 7)
    /// The link as the device knows it.
    var link = LinkID(slot: -1, generation: 0)
    /// The key of legacy pairing for later connections.
    var legacyKey: (key: Value128, name: LTKIdentifier)?

    init(_ rig: SecureRig, _ handle: UInt16 = 0x40) {
        self.rig = rig
        self.handle = handle
    }

    /// With private addresses, and what `io` and `requirements` say.
    convenience init(
        _ rig: SecureRig, _ handle: UInt16 = 0x40, io: IOCapability = .noInputNoOutput,
        _ requirements: AuthenticationRequirements
    ) {
        self.init(rig, handle)
        features.ioCapability = io
        features.requirements = requirements
    }

    func connect(set: UInt8? = 1) throws {
        link = try rig.connect(handle, address, set: set)
        own = Sample.address(set ?? 1)
    }

    /// Another phone.
    func become(_ number: UInt64) {
        address = BluetoothAddress(kind: .random, value: 0xC0C1_C2C3_0000 | number)
        identity = address
        resolvingKey = Value128(hex: String(number, radix: 16).evenDigits)
        random = ScriptedRandom(seed: 100 + number)
    }

    func give(_ pdu: SecurityPDU) { rig.give(handle, pdu.octets) }

    /// The oldest PDU that was sent; a Pairing Failed ends the test's pairing.
    func take() throws -> SecurityPDU {
        guard let octets = rig.takeFirstSMP(handle) else { throw SecureRig.Wrong(what: "silence") }
        let pdu = try SecurityPDU(octets)
        if case .failed(let reason) = pdu { throw reason }
        return pdu
    }

    private func takeValue() throws -> Value128 {
        switch try take() {
        case .confirm(let value), .random(let value), .keyCheck(let value): return value
        case let other: throw SecureRig.Wrong(what: "\(other)")
        }
    }

    private func draw() -> Value128 { Value128(InlineArray { _ in random.next() }) }

    /// Performs a complete pairing; returns the key of the link.
    @discardableResult
    func pair(_ model: AssociationModel) throws -> Value128 {
        let key = try agree(model)
        try rig.encrypt(handle, key)
        try exchangeKeys()
        return key
    }

    /// Phases 1 and 2.
    func agree(_ model: AssociationModel) throws -> Value128 {
        give(.pairingRequest(features))
        guard case .pairingResponse(let response) = try take() else { throw SecureRig.Wrong(what: "response") }
        let isSecure =
            features.requirements.contains(.secureConnections)
            && response.requirements.contains(.secureConnections)
        return try isSecure ? agreeSecurely(model, response) : agreeLegacy(model, response)
    }

    /// Phase 3: takes the peripheral's keys, and gives its own.
    func exchangeKeys() throws {
        let isSecure = rig.level(link).isSecureConnections
        var key: Value128?
        while let octets = rig.takeFirstSMP(handle) {
            switch try SecurityPDU(octets) {
            case .failed(let reason): throw reason
            case .encryptionInformation(let value): key = value
            case .centralIdentification(let name): legacyKey = key.map { ($0, name) }
            default: break
            }
        }
        if !isSecure, features.initiatorKeys.contains(.encryption) {
            give(.encryptionInformation(Value128(hex: "77")))
            give(.centralIdentification(LTKIdentifier(diversifier: 7, random: 7)))
        }
        if features.initiatorKeys.contains(.identity) {
            give(.identityInformation(resolvingKey))
            give(.identityAddress(identity))
        }
        while rig.takeFirstSMP(handle) != nil {}
    }

    private func agreeSecurely(_ model: AssociationModel, _ response: PairingFeatures) throws -> Value128 {
        let key = try P256PrivateKey(scalar: privateKey.span)
        let point = key.publicPoint.octets
        let ownX = Value256(InlineArray { point[1 + $0] })
        give(.publicKey(x: ownX, y: Value256(InlineArray { point[33 + $0] })))
        guard case .publicKey(let peerX, let peerY) = try take() else { throw SecureRig.Wrong(what: "public key") }
        let shared = Value256(try key.sharedSecret(with: octets("04" + peerX.hex + peerY.hex).span))
        var nonces = (own: draw(), peer: Value128.zero)
        var r = Value128.zero
        switch model {
        case .justWorks, .numericComparison:
            let confirm = try takeValue()
            give(.random(nonces.own))
            nonces.peer = try takeValue()
            guard try SecurityToolbox.f4(peerX, ownX, nonces.peer, 0) == confirm else {
                throw SecureRig.Wrong(what: "confirm")
            }
            if model == .numericComparison {
                let number = try SecurityToolbox.g2(ownX, peerX, nonces.own, nonces.peer) % 1_000_000
                guard rig.rig.events.contains(.compare(link, number)), rig.answerComparison(link, true) else {
                    throw SecureRig.Wrong(what: "comparison")
                }
            }
        case .passkeyDisplayed, .passkeyEntered:
            let passkey = try model == .passkeyDisplayed ? displayedPasskey() : SecureRig.enteredPasskey
            nonces = try comparePasskey(passkey, isEntered: model == .passkeyEntered, ownX, peerX)
            r = Value128(hex: String(passkey, radix: 16).evenDigits)
        case .outOfBand: throw SecureRig.Wrong(what: "out of band is not scripted")
        }
        let keys = try SecurityToolbox.f5(shared, nonces.own, nonces.peer, address, own)
        give(
            .keyCheck(
                try SecurityToolbox.f6(
                    keys.macKey, nonces.own, nonces.peer, r, capability: features, address, own)))
        let expected = try SecurityToolbox.f6(
            keys.macKey, nonces.peer, nonces.own, r, capability: response, own, address)
        guard try takeValue() == expected else { throw SecureRig.Wrong(what: "check") }
        return keys.longTermKey
    }

    private func displayedPasskey() throws -> UInt32 {
        for case .displayPasskey(link, let passkey) in rig.rig.events { return passkey }
        throw SecureRig.Wrong(what: "no passkey was displayed")
    }

    private func comparePasskey(
        _ passkey: UInt32, isEntered: Bool, _ ownX: Value256, _ peerX: Value256
    ) throws -> (own: Value128, peer: Value128) {
        var last = (own: Value128.zero, peer: Value128.zero)
        for round in 0..<20 {
            let bit = 0x80 | UInt8(passkey >> UInt32(round) & 1)
            let own = draw()
            give(.confirm(try SecurityToolbox.f4(ownX, peerX, own, bit)))
            if isEntered, round == 0 { try enter() }
            let confirm = try takeValue()
            give(.random(own))
            let peer = try takeValue()
            guard try SecurityToolbox.f4(peerX, ownX, peer, bit) == confirm else {
                throw SecureRig.Wrong(what: "confirm")
            }
            last = (own, peer)
        }
        return last
    }

    private func enter() throws {
        guard rig.rig.events.contains(.requestPasskey(link)), rig.enterPasskey(link, SecureRig.enteredPasskey) else {
            throw SecureRig.Wrong(what: "passkey was not awaited")
        }
    }

    private func agreeLegacy(_ model: AssociationModel, _ response: PairingFeatures) throws -> Value128 {
        var temporaryKey = Value128.zero
        switch model {
        case .justWorks, .numericComparison, .outOfBand: break
        case .passkeyDisplayed: temporaryKey = Value128(hex: String(try displayedPasskey(), radix: 16).evenDigits)
        case .passkeyEntered:
            temporaryKey = Value128(hex: String(SecureRig.enteredPasskey, radix: 16).evenDigits)
        }
        func confirm(_ random: Value128) throws -> Value128 {
            try SecurityToolbox.c1(
                temporaryKey, random, request: features, response: response, initiator: address, responder: own)
        }
        let nonce = draw()
        give(.confirm(try confirm(nonce)))
        if model == .passkeyEntered { try enter() }
        let peerConfirm = try takeValue()
        give(.random(nonce))
        let peer = try takeValue()
        guard try confirm(peer) == peerConfirm else { throw SecureRig.Wrong(what: "confirm") }
        return try SecurityToolbox.s1(temporaryKey, responder: peer, initiator: nonce)
    }
}
