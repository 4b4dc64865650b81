// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// A change of the store that a transaction requests. The caller applies it, and persists the store.
public enum AliroEffect: Sendable {
    /// A document grants access to this credential, which replaces the credential with the same point.
    case credential(AliroCredential)
    /// The persistent key of a credential, and the signature time of the revocation document that it has delivered. The
    /// key is wiped when its last owner ends, also if the store does not want it.
    case persistentKey(SecretOctets, of: [UInt8], revocationSeen: Int64?)
    /// The content of a verified document about its issuer. Stands also if the phone that has brought it is refused.
    case issuer(AliroIssuerChange)
}
