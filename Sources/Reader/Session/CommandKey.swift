// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import Timekeeping

/// A public key of a back end whose orders the reader takes, with the end of its acceptance if it is being replaced.
public struct CommandKey: Sendable {
    private static let idCount = 8

    /// The first 8 octets of the SHA-256 of its SubjectPublicKeyInfo, by which an order names it.
    public let id: [UInt8]
    /// The key.
    public let key: any SignatureKey
    /// The end of its acceptance in the reader's local time, the whole minute included; nil for the current key.
    public let until: CivilTime?

    /// A key that is accepted up to and including `until`.
    ///
    /// - Throws: `CryptoError` if the library does not hash.
    public init(_ key: any SignatureKey, until: CivilTime? = nil) throws(CryptoError) {
        let point = key.point.octets
        let digest = try SHA256.hash(
            P256PublicKey.subjectPublicKeyInfo(point: point.indices.map { point[$0] }).span)
        id = (0..<CommandKey.idCount).map { digest[$0] }
        (self.key, self.until) = (key, until)
    }

    /// True if it is accepted at `latest`, the latest local time that the clock has shown. A key that is being replaced
    /// is not accepted without a clock.
    package func isAccepted(at latest: CivilTime?) -> Bool {
        until.map { RetiringKey.isAccepted(until: $0, at: latest) } ?? true
    }
}
