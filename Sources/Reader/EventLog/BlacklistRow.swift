public import Timekeeping

/// An entry of the blacklist as it is stored.
public struct BlacklistRow: Hashable, Sendable {
    /// The credential's identifier, at most 10 characters.
    public var credential: String
    /// Until when it is listed, in local time.
    public var until: CivilTime

    /// An entry with these parts.
    public init(credential: String, until: CivilTime) {
        self.credential = credential
        self.until = until
    }
}

/// A change of the stored blacklist.
public enum BlacklistChange: Hashable, Sendable {
    /// Adds these, or moves their ends.
    case put([BlacklistRow])
    /// Takes these out, as when their time is over.
    case remove([String])
    /// Puts these in the place of all.
    case replace([BlacklistRow])
    /// Takes all out.
    case clear
}
