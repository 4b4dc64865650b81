// SPDX-License-Identifier: Apache-2.0

internal import AccessProtocol
public import Crypto
public import Timekeeping

/// A replaced public key of the back end, and the time until which tokens or orders under it are accepted.
public struct RetiringKey: Sendable {
    /// The key.
    public let key: P256PublicKey
    /// The end of its acceptance in the reader's local time, the whole minute included.
    public let until: CivilTime

    /// A key that is accepted up to and including `until`.
    public init(_ key: P256PublicKey, until: CivilTime) {
        self.key = key
        self.until = until
    }

    /// Tests the key against `latest`, the latest local time that the reader's clock has shown: putting the clock back
    /// does not accept it again. Without a clock it is not accepted.
    public func isAccepted(at latest: CivilTime?) -> Bool {
        RetiringKey.isAccepted(until: until, at: latest)
    }

    static func isAccepted(until: CivilTime, at latest: CivilTime?) -> Bool {
        guard var minute = latest else { return false }
        minute.second = 0
        return minute <= until
    }
}

extension TokenVerifier {
    /// Decides about a token by the identity's signature key, and if that did not sign it, by the retiring one.
    mutating func verify(
        _ plaintext: [UInt8], for identity: ReaderIdentity, clock: CivilTime?, latest: CivilTime?
    ) -> Decision {
        let decision = verify(plaintext, key: identity.signatureKey, clock: clock, latest: latest)
        guard case .refused(let refusal) = decision, refusal.status == .signature,
            // A retiring key may not set the time that ends it.
            refusal.attempt?.command != .setClock,
            let retiring = identity.retiringSignatureKey, retiring.isAccepted(at: latest ?? clock)
        else { return decision }
        return verify(plaintext, key: retiring.key, clock: clock, latest: latest)
    }
}
