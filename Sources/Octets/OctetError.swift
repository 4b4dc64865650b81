/// What is wrong with octets that were to be read, and where.
public enum OctetError: Error, Equatable, Sendable {
    /// `needed` more octets were asked for at `offset` than there are.
    case truncated(offset: Int, needed: Int)
    /// The structure ended at `offset`, and `count` octets follow it.
    case trailing(offset: Int, count: Int)
}
