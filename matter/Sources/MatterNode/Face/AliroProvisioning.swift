// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// The kind of an Aliro key: its credential type (CredentialTypeEnum).
public enum AliroKeyKind: UInt8, CaseIterable, Sendable {
    /// Verifies documents that grant access to phones. It opens nothing by itself.
    case issuer = 6
    /// A phone's key, which gives way to another one when the reader is full.
    case evictableEndpoint = 7
    /// A phone's key.
    case endpoint = 8
}

/// An Aliro key of a user.
public struct AliroKey: Equatable, Sendable {
    /// Its kind.
    public let kind: AliroKeyKind
    /// Its index among the keys of its kind.
    public let index: UInt16
    /// The user that it belongs to.
    public let user: UInt16
    /// 04 ‖ X ‖ Y, on the curve.
    public internal(set) var point: [UInt8]
    /// True if a document granted access, which the reader has: without it the key opens nothing.
    public internal(set) var isGranted = false
}

/// The public part of an Aliro reader's configuration.
public struct AliroReaderParameters: Equatable, Sendable {
    /// The point that phones verify the reader with.
    public let verificationKey: [UInt8]
    /// The identifier of the reader's group, 16 octets.
    public let group: [UInt8]
    /// The identifier of the door, 16 octets.
    public let sub: [UInt8]
}

/// A change of the Aliro reader behind a lock.
public enum AliroUpdate: Sendable {
    /// Adopt this private key, a scalar of 32 octets, and these identifiers.
    case configure(AliroReaderParameters, SecretOctets)
    /// Erase the reader's key, its group, and all that phones have agreed with it.
    case clear
    /// Make these the only keys of users. Keys of disabled users are not among them.
    case keys([AliroKey])
}

/// An update for the program of a lock that decides (`LockTraits.asksProgram`).
public struct AliroRequest: Sendable {
    /// The number of the request, for the answer.
    public let id: UInt32
    /// The update.
    public let update: AliroUpdate
    /// The administrator that ordered it; nil for the node itself, as after the removal of a fabric.
    public let author: MatterAuthor?
}

/// The program's answer to an update.
public enum AliroResult: Sendable {
    /// The update is stored, and in force.
    case done
    /// The reader has no room for it.
    case full
    /// The reader cannot do it; nothing has changed.
    case refused
}

/// A phone's key to which a document has granted access.
public struct AliroGrantedKey: Equatable, Sendable {
    /// 04 ‖ X ‖ Y.
    public let point: [UInt8]
    /// The index of the issuer's key.
    public let issuer: UInt16

    /// A grant.
    public init(point: [UInt8], issuer: UInt16) {
        self.point = point
        self.issuer = issuer
    }
}
