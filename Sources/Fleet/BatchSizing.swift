// SPDX-License-Identifier: Apache-2.0

/// The maximum length of a batch: the limit that the broker states, or the limit inferred from lost connections. A
/// broker that states no limit and ends the connection at a long message gets shorter ones.
struct BatchSizing: Equatable {
    /// The lowest limit in octets, for a broker with the least maximum packet size.
    static let least = FleetLimits.leastPacket - FleetLimits.packetOverhead

    /// The limit that the broker states, in octets.
    private var stated = FleetLimits.batchCount
    /// The limit inferred from connections that the broker ended. It is never raised: shorter batches cost little.
    private var shown = FleetLimits.batchCount
    /// The greatest length that was acknowledged.
    private var proven = 0
    /// The lengths of batches that were not acknowledged.
    private var sent: [Int] = []

    /// The maximum length of the next batch in octets.
    var limit: Int { min(stated, shown) }

    /// Begins a connection with the broker's limits.
    mutating func begin(_ limits: BrokerLimits) {
        stated = min(FleetLimits.batchCount, limits.maximumPacket.map { $0 - FleetLimits.packetOverhead } ?? .max)
        sent = []
    }

    /// Records that a batch of this length is sent.
    mutating func send(_ length: Int) { sent.append(length) }

    /// Records that a batch of this length was acknowledged.
    mutating func acknowledge(_ length: Int) {
        if let index = sent.firstIndex(of: length) { sent.remove(at: index) }
        proven = max(proven, length)
    }

    /// Records the end of the connection, which a message's length has caused if `isTooLong`. If the length may be the
    /// cause, because no batch of this length was ever acknowledged, the next batches are at most half as long.
    ///
    /// - Returns: True if the length may be the cause.
    mutating func lose(isTooLong: Bool) -> Bool {
        defer { sent = [] }
        let longest = sent.max() ?? 0
        // Every broker that the link supports accepts the lowest limit.
        guard longest > BatchSizing.least, longest > proven || isTooLong else { return isTooLong }
        shown = max(BatchSizing.least, min(shown, longest) / 2)
        return true
    }
}
