// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV

/// The users of a lock, their Aliro keys, and the configuration of its Aliro reader (Application Clusters 5.2).
struct LockUsers: Equatable, Sendable {
    /// More than the people of a home.
    static let maximumUsers: UInt16 = 20
    /// An issuer for each ecosystem of a home. With the endpoint keys they fit in one message to the reader.
    static let maximumIssuers: UInt16 = 8
    /// Endpoint keys of both kinds together.
    static let maximumEndpoints: UInt16 = 32
    static let maximumKeysPerUser: UInt8 = 10
    static let identifierCount = 16

    /// By ascending index.
    var users: [LockUser] = []
    var keys: [LockKey] = []
    var reader: AliroReaderParameters?
    /// The fabric that has configured the reader.
    var readerCreator: FabricIndex?
    /// The identifier of the door: random, from the first start on.
    var sub: [UInt8] = []

    func user(_ index: UInt16) -> LockUser? { users.first { $0.index == index } }

    func key(_ kind: AliroKeyKind, _ index: UInt16) -> LockKey? {
        keys.first { $0.key.kind == kind && $0.key.index == index }
    }

    func keys(of user: UInt16) -> [LockKey] { keys.filter { $0.key.user == user } }

    /// The greatest index of a key of `kind`.
    static func maximum(_ kind: AliroKeyKind) -> UInt16 { kind == .issuer ? maximumIssuers : maximumEndpoints }

    /// True if there is room for another key of `kind`.
    func hasRoom(for kind: AliroKeyKind) -> Bool {
        let isIssuer = kind == .issuer
        return keys.count { ($0.key.kind == .issuer) == isIssuer } < LockUsers.maximum(kind)
    }

    /// The first free index of a user.
    var freeUser: UInt16? { (1...LockUsers.maximumUsers).first { user($0) == nil } }

    mutating func put(_ user: LockUser) {
        users.removeAll { $0.index == user.index }
        users.append(user)
        users.sort { $0.index < $1.index }
    }

    /// Removes a user and its keys.
    mutating func remove(user index: UInt16) {
        users.removeAll { $0.index == index }
        keys.removeAll { $0.key.user == index }
    }

    /// Removes a key, and its user with its last key.
    ///
    /// - Returns: the removed user.
    mutating func remove(_ key: AliroKey) -> UInt16? {
        keys.removeAll { $0.key == key }
        guard keys(of: key.user).isEmpty else { return nil }
        users.removeAll { $0.index == key.user }
        return key.user
    }

    /// Removes everything that the administrators of a fabric have added: its users, its keys, and its configuration of
    /// the reader.
    mutating func remove(fabric: FabricIndex) {
        for user in users where user.creator == fabric { remove(user: user.index) }
        for key in keys where key.creator == fabric { _ = remove(key.key) }
        for index in users.indices where users[index].modifier == fabric { users[index].modifier = nil }
        for index in keys.indices where keys[index].modifier == fabric { keys[index].modifier = nil }
        if readerCreator == fabric { (reader, readerCreator) = (nil, nil) }
    }

    /// The configuration and the keys that are in force at the reader.
    var provision: AliroProvision {
        AliroProvision(
            reader: reader,
            keys: keys.map(\.key).filter { user($0.user)?.hasAccess ?? false }
                .sorted { ($0.kind.rawValue, $0.index) < ($1.kind.rawValue, $1.index) })
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

/// A user's key with its history.
struct LockKey: Equatable, Sendable {
    var key: AliroKey
    let creator: FabricIndex
    var modifier: FabricIndex?
}

/// The part of the users that the reader has.
struct AliroProvision: Equatable, Sendable {
    var reader: AliroReaderParameters?
    var keys: [AliroKey]
}
