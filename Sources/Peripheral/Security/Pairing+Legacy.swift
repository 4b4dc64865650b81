// SPDX-License-Identifier: Apache-2.0

import Crypto

// The responder of legacy pairing (Core 5.4, Vol 3, Part H, 2.3.5.5). An eavesdropper can compute the keys unless the
// temporary key was exchanged out of band, so legacy pairing is off by default.
extension Pairing {
    /// Determines the temporary key after Pairing Response.
    mutating func beginLegacy(_ port: inout SecurityPort) throws(PairingFailureReason) {
        switch negotiation.model {
        case .justWorks, .numericComparison:
            state = .legacyConfirm(temporaryKey: .zero)
        case .passkeyDisplayed:
            let passkey = try UInt32.passkey(from: &port.random)
            state = .legacyConfirm(temporaryKey: Value128(passkey: passkey))
            port.emit(.displayPasskey(passkey))
        case .passkeyEntered:
            state = .temporaryKey(confirm: nil)
            port.emit(.requestPasskey)
        case .outOfBand:
            // The response has the OOB flag only if this data is present.
            guard case .legacy(let key) = material.received else { throw .outOfBandNotAvailable }
            state = .legacyConfirm(temporaryKey: key)
        }
    }

    /// Answers the central's confirm value with this side's.
    mutating func answerLegacy(
        _ confirm: Value128, temporaryKey: Value128, _ port: inout SecurityPort
    ) throws(PairingFailureReason) {
        let own = Value128(from: &port.random)
        let answer = try legacyConfirm(temporaryKey, own)
        state = .legacyRandom(temporaryKey: temporaryKey, confirm: confirm, own: own)
        send(.confirm(answer), &port)
    }

    /// Verifies the central's random value against its confirm value; only then is this side's random value sent.
    mutating func takeLegacy(
        random peer: Value128, temporaryKey: Value128, confirm: Value128, own: Value128, _ port: inout SecurityPort
    ) throws(PairingFailureReason) {
        guard try legacyConfirm(temporaryKey, peer) == confirm else { throw .confirmValueFailed }
        let key = try computed { () throws(CryptoError) in
            try SecurityToolbox.s1(temporaryKey, responder: own, initiator: peer)
        }
        .shortened(to: negotiation.keySize)
        guard !key.isZero else { throw .unspecified }
        state = .encryption(key)
        send(.random(own), &port)
    }

    private func legacyConfirm(_ key: Value128, _ random: Value128) throws(PairingFailureReason) -> Value128 {
        try computed { () throws(CryptoError) in
            try SecurityToolbox.c1(
                key, random, request: negotiation.request, response: negotiation.response, initiator: initiator,
                responder: responder)
        }
    }
}
