// SPDX-License-Identifier: Apache-2.0

/// The forwarding of a desired state's chunks to the reader: at most as many as it requested, even if the broker sends
/// more.
struct DesiredForwarding {
    /// The chunks that may still be forwarded.
    private var left = 0

    /// Begins with a request of the reader for chunks.
    mutating func begin() { left = FleetLimits.chunksPerState }

    /// Returns true if a chunk of this length and index may be forwarded, and counts it. An empty message removes a
    /// retained chunk.
    mutating func takes(_ index: Int, octets: Int) -> Bool {
        guard left > 0, (0..<FleetLimits.chunksPerState).contains(index), (1...FleetLimits.chunkCount).contains(octets)
        else { return false }
        left -= 1
        return true
    }

    /// Forwards no more chunks: the connection is lost, and the subscription with it.
    mutating func forget() { left = 0 }
}
