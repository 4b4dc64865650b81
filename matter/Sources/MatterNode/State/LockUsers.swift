// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV

/// The users of a lock, their credentials, and the configuration of its Aliro reader (Application Clusters 5.2).
struct LockUsers: Equatable, Sendable {
    /// More than the people of a home.
    static let maximumUsers: UInt16 = 20
    /// An issuer for each ecosystem of a home. With the endpoint keys they fit in one message to the reader.
    static let maximumIssuers: UInt16 = 8
    /// Endpoint keys of both kinds together.
    static let maximumEndpoints: UInt16 = 32
    static let maximumCredentialsPerUser: UInt8 = 10
    static let identifierCount = 16

    /// By ascending index.
    var users: [LockUser] = []
    var credentials: [LockCredential] = []
    var reader: AliroReaderParameters?
    /// The fabric that has configured the reader.
    var readerCreator: FabricIndex?
    /// The identifier of the door: random, from the first start on.
    var sub: [UInt8] = []

    func user(_ index: UInt16) -> LockUser? { users.first { $0.index == index } }

    func credential(_ kind: LockCredentialKind, _ index: UInt16) -> LockCredential? {
        credentials.first { $0.kind == kind && $0.index == index }
    }

    func credentials(of user: UInt16) -> [LockCredential] { credentials.filter { $0.user == user } }

    /// The credential with this data. All are compared: the time says nothing of a PIN.
    func credential(with data: [UInt8]) -> LockCredential? {
        credentials.reduce(nil) { found, credential in credential.has(data) ? credential : found }
    }

    /// The greatest index of a credential of `kind`.
    static func maximum(_ kind: LockCredentialKind) -> UInt16 {
        switch kind {
        case .pin: LockPINs.maximumCount
        case .issuer: maximumIssuers
        case .evictableEndpoint, .endpoint: maximumEndpoints
        }
    }

    /// True if there is room for another credential of `kind`.
    func hasRoom(for kind: LockCredentialKind) -> Bool {
        let isEndpoint = kind == .evictableEndpoint || kind == .endpoint
        let count = credentials.count {
            $0.kind == kind || isEndpoint && ($0.kind == .evictableEndpoint || $0.kind == .endpoint)
        }
        return count < LockUsers.maximum(kind)
    }

    /// True if there is room for another credential of `user`.
    func hasRoom(of user: UInt16) -> Bool { credentials(of: user).count < Int(LockUsers.maximumCredentialsPerUser) }

    /// The first free index of a user.
    var freeUser: UInt16? { (1...LockUsers.maximumUsers).first { user($0) == nil } }

    mutating func put(_ user: LockUser) {
        users.removeAll { $0.index == user.index }
        users.append(user)
        users.sort { $0.index < $1.index }
    }

    /// Removes a user and its credentials.
    mutating func remove(user index: UInt16) {
        users.removeAll { $0.index == index }
        credentials.removeAll { $0.user == index }
    }

    /// Removes a credential, and its user with its last one.
    ///
    /// - Returns: the removed user.
    mutating func remove(_ credential: LockCredential) -> UInt16? {
        credentials.removeAll { $0.isAtPlace(of: credential) }
        guard credentials(of: credential.user).isEmpty else { return nil }
        users.removeAll { $0.index == credential.user }
        return credential.user
    }

    /// Removes everything that the administrators of a fabric have added: its users, its credentials, and its
    /// configuration of the reader.
    mutating func remove(fabric: FabricIndex) {
        for user in users where user.creator == fabric { remove(user: user.index) }
        for credential in credentials where credential.creator == fabric { _ = remove(credential) }
        for index in users.indices where users[index].modifier == fabric { users[index].modifier = nil }
        for index in credentials.indices where credentials[index].modifier == fabric {
            credentials[index].modifier = nil
        }
        if readerCreator == fabric { (reader, readerCreator) = (nil, nil) }
    }

    /// The configuration and the keys that are in force at the reader.
    var provision: AliroProvision {
        AliroProvision(
            reader: reader,
            keys: credentials.compactMap(\.key).filter { user($0.user)?.hasAccess ?? false }
                .sorted { ($0.kind.rawValue, $0.index) < ($1.kind.rawValue, $1.index) })
    }

    /// The changes that make these PINs in force after those of `earlier`: removed ones first. A replaced PIN is both.
    func changesOfPINs(since earlier: LockUsers) -> [PINChange] {
        let (new, old) = (pinsInForce, earlier.pinsInForce)
        func changes(
            _ kind: PINChange.Kind, _ pins: [LockCredential], without others: [LockCredential]
        ) -> [PINChange] {
            pins.filter { pin in !others.contains { $0.isAtPlace(of: pin) && $0.user == pin.user && $0.has(pin.data) } }
                .map { PINChange(kind: kind, index: $0.index, user: $0.user) }
        }
        return changes(.removed, old, without: new) + changes(.added, new, without: old)
    }

    private var pinsInForce: [LockCredential] {
        credentials.filter { $0.kind == .pin && user($0.user)?.mayOrder ?? false }
    }
}

/// A user of a lock.
struct LockUser: Equatable, Sendable {
    /// The supported types (UserTypeEnum).
    enum Kind: UInt8, Sendable {
        case unrestricted = 0
        /// Operates nothing.
        case nonAccess = 4
        /// Operates the lock only over Matter.
        case remoteOnly = 9
    }

    /// The maximum length of a name in octets.
    static let nameCount = 10
    /// The unique identifier of a user without one.
    static let noUniqueID = UInt32.max

    let index: UInt16
    var name = ""
    var uniqueID = noUniqueID
    var isEnabled = true
    var kind = Kind.unrestricted
    let creator: FabricIndex
    var modifier: FabricIndex?

    /// True if the user's keys open the door.
    var hasAccess: Bool { isEnabled && kind == .unrestricted }
    /// True if the user's PIN authorizes orders over Matter.
    var mayOrder: Bool { isEnabled && kind != .nonAccess }
    /// UserStatusEnum.
    var status: UInt8 { isEnabled ? 1 : 3 }

    /// True for OccupiedEnabled, false for OccupiedDisabled, nil for another UserStatusEnum.
    static func isEnabled(_ status: UInt8) -> Bool? {
        switch status {
        case 1: true
        case 3: false
        default: nil
        }
    }
}

/// The part of the users that the reader has.
struct AliroProvision: Equatable, Sendable {
    var reader: AliroReaderParameters?
    var keys: [AliroKey]
}
