// SPDX-License-Identifier: Apache-2.0

import Crypto
import Reader

/// The key of the event log, in the state directory: generated at the first start, never shown.
enum EventLogKey {
    /// The file: 32 octets, mode 0600.
    static let fileName = "event-log-key"

    /// Loads the key from `state`, or generates it.
    static func load(from state: StateDirectory) throws(ReaderdError) -> AuditKey {
        if let key = try existing(in: state) { return key }
        return try make(in: state)
    }

    /// Loads the key from `state`, or generates it, also for a damaged one, which is put aside: what it has
    /// authenticated is lost, the policy above all, and the reader says so.
    ///
    /// - Returns: The key, and a description of the damage; nil for none.
    static func loadOrReplace(in state: StateDirectory) throws(ReaderdError) -> (key: AuditKey, damage: String?) {
        do throws(ReaderdError) { return (try load(from: state), nil) } catch {
            guard error.damaged == state.file(fileName) else { throw error }
            let other = try state.putAside(fileName)
            return (try make(in: state), "\(error); kept as \(other), a new key is used")
        }
    }

    private static func make(in state: StateDirectory) throws(ReaderdError) -> AuditKey {
        var random = SystemRandomSource()
        var octets = random.octets(AuditKey.count)
        try state.replace(fileName, with: octets)
        guard let key = AuditKey(octets) else { throw unusable(state) }
        var made = octets.mutableSpan
        wipeSecret(&made)
        return key
    }

    /// Loads the key from `state`; nil for none.
    static func existing(in state: StateDirectory) throws(ReaderdError) -> AuditKey? {
        guard let contents = try state.contents(of: fileName, maximumCount: AuditKey.count) else { return nil }
        let path = state.file(fileName)
        guard contents.permissions & 0o077 == 0 else {
            throw .failed("\(path): key accessible to other users; run: chmod 600 \(path)")
        }
        // Zeros are what a power cut may leave, and no secret.
        guard contents.octets.contains(where: { $0 != 0 }), let key = AuditKey(contents.octets) else {
            throw unusable(state)
        }
        return key
    }

    private static func unusable(_ state: StateDirectory) -> ReaderdError {
        .damaged(
            state.file(fileName),
            "is not a key of \(AuditKey.count) octets; restore a backup. Without the key the log cannot be verified "
                + "and the policy is lost: remove the file, then run: readerd policy begin --yes --state \(state.path) "
                + "(docs/operate/policy.md)")
    }
}
