// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterTLV

/// A supported type of credential (CredentialTypeEnum).
enum LockCredentialKind: UInt8, Sendable {
    case pin = 1
    case issuer = 6
    case evictableEndpoint = 7
    case endpoint = 8

    init(_ kind: AliroKeyKind) {
        self =
            switch kind {
            case .issuer: .issuer
            case .evictableEndpoint: .evictableEndpoint
            case .endpoint: .endpoint
            }
    }

    /// The kind of key; nil for a PIN.
    var aliro: AliroKeyKind? { AliroKeyKind(rawValue: rawValue) }
}

/// A credential of a user, with its history.
struct LockCredential: Equatable, Sendable {
    let kind: LockCredentialKind
    /// Its index among the credentials of its kind.
    let index: UInt16
    let user: UInt16
    /// The point of an Aliro key, or what verifies a PIN.
    var data: [UInt8]
    /// True for an Aliro key if a document granted access, which the reader has.
    var isGranted = false
    let creator: FabricIndex
    var modifier: FabricIndex?

    /// The key; nil for a PIN.
    var key: AliroKey? {
        kind.aliro.map { AliroKey(kind: $0, index: index, user: user, point: data, isGranted: isGranted) }
    }

    /// True if both have the same place.
    func isAtPlace(of other: LockCredential) -> Bool { kind == other.kind && index == other.index }

    /// Compares in a time that depends on the length only.
    func has(_ octets: [UInt8]) -> Bool { constantTimeEqual(data.span, octets.span) }
}
