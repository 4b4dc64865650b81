// SPDX-License-Identifier: Apache-2.0

import Crypto
import Reader

/// A kind of public key of the back end that an identity has; the raw value is the term for people.
enum BackendKeyKind: String, CaseIterable {
    /// For tokens.
    case signature
    /// For orders.
    case command

    /// The file of the current key.
    var file: IdentityFiles.File {
        switch self {
        case .signature: .signatureKey
        case .command: .commandKey
        }
    }

    /// The file of the key that is being replaced.
    var retiringFile: IdentityFiles.File {
        switch self {
        case .signature: .retiringSignatureKey
        case .command: .retiringCommandKey
        }
    }
}

/// The back end's public keys of one kind.
struct BackendKeys {
    /// nil if it is not known yet.
    var current: P256PublicKey?
    /// The key that is being replaced; nil for none.
    var retiring: RetiringKey?

    /// True if these contain `key`.
    func contain(_ key: P256PublicKey) -> Bool {
        [current, retiring?.key].contains { $0?.point == key.point }
    }
}
