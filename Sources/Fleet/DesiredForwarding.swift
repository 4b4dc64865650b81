// SPDX-License-Identifier: Apache-2.0

/// The chunks of a desired state on their way to the reader: as many as it has asked for, whatever the broker sends.
struct DesiredForwarding {
    /// The chunks that may still be forwarded.
    private var left = 0

    /// The reader has asked for chunks.
    mutating func begin() { left = FleetLimits.chunksPerState }

    /// True if a chunk of this length and index is to be forwarded. An empty message removes a retained one.
    mutating func takes(_ index: Int, octets: Int) -> Bool {
        guard left > 0, (0..<FleetLimits.chunksPerState).contains(index), (1...FleetLimits.chunkCount).contains(octets)
        else { return false }
        left -= 1
        return true
    }

    /// The connection to the broker is gone, and with it the subscription.
    mutating func forget() { left = 0 }
}
