// SPDX-License-Identifier: Apache-2.0

/// The reason why a card has not proven an identity. The raw value is the word in logs.
public enum CardRefusal: String, CaseIterable, Error, Sendable {
    /// A response with another length, tag or value than the protocol has.
    case malformed = "malformed-response"
    /// A status word that is not a success.
    case statusWord = "status-word"
    /// No common version.
    case version = "no-common-version"
    /// A public key that is compressed, or off the curve.
    case key = "invalid-key"
    /// A signature, cryptogram or checksum that does not verify.
    case proof = "invalid-proof"
    /// A key or signature of another algorithm than ECDSA on P-256, as RSA.
    case algorithm = "unsupported-algorithm"
    /// A certificate or document that does not verify, or is not valid now.
    case document = "invalid-document"
    /// A proven identity that the reader does not know.
    case unknown = "unknown-credential"
    /// An identity that its issuer has revoked.
    case revoked = "credential-revoked"
    /// An identity that is not valid now.
    case notValidNow = "credential-not-valid-now"
    /// A document whose rules or schedules do not permit the action now.
    case noRight = "no-access-right"
    /// The card's answers exceed the protocol's maximum.
    case tooLong = "response-too-long"
    /// A call that the transaction's state does not expect.
    case outOfOrder = "out-of-order"
    /// No message in the time for it.
    case silent = "no-response"
    /// No application of a configured kind, as on a card with an identifier only, which anyone can copy.
    case absent = "no-known-application"
    /// The reader's own keys, lists or random octets are not available.
    case unavailable = "reader-unavailable"
}
