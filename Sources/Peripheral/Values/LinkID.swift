// SPDX-License-Identifier: Apache-2.0

/// The identifier of one connection.
///
/// The controller reuses handles; the generation is not repeated, so a late answer for an ended link cannot reach the
/// next one.
public struct LinkID: Hashable, Sendable, CustomStringConvertible {
    /// The slot of the host's link table.
    public let slot: Int
    /// The number of the link, counted by the host.
    public let generation: UInt32

    /// The link in `slot` with this generation.
    public init(slot: Int, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    /// `link 17`: the generation, for logs.
    public var description: String { "link \(generation)" }
}
