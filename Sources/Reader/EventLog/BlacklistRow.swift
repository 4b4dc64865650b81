// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// An entry of the blacklist as it is stored.
public struct BlacklistRow: Hashable, Sendable {
    /// The credential's identifier, at most 10 characters.
    public var credential: String
    /// The end of the refusal, in local time.
    public var until: CivilTime

    /// Creates an entry with these parts.
    public init(credential: String, until: CivilTime) {
        self.credential = credential
        self.until = until
    }
}

/// A change of the stored blacklist.
public enum BlacklistChange: Hashable, Sendable {
    /// Adds entries, or replaces their ends.
    case put([BlacklistRow])
    /// Removes entries, as when they have ended.
    case remove([String])
    /// Replaces all entries.
    case replace([BlacklistRow])
    /// Removes all entries.
    case clear

    /// True if it can add an entry.
    public var adds: Bool {
        switch self {
        case .put, .replace: true
        case .remove, .clear: false
        }
    }
}
