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

    /// Whether it counts when the reader's clock shows `clock`. Without a clock it does not: nobody could say when it
    /// ends.
    public func isAccepted(at clock: CivilTime?) -> Bool {
        guard var minute = clock else { return false }
        minute.second = 0
        return minute <= until
    }
}

extension TokenVerifier {
    /// Decides about a token by the identity's signature key, and if that has not signed it, by the one before.
    mutating func verify(_ plaintext: [UInt8], for identity: ReaderIdentity, clock: CivilTime?) -> Decision {
        let decision = verify(plaintext, key: identity.signatureKey, clock: clock)
        guard case .refused(let refusal) = decision, refusal.status == .signature,
            let retiring = identity.retiringSignatureKey, retiring.isAccepted(at: clock)
        else { return decision }
        return verify(plaintext, key: retiring.key, clock: clock)
    }
}
