// SPDX-License-Identifier: Apache-2.0

/// The maximum length of a batch: what the broker states, and what it has shown. A broker that ends the connection at a
/// long message, and states no limit, gets shorter ones.
struct BatchSizing: Equatable {
    /// The least length in octets: that of a broker with the least maximum packet size.
    static let least = FleetLimits.leastPacket - FleetLimits.packetOverhead

    /// The limit that the broker states, in octets.
    private var stated = FleetLimits.batchCount
    /// The limit that it has shown by ending connections. It stays: a shorter batch costs little.
    private var shown = FleetLimits.batchCount
    /// The greatest length that was acknowledged.
    private var proven = 0
    /// The lengths of batches that were not acknowledged.
    private var sent: [Int] = []

    /// The maximum length of the next batch in octets.
    var limit: Int { min(stated, shown) }

    /// A connection begins, with the broker's limits.
    mutating func begin(_ limits: BrokerLimits) {
        stated = min(FleetLimits.batchCount, limits.maximumPacket.map { $0 - FleetLimits.packetOverhead } ?? .max)
        sent = []
    }

    /// A batch of this length is sent.
    mutating func send(_ length: Int) { sent.append(length) }

    /// A batch of this length was acknowledged.
    mutating func acknowledge(_ length: Int) {
        if let index = sent.firstIndex(of: length) { sent.remove(at: index) }
        proven = max(proven, length)
    }

    /// The connection has ended, with certainty because of a message's length if `isTooLong`. The next batches are at
    /// most half as long if that may be the cause: no batch of such a length was ever acknowledged.
    ///
    /// - Returns: True if the length may be the cause.
    mutating func lose(isTooLong: Bool) -> Bool {
        defer { sent = [] }
        let longest = sent.max() ?? 0
        // Every broker with which the link works has room for the least.
        guard longest > BatchSizing.least, longest > proven || isTooLong else { return isTooLong }
        shown = max(BatchSizing.least, min(shown, longest) / 2)
        return true
    }
}
