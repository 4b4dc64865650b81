// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterInteraction
import MatterTLV

/// The status codes of the cluster, as SetCredentialResponse has them among those of the interaction model.
enum LockDataStatus: UInt8 {
    case success = 0
    case failure = 0x01
    case duplicate = 0x02
    case occupied = 0x03
    case invalid = 0x85
    case exhausted = 0x89
}

/// Credentials (feature USR): Aliro keys only.
extension NodeModel {
    /// A CredentialStruct.
    private struct Credential {
        /// Nil for a type that the lock does not support.
        let kind: AliroKeyKind?
        let index: UInt16

        init(_ fields: TLVFields) throws(StatusInformation) {
            do throws(TLVError) {
                kind = AliroKeyKind(rawValue: try fields.required(0).unsigned())
                index = try fields.required(1).unsigned()
            } catch {
                throw StatusInformation(.invalidCommand)
            }
        }

        /// The kind, if the index is one of its indices.
        var valid: AliroKeyKind? {
            guard let kind, (1...LockUsers.maximum(kind)).contains(index) else { return nil }
            return kind
        }
    }

    mutating func setCredential(_ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        let fabric = try call.fabric
        let credential = try Credential(call.fields.structure(1))
        let point = try call.fields.octets(2)
        let user = try call.fields.nullableUnsigned(3, UInt16.self)
        let operation = LockDataOperation(rawValue: try call.fields.unsigned(0))
        let isUserDescribed = !call.fields.isNull(4) || !call.fields.isNull(5)
        guard let kind = credential.valid, (try? P256PublicKey(point: point.span)) != nil,
            user.map({ (1...LockUsers.maximumUsers).contains($0) }) ?? true
        else { return answer(.invalid, credential) }
        var users = state.users
        let known = users.key(kind, credential.index)
        let change: LockDataChange
        var created: UInt16?
        if users.keys.contains(where: { $0.key.point == point && $0 != known }) {
            return answer(.duplicate, credential)
        }
        switch operation {
        case .add:
            guard known == nil else { return answer(.occupied, credential) }
            guard users.hasRoom(for: kind) else { return answer(.exhausted, credential) }
            let owner: UInt16
            if let user {
                guard users.user(user) != nil else { return answer(.failure, credential) }
                guard !isUserDescribed else { return answer(.invalid, credential) }
                guard users.keys(of: user).count < Int(LockUsers.maximumKeysPerUser) else {
                    return answer(.exhausted, credential)
                }
                owner = user
            } else {
                guard let free = users.freeUser else { return answer(.occupied, credential) }
                users.put(
                    LockUser(
                        index: free, isEnabled: try call.fields.userStatus(4) ?? true,
                        kind: try call.fields.userKind(5) ?? .unrestricted, creator: fabric, modifier: fabric))
                (owner, created) = (free, free)
            }
            let key = AliroKey(kind: kind, index: credential.index, user: owner, point: point)
            users.keys.append(LockKey(key: key, creator: fabric, modifier: fabric))
            change = LockDataChange(.key(kind), .add, user: owner, index: credential.index)
        case .modify:
            // Only the fabric of a key replaces it.
            guard let known, known.key.user == user, !isUserDescribed, known.creator == fabric,
                let place = users.keys.firstIndex(of: known)
            else { return answer(.invalid, credential) }
            (users.keys[place].key.point, users.keys[place].key.isGranted) = (point, false)
            users.keys[place].modifier = fabric
            change = LockDataChange(.key(kind), .modify, user: known.key.user, index: credential.index)
        case .clear, nil: return answer(.invalid, credential)
        }
        let changes = (created.map { [LockDataChange(.user, .add, user: $0, index: $0)] } ?? []) + [change]
        return try commit(
            users, changes, call, answering: answer(.success, credential, user: created, in: users),
            full: answer(.exhausted, credential), refused: answer(.failure, credential))
    }

    func getCredentialStatus(_ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        let credential = try Credential(call.fields.structure(0))
        guard let kind = credential.valid else { throw StatusInformation(.invalidCommand) }
        let known = state.users.key(kind, credential.index)
        let next = state.users.keys.map(\.key).filter { $0.kind == kind && $0.index > credential.index }
            .map(\.index).min()
        return .response(0x25) { response in
            response.bool(known != nil, as: 0)
            response.nullable(known?.key.user, as: 1)
            response.nullable(known?.creator.rawValue, as: 2)
            response.nullable(known?.modifier?.rawValue, as: 3)
            response.nullable(next, as: 4)
            if let point = known?.key.point { response.octets(point, as: 5) } else { response.null(as: 5) }
        }
    }

    mutating func clearCredential(_ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        let credential = call.fields.isNull(0) ? nil : try Credential(call.fields.structure(0))
        let isEvery = credential?.index ?? everyIndex == everyIndex
        if let credential, credential.kind == nil || !isEvery && credential.valid == nil {
            throw StatusInformation(.invalidCommand)
        }
        var users = state.users
        var changes: [LockDataChange] = []
        for key in users.keys.map(\.key)
        where (credential?.kind ?? key.kind) == key.kind && (isEvery || key.index == credential?.index) {
            changes.append(LockDataChange(.key(key.kind), .clear, user: key.user, index: key.index))
            if let user = users.remove(key) {
                changes.append(LockDataChange(.user, .clear, user: user, index: user))
            }
        }
        return try commit(users, changes, call)
    }

    /// SetCredentialResponse.
    ///
    /// - Parameter users: the users after the command; nil for the present ones.
    private func answer(
        _ status: LockDataStatus, _ credential: Credential, user: UInt16? = nil, in users: LockUsers? = nil
    ) -> CommandOutcome {
        let users = users ?? state.users
        var next: UInt16?
        if let kind = credential.valid, credential.index < LockUsers.maximum(kind), users.hasRoom(for: kind) {
            next = (credential.index + 1...LockUsers.maximum(kind)).first { users.key(kind, $0) == nil }
        }
        return .response(0x23) { response in
            response.unsigned(status.rawValue, as: 0)
            response.nullable(user, as: 1)
            response.nullable(next, as: 2)
        }
    }
}
