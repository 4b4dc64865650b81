// SPDX-License-Identifier: Apache-2.0

import Octets

/// The data channels that a link may use (Core 5.4, Vol 6, Part B, 4.5.8.2).
struct ChannelMap: Equatable {
    /// The number of data channels.
    static let dataChannels: UInt8 = 37
    /// All data channels.
    static let all = ChannelMap(bits: 1 << UInt64(dataChannels) - 1)

    /// Bit n is set if channel n is used.
    let bits: UInt64

    /// The map in these bits; those beyond the data channels are reserved and ignored.
    init(bits: UInt64) { self.bits = bits & (1 << UInt64(ChannelMap.dataChannels) - 1) }

    /// The five octets of HCI.
    var octets: [UInt8] { (0..<5).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) } }

    /// The channel to use for an unmapped one (channel selection algorithm 1).
    func remapped(_ unmapped: UInt8) -> UInt8 {
        guard bits >> UInt64(unmapped) & 1 == 0, bits != 0 else { return unmapped }
        let used = (0..<ChannelMap.dataChannels).filter { bits >> UInt64($0) & 1 == 1 }
        return used[Int(unmapped) % used.count]
    }
}
