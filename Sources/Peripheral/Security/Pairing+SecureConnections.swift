// SPDX-License-Identifier: Apache-2.0

import Crypto
import Octets

// The responder of LE Secure Connections (Core 5.4, Vol 3, Part H, 2.3.5.6).
extension Pairing {
    /// The x coordinate of the debug public key, whose private key is published (2.3.5.6.1).
    static let debugX = Value256([
        0x20, 0xB0, 0x03, 0xD2, 0xF2, 0x97, 0xBE, 0x2C, 0x5E, 0x2C, 0x83, 0xA7, 0xE9, 0xF9, 0xA5, 0xB9,
        0xEF, 0xF4, 0x91, 0x11, 0xAC, 0xF4, 0xFD, 0xDB, 0xCC, 0x03, 0x01, 0x48, 0x0E, 0x35, 0x9D, 0xE6,
    ])

    /// Exchanges the public keys (2.3.5.6.1). The shared key is computed at once, so an invalid point ends the pairing
    /// before any further step.
    mutating func agree(
        on x: Value256, _ y: Value256, _ port: inout SecurityPort
    ) throws(PairingFailureReason) {
        // Only x is compared: the point with the other y yields the same shared x coordinate.
        guard material.allowsDebugKey || x != Pairing.debugX else { throw .invalidParameters }
        guard let key = material.published?.key ?? P256PrivateKey.draw(from: &port.random) else { throw .unspecified }
        let own = key.publicPoint.coordinates
        guard x != own.x else { throw .invalidParameters }

        var point: [UInt8] = [0x04]
        point.reserveCapacity(P256Point.count)
        point.append(x.octets.span)
        point.append(y.octets.span)
        let shared: Value256
        do throws(CryptoError) {
            shared = Value256(try key.sharedSecret(with: point.span))
        } catch {
            throw error == .invalidPoint ? .keyCheckFailed : .unspecified
        }
        let agreement = KeyAgreement(ownX: own.x, peerX: x, sharedKey: shared)
        send(.publicKey(x: own.x, y: own.y), &port)
        try authenticate(agreement, &port)
    }

    /// Begins authentication stage 1 of the association model.
    private mutating func authenticate(
        _ agreement: KeyAgreement, _ port: inout SecurityPort
    ) throws(PairingFailureReason) {
        switch negotiation.model {
        case .justWorks, .numericComparison:
            let own = Value128(from: &port.random)
            let confirm = try computed { () throws(CryptoError) in
                try SecurityToolbox.f4(agreement.ownX, agreement.peerX, own, 0)
            }
            state = .random(agreement, own: own)
            send(.confirm(confirm), &port)
        case .passkeyDisplayed:
            let passkey = try UInt32.passkey(from: &port.random)
            state = .passkeyConfirm(agreement, PasskeyRound(passkey: passkey))
            port.emit(.displayPasskey(passkey))
        case .passkeyEntered:
            state = .passkey(agreement, confirm: nil)
            port.emit(.requestPasskey)
        case .outOfBand:
            try beginOutOfBand(agreement, &port)
        }
    }

    /// Just Works and numeric comparison: answers the central's nonce with this side's.
    mutating func receive(
        random peer: Value128, _ agreement: KeyAgreement, own: Value128, _ port: inout SecurityPort
    ) throws(PairingFailureReason) {
        let nonces = Nonces(initiator: peer, responder: own, initiatorR: .zero, responderR: .zero)
        send(.random(own), &port)
        guard negotiation.model == .numericComparison else {
            state = .keyCheck(agreement, nonces)
            return
        }
        let number = try computed { () throws(CryptoError) in
            try SecurityToolbox.g2(agreement.peerX, agreement.ownX, peer, own)
        }
        state = .comparison(agreement, nonces, check: nil)
        port.emit(.compare(number % 1_000_000))
    }

    /// Passkey: answers the confirm value of one bit.
    mutating func answer(
        _ confirm: Value128, _ agreement: KeyAgreement, _ round: PasskeyRound, _ port: inout SecurityPort
    ) throws(PairingFailureReason) {
        let own = Value128(from: &port.random)
        let answer = try computed { () throws(CryptoError) in
            try SecurityToolbox.f4(agreement.ownX, agreement.peerX, own, round.bit)
        }
        state = .passkeyRandom(agreement, round, confirm: confirm, own: own)
        send(.confirm(answer), &port)
    }

    /// Passkey: verifies the central's nonce of one bit against its confirm value; only then is this side's nonce sent.
    mutating func receive(
        random peer: Value128, _ agreement: KeyAgreement, _ round: PasskeyRound, confirm: Value128, own: Value128,
        _ port: inout SecurityPort
    ) throws(PairingFailureReason) {
        let expected = try computed { () throws(CryptoError) in
            try SecurityToolbox.f4(agreement.peerX, agreement.ownX, peer, round.bit)
        }
        guard expected == confirm else { throw .confirmValueFailed }
        var next = round
        next.index += 1
        if next.index < PasskeyRound.count {
            state = .passkeyConfirm(agreement, next)
        } else {
            let passkey = Value128(passkey: round.passkey)
            state = .keyCheck(
                agreement,
                Nonces(initiator: peer, responder: own, initiatorR: passkey, responderR: passkey))
        }
        send(.random(own), &port)
    }

    /// Out of band: verifies the public key against the commitment in the received data.
    private mutating func beginOutOfBand(
        _ agreement: KeyAgreement, _ port: inout SecurityPort
    ) throws(PairingFailureReason) {
        var nonces = Nonces(
            initiator: .zero, responder: Value128(from: &port.random), initiatorR: .zero, responderR: .zero)
        if case .secureConnections(let data) = material.received {
            let expected = try computed { () throws(CryptoError) in
                try SecurityToolbox.f4(agreement.peerX, agreement.peerX, data.random, 0)
            }
            guard expected == data.confirm else { throw .confirmValueFailed }
            nonces.initiatorR = data.random
        }
        if negotiation.request.hasOutOfBandData {
            guard let published = material.published else { throw .outOfBandNotAvailable }
            nonces.responderR = published.random
        }
        state = .outOfBandRandom(agreement, nonces)
    }

    /// Authentication stage 2: verifies the central's check value; only then are this side's check value sent and the
    /// key used.
    mutating func verify(
        _ check: Value128, _ agreement: KeyAgreement, _ nonces: Nonces, _ port: inout SecurityPort
    ) throws(PairingFailureReason) {
        let keys = try computed { () throws(CryptoError) in
            try SecurityToolbox.f5(agreement.sharedKey, nonces.initiator, nonces.responder, initiator, responder)
        }
        let expected = try computed { () throws(CryptoError) in
            try SecurityToolbox.f6(
                keys.macKey, nonces.initiator, nonces.responder, nonces.responderR, capability: negotiation.request,
                initiator, responder)
        }
        guard expected == check else { throw .keyCheckFailed }
        let own = try computed { () throws(CryptoError) in
            try SecurityToolbox.f6(
                keys.macKey, nonces.responder, nonces.initiator, nonces.initiatorR, capability: negotiation.response,
                responder, initiator)
        }
        let key = keys.longTermKey.shortened(to: negotiation.keySize)
        guard !key.isZero else { throw .unspecified }
        state = .encryption(key)
        send(.keyCheck(own), &port)
    }
}
