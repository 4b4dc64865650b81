// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterInteraction
import Timekeeping

/// Phones that documents let in: the reader verifies a document by an issuer's key, and the lock has the phone's key as
/// an evictable one of the issuer's user (Application Clusters 5.2).
extension NodeModel {
    /// The grants that wait for the end of another change: more than phones at a door within its time.
    private static let grantLimit = 8

    /// Handles a grant, after a change that waits for the program.
    mutating func receive(_ grant: AliroGrantedKey, at now: Instant) {
        guard lock.traits.hasAliro, lock.grants.count < Self.grantLimit else { return }
        lock.grants.append(grant)
        admitGrants(at: now)
    }

    /// Adds the keys of the grants, unless a change waits for the program.
    mutating func admitGrants(at now: Instant) {
        guard lock.pendingUsers == nil, !lock.grants.isEmpty else { return }
        let grants = lock.grants
        lock.grants = []
        for grant in grants {
            if !admit(grant, at: now) {
                // The program then has the keys without this phone again.
                lock.provision = nil
            }
        }
    }

    /// Adds the key of a grant; a full table loses an evictable key of the same user. False if it is not added.
    private mutating func admit(_ grant: AliroGrantedKey, at now: Instant) -> Bool {
        var users = state.users
        guard let issuer = users.credential(.issuer, grant.issuer), users.user(issuer.user)?.hasAccess == true,
            (try? P256PublicKey(point: grant.point.span)) != nil,
            users.credential(with: grant.point) == nil
        else { return false }
        let user = issuer.user
        var changes: [LockDataChange] = []
        func hasRoom() -> Bool { users.hasRoom(for: .evictableEndpoint) && users.hasRoom(of: user) }
        if !hasRoom(), let oldest = users.credentials(of: user).first(where: { $0.kind == .evictableEndpoint }) {
            // The issuer's key stays, and so does the user.
            _ = users.remove(oldest)
            changes.append(LockDataChange(.credential(oldest.kind), .clear, user: user, index: oldest.index))
        }
        let indices = 1...LockUsers.maximum(.evictableEndpoint)
        guard hasRoom(), let index = indices.first(where: { users.credential(.evictableEndpoint, $0) == nil }) else {
            return false
        }
        users.credentials.append(
            LockCredential(
                kind: .evictableEndpoint, index: index, user: user, data: grant.point, isGranted: true,
                creator: issuer.creator))
        changes.append(LockDataChange(.credential(.evictableEndpoint), .add, user: user, index: index))
        state.users = users
        record(changes, LockAuthor(source: .aliro), at: now)
        return true
    }
}
