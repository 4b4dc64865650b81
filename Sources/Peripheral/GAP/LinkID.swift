/// One connection, from its beginning to its end.
///
/// The controller uses its handles again; the generation does not repeat, so an answer that comes late for a link
/// that is gone cannot reach the next one.
public struct LinkID: Hashable, Sendable, CustomStringConvertible {
    /// The slot of the host's link table.
    public let slot: Int
    /// Counts the links that this host has had.
    public let generation: UInt32

    /// The link in `slot` with this generation.
    public init(slot: Int, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    /// `link 17`: the generation, which is what a person can follow in a log.
    public var description: String { "link \(generation)" }
}
