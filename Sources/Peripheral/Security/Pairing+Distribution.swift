// SPDX-License-Identifier: Apache-2.0

import Crypto

// Phase 3: key distribution over the encrypted link (Core 5.4, Vol 3, Part H, 2.4.3 and 3.6.1). The peripheral sends
// first.
extension Pairing {
    /// Starts the distribution on a link encrypted with `key`: sends this side's keys.
    mutating func encrypted(with key: Value128, _ port: inout SecurityPort) throws(PairingFailureReason) {
        let toSend = negotiation.keysToSend
        var keys = PairedKeys(longTermKey: nil, diversifier: .zero)
        if negotiation.isSecureConnections {
            keys.longTermKey = key
        } else if toSend.contains(.encryption) {
            // EDIV and Rand both zero would identify a short-term key; the probability of 2⁻⁸⁰ is accepted.
            let longTermKey = Value128(from: &port.random).shortened(to: negotiation.keySize)
            guard !longTermKey.isZero else { throw .unspecified }
            let name = LTKIdentifier(
                diversifier: UInt16(truncatingIfNeeded: drawNumber(2, &port)), random: drawNumber(8, &port))
            keys.longTermKey = longTermKey
            keys.diversifier = name
            send(.encryptionInformation(longTermKey), &port)
            send(.centralIdentification(name), &port)
        }
        if toSend.contains(.identity), let identity = material.identity {
            send(.identityInformation(identity.resolvingKey), &port)
            send(.identityAddress(identity.address), &port)
        }
        let awaited = negotiation.keysToAwait
        if awaited.contains(.encryption) {
            state = .distribution(.encryptionInformation, keys)
        } else if awaited.contains(.identity) {
            state = .distribution(.identityInformation, keys)
        } else {
            state = .finished(keys)
        }
    }

    /// Handles the next key of the central; any other command is out of order.
    mutating func receive(
        _ pdu: SecurityPDU, awaited: AwaitedKey, _ keys: PairedKeys
    ) throws(PairingFailureReason) {
        switch (awaited, pdu) {
        case (.encryptionInformation, .encryptionInformation(let key)):
            // Only for a link with exchanged roles: validated, not stored.
            guard !key.isZero else { throw .invalidParameters }
            state = .distribution(.centralIdentification, keys)
        case (.centralIdentification, .centralIdentification):
            state =
                negotiation.keysToAwait.contains(.identity)
                ? .distribution(.identityInformation, keys) : .finished(keys)
        case (.identityInformation, .identityInformation(let key)):
            state = .distribution(.identityAddress(resolvingKey: key), keys)
        case (.identityAddress(let resolvingKey), .identityAddress(let address)):
            var keys = keys
            keys.identity = address
            // A device without private addresses sends zeros.
            keys.resolvingKey = resolvingKey.isZero ? nil : resolvingKey
            state = .finished(keys)
        case (_, .pairingResponse), (_, .securityRequest):
            throw .commandNotSupported
        default:
            throw .unspecified
        }
    }

    private func drawNumber(_ octets: Int, _ port: inout SecurityPort) -> UInt64 {
        let drawn = SecurityValue<8>(from: &port.random).octets
        var number: UInt64 = 0
        for index in 0..<octets { number = number << 8 | UInt64(drawn[index]) }
        return number
    }
}
