internal import AccessProtocol
public import Crypto
public import Timekeeping

/// A signature key that another has replaced, and until when tokens under it are still taken.
public struct RetiringSignatureKey: Sendable {
    /// The key.
    public let key: P256PublicKey
    /// The last time at which it counts, in the reader's local time; to the minute, the whole minute included.
    public let until: CivilTime

    /// A key that counts up to and including `until`.
    public init(_ key: P256PublicKey, until: CivilTime) {
        self.key = key
        self.until = until
    }

    /// Whether it counts when `latest` is the latest local time that the reader's clock has shown: a phone that puts the
    /// clock back does not bring it back. Without a clock it does not count: nobody could say when it ends.
    public func isAccepted(at latest: CivilTime?) -> Bool {
        guard var minute = latest else { return false }
        minute.second = 0
        return minute <= until
    }
}

extension TokenVerifier {
    /// Decides about a token by the identity's signature key, and if that has not signed it, by the one before.
    mutating func verify(
        _ plaintext: [UInt8], for identity: ReaderIdentity, clock: CivilTime?, latest: CivilTime?
    ) -> Decision {
        let decision = verify(plaintext, key: identity.signatureKey, clock: clock, latest: latest)
        guard case .refused(let refusal) = decision, refusal.status == .signature,
            // A key on its way out has no say in the time at which it is gone.
            refusal.attempt?.command != .setClock,
            let retiring = identity.retiringSignatureKey, retiring.isAccepted(at: latest ?? clock)
        else { return decision }
        return verify(plaintext, key: retiring.key, clock: clock, latest: latest)
    }
}
