// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV

/// The index that means all users, or all credentials of a type.
let everyIndex: UInt16 = 0xFFFE

/// Users (feature USR). Schedules are not supported, and no type of user that needs them.
extension NodeModel {
    /// The fields of SetUser, without its index. Nil keeps what a user has.
    private struct UserFields {
        let name: String?
        let uniqueID: UInt32?
        let isEnabled: Bool?
        let kind: LockUser.Kind?

        init(_ fields: CommandFields) throws(StatusInformation) {
            name = try fields.optionalText(2, upTo: LockUser.nameCount)
            uniqueID = try fields.nullableUnsigned(3)
            isEnabled = try fields.userStatus(4)
            kind = try fields.userKind(5)
            // Only the rule Single.
            guard try fields.nullableUnsigned(6, UInt8.self) ?? 0 == 0 else {
                throw StatusInformation(.invalidCommand)
            }
        }

        func apply(to user: inout LockUser) {
            user.name = name ?? user.name
            user.uniqueID = uniqueID ?? user.uniqueID
            user.isEnabled = isEnabled ?? user.isEnabled
            user.kind = kind ?? user.kind
        }
    }

    mutating func setUser(_ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        let fabric = try call.fabric
        let index = try userIndex(call.fields, 1)
        let fields = try UserFields(call.fields)
        var users = state.users
        let operation = LockDataOperation(rawValue: try call.fields.unsigned(0))
        var user: LockUser
        switch (operation, users.user(index)) {
        case (.add, nil): user = LockUser(index: index, creator: fabric)
        case (.add, _): throw .cluster(LockDataStatus.occupied.rawValue)
        case (.modify, let known?):
            // Only the fabric of a user renames it.
            guard known.creator == fabric || fields.name == nil && fields.uniqueID == nil else {
                throw StatusInformation(.invalidCommand)
            }
            user = known
        case (.modify, nil): throw StatusInformation(.notFound)
        default: throw StatusInformation(.invalidCommand)
        }
        fields.apply(to: &user)
        user.modifier = fabric
        users.put(user)
        let change = LockDataChange(.user, operation == .add ? .add : .modify, user: index, index: index)
        return try commit(users, [change], call)
    }

    func getUser(_ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        let index = try userIndex(call.fields, 0)
        let users = state.users
        return .response(0x1C) { response in
            response.unsigned(index, as: 0)
            if let user = users.user(index) {
                response.text(user.name, as: 1)
                response.unsigned(user.uniqueID, as: 2)
                response.unsigned(user.status, as: 3)
                response.unsigned(user.kind.rawValue, as: 4)
                response.unsigned(UInt8(0), as: 5)
                response.array(as: 6) { list in
                    for credential in users.credentials(of: index) where lock.traits.supports(credential.kind) {
                        credential.writePlace(into: &list)
                    }
                }
                response.unsigned(user.creator.rawValue, as: 7)
                response.nullable(user.modifier?.rawValue, as: 8)
            } else {
                response.null(as: 1)
                response.null(as: 2)
                response.unsigned(UInt8(0), as: 3)
                for tag: UInt8 in 4...8 { response.null(as: .context(tag)) }
            }
            response.nullable(users.users.first { $0.index > index }?.index, as: 9)
        }
    }

    mutating func clearUser(_ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        let requested = try call.fields.unsigned(0, UInt16.self)
        let isEvery = requested == everyIndex
        if !isEvery { _ = try userIndex(call.fields, 0) }
        var users = state.users
        var changes: [LockDataChange] = []
        for user in users.users where isEvery || user.index == requested {
            users.remove(user: user.index)
            if !isEvery { changes.append(LockDataChange(.user, .clear, user: user.index, index: user.index)) }
        }
        if isEvery, users != state.users {
            changes = [LockDataChange(.user, .clear, user: everyIndex, index: everyIndex)]
        }
        return try commit(users, changes, call)
    }

    private func userIndex(_ fields: CommandFields, _ number: UInt8) throws(StatusInformation) -> UInt16 {
        let index = try fields.unsigned(number, UInt16.self)
        guard (1...LockUsers.maximumUsers).contains(index) else { throw StatusInformation(.invalidCommand) }
        return index
    }
}

extension LockCredential {
    /// Writes a CredentialStruct.
    func writePlace(into list: inout TLVWriter) {
        list.structure(as: .anonymous) { entry in
            entry.unsigned(kind.rawValue, as: 0)
            entry.unsigned(index, as: 1)
        }
    }
}

extension CommandFields {
    /// An occupied UserStatusEnum, or null.
    func userStatus(_ number: UInt8) throws(StatusInformation) -> Bool? {
        guard let status = try nullableUnsigned(number, UInt8.self) else { return nil }
        guard let isEnabled = LockUser.isEnabled(status) else { throw StatusInformation(.invalidCommand) }
        return isEnabled
    }

    /// A supported UserTypeEnum, or null.
    func userKind(_ number: UInt8) throws(StatusInformation) -> LockUser.Kind? {
        guard let kind = try nullableUnsigned(number, UInt8.self) else { return nil }
        guard let kind = LockUser.Kind(rawValue: kind) else { throw StatusInformation(.invalidCommand) }
        return kind
    }
}
