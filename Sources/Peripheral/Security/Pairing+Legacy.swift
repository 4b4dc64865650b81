import Crypto

// The responder's side of legacy pairing (Core 5.4, Vol 3, Part H, 2.3.5.5). Whoever listens can find the keys, unless
// the temporary key went another way: that is why it is off by default.
extension Pairing {
    /// After Pairing Response: the temporary key.
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
            // The flag of the response was only set because this is here.
            guard case .legacy(let key) = material.received else { throw .outOfBandNotAvailable }
            state = .legacyConfirm(temporaryKey: key)
        }
    }

    /// The central's confirm value is here: this side's own goes back.
    mutating func answerLegacy(
        _ confirm: Value128, temporaryKey: Value128, _ port: inout SecurityPort
    ) throws(PairingFailureReason) {
        let own = Value128(from: &port.random)
        let answer = try legacyConfirm(temporaryKey, own)
        state = .legacyRandom(temporaryKey: temporaryKey, confirm: confirm, own: own)
        send(.confirm(answer), &port)
    }

    /// The central opens its commitment. Only if it was right does this side open its own.
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
