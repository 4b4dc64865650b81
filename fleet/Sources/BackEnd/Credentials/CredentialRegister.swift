// SPDX-License-Identifier: Apache-2.0

/// The record of a desk: the credentials that it issued, to whom, and those that it revoked. It contains no key and no
/// token, and has mode 0600 (docs/operate/credentials.md).
public struct CredentialRegister: Codable, Equatable, Sendable {
    /// The format's name.
    public static let format = "readerd-register"

    /// The value of `format` in the file.
    public var format = CredentialRegister.format
    /// The version of the file's format.
    public var version = 1
    /// The issued tokens, oldest first.
    public var issued: [Issue] = []
    /// The revoked credentials, in the order of revocation.
    public var revoked: [Revocation] = []

    /// An empty register.
    public init() {}

    /// An issued token.
    public struct Issue: Codable, Equatable, Sendable {
        /// The credential's identifier.
        public var credential: String
        /// The person or device that has it; nil if not stated.
        public var holder: String?
        /// The reader's name.
        public var reader: String
        /// `command`, `oss-so` or `oss-sid`.
        public var kind: String
        /// The command, for a command token.
        public var command: String?
        /// Local times of the reader to the minute, both inclusive, as in the token's file.
        public var from: String?
        /// The end of the validity, as `from`.
        public var to: String?
        /// The time of issue, in UTC: `2026-11-28T10:00Z`.
        public var at: String

        /// The entry for a token that is being issued.
        public init(_ token: TokenFile, holder: String?, at: String) {
            (credential, reader, kind, command) = (token.credential, token.reader, token.kind, token.command)
            (from, to) = (token.from, token.to)
            (self.holder, self.at) = (holder, at)
        }

        /// The command that it permits, or its kind.
        public var purpose: String { command ?? kind }
    }

    /// A revoked credential.
    public struct Revocation: Codable, Equatable, Sendable {
        /// The credential's identifier.
        public var credential: String
        /// The last minute of the refusal, in the reader's time; nil for ever.
        public var until: String?
        /// The time of the order, in UTC.
        public var at: String

        /// A revocation.
        public init(credential: String, until: String?, at: String) {
            (self.credential, self.until, self.at) = (credential, until, at)
        }

        /// True if the refusal has ended when the reader's clock shows `now`, as `2026-11-28T10:00`.
        public func isOver(at now: String) -> Bool { until.map { $0 < now } ?? false }
    }

    /// The holder of a credential, by its newest entry that states one.
    public func holder(of credential: String) -> String? {
        issued.last { $0.credential == credential && $0.holder != nil }?.holder
    }

    /// True if a token of the credential was issued.
    public func knows(_ credential: String) -> Bool { issued.contains { $0.credential == credential } }

    /// The entry of a revoked credential; nil for others.
    public func revocation(of credential: String) -> Revocation? { revoked.first { $0.credential == credential } }

    /// Adds revocations, or moves the end of present ones to a later time.
    public mutating func revoke(_ credentials: [String], until: String?, at: String) {
        for credential in credentials {
            if let index = revoked.firstIndex(where: { $0.credential == credential }) {
                // Nil is the latest end.
                guard let end = revoked[index].until, until.map({ end < $0 }) ?? true else { continue }
                revoked.remove(at: index)
            }
            revoked.append(Revocation(credential: credential, until: until, at: at))
        }
    }

    /// Removes the entry of a credential; false if there is none.
    public mutating func unrevoke(_ credential: String) -> Bool {
        let count = revoked.count
        revoked.removeAll { $0.credential == credential }
        return revoked.count < count
    }

    /// The revocations that have not ended at `now` in the reader's time, oldest first.
    public func inForce(at now: String) -> [Revocation] { revoked.filter { !$0.isOver(at: now) } }
}
