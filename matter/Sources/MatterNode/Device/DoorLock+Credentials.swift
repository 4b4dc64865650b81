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

/// Credentials (feature USR): Aliro keys and PINs.
extension NodeModel {
    /// A CredentialStruct.
    private struct Credential {
        /// Nil for a type that the lock does not support.
        let kind: LockCredentialKind?
        let index: UInt16

        init(_ fields: TLVFields, _ traits: LockTraits) throws(StatusInformation) {
            do throws(TLVError) {
                let known = LockCredentialKind(rawValue: try fields.required(0).unsigned())
                kind = known.flatMap { traits.supports($0) ? $0 : nil }
                index = try fields.required(1).unsigned()
            } catch {
                throw StatusInformation(.invalidCommand)
            }
        }

        /// The kind, if the index is one of its indices.
        var valid: LockCredentialKind? {
            guard let kind, (1...LockUsers.maximum(kind)).contains(index) else { return nil }
            return kind
        }
    }

    mutating func setCredential(_ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        let fabric = try call.fabric
        let credential = try Credential(call.fields.structure(1), lock.traits)
        let data = try credentialData(credential, call)
        let user = try call.fields.nullableUnsigned(3, UInt16.self)
        let operation = LockDataOperation(rawValue: try call.fields.unsigned(0))
        let isUserDescribed = !call.fields.isNull(4) || !call.fields.isNull(5)
        guard let kind = credential.valid, let data,
            user.map({ (1...LockUsers.maximumUsers).contains($0) }) ?? true
        else { return answer(.invalid, credential) }
        var users = state.users
        let known = users.credential(kind, credential.index)
        let change: LockDataChange
        var created: UInt16?
        if let other = users.credential(with: data), other != known {
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
                guard users.hasRoom(of: user) else { return answer(.exhausted, credential) }
                owner = user
            } else {
                guard let free = users.freeUser else { return answer(.occupied, credential) }
                users.put(
                    LockUser(
                        index: free, isEnabled: try call.fields.userStatus(4) ?? true,
                        kind: try call.fields.userKind(5) ?? .unrestricted, creator: fabric, modifier: fabric))
                (owner, created) = (free, free)
            }
            users.credentials.append(
                LockCredential(
                    kind: kind, index: credential.index, user: owner, data: data, creator: fabric, modifier: fabric))
            change = LockDataChange(.credential(kind), .add, user: owner, index: credential.index)
        case .modify:
            // Only the fabric of a credential replaces it.
            guard let known, known.user == user, !isUserDescribed, known.creator == fabric,
                let place = users.credentials.firstIndex(of: known)
            else { return answer(.invalid, credential) }
            (users.credentials[place].data, users.credentials[place].isGranted) = (data, false)
            users.credentials[place].modifier = fabric
            change = LockDataChange(.credential(kind), .modify, user: known.user, index: credential.index)
        case .clear, nil: return answer(.invalid, credential)
        }
        let changes = (created.map { [LockDataChange(.user, .add, user: $0, index: $0)] } ?? []) + [change]
        return try commit(
            users, changes, call, answering: answer(.success, credential, user: created, in: users),
            full: answer(.exhausted, credential), refused: answer(.failure, credential))
    }

    func getCredentialStatus(_ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        let credential = try Credential(call.fields.structure(0), lock.traits)
        guard let kind = credential.valid else { throw StatusInformation(.invalidCommand) }
        let known = state.users.credential(kind, credential.index)
        let next = state.users.credentials.filter { $0.kind == kind && $0.index > credential.index }
            .map(\.index).min()
        let hasAliro = lock.traits.hasAliro
        return .response(0x25) { response in
            response.bool(known != nil, as: 0)
            response.nullable(known?.user, as: 1)
            response.nullable(known?.creator.rawValue, as: 2)
            response.nullable(known?.modifier?.rawValue, as: 3)
            response.nullable(next, as: 4)
            guard hasAliro else { return }
            // What verifies a PIN leaves the lock for no node.
            if let key = known?.key { response.octets(key.point, as: 5) } else { response.null(as: 5) }
        }
    }

    mutating func clearCredential(_ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        let credential = call.fields.isNull(0) ? nil : try Credential(call.fields.structure(0), lock.traits)
        let isEvery = credential?.index ?? everyIndex == everyIndex
        if let credential, credential.kind == nil || !isEvery && credential.valid == nil {
            throw StatusInformation(.invalidCommand)
        }
        var users = state.users
        var changes: [LockDataChange] = []
        for removed in users.credentials
        where (credential?.kind ?? removed.kind) == removed.kind && (isEvery || removed.index == credential?.index) {
            changes.append(
                LockDataChange(.credential(removed.kind), .clear, user: removed.user, index: removed.index))
            if let user = users.remove(removed) {
                changes.append(LockDataChange(.user, .clear, user: user, index: user))
            }
        }
        return try commit(users, changes, call)
    }

    /// The data to keep: a point on the curve, or what verifies a PIN; nil for invalid data.
    private func credentialData(_ credential: Credential, _ call: Invocation) throws(StatusInformation) -> [UInt8]? {
        var data = try call.fields.octets(2)
        guard credential.kind == .pin else { return (try? P256PublicKey(point: data.span)).map { _ in data } }
        defer { wipeSecret(&data) }
        return state.pins?.verifier(of: data)
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
            next = (credential.index + 1...LockUsers.maximum(kind)).first { users.credential(kind, $0) == nil }
        }
        return .response(0x23) { response in
            response.unsigned(status.rawValue, as: 0)
            response.nullable(user, as: 1)
            response.nullable(next, as: 2)
        }
    }
}

extension LockTraits {
    /// True for a kind of credential that the features include.
    func supports(_ kind: LockCredentialKind) -> Bool { kind == .pin ? hasPINs : hasAliro }
}
