// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// Data channels (Core 5.4, Vol 4, Part E, 7.8.19 and 7.8.20).
extension VirtualController {
    /// LE Set Host Channel Classification (7.8.19): for the links of which this controller is the central.
    func classifyChannels(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        let octets = try parameters.consume(5)
        let map = ChannelMap(bits: octets.reversed().reduce(0) { $0 << 8 | UInt64($1) })
        guard map.bits != 0 else { throw .violation(.invalidParameters, "all channels are classified as bad") }
        state.channelMap = map
    }

    /// LE Read Channel Map (7.8.20).
    func readChannelMap(_ parameters: inout CommandParameters) throws(CommandRefusal) -> [UInt8] {
        let end = try link(&parameters)
        return handleOctets(end) + (air.channelMap(ofLink: end.link) ?? .all).octets
    }
}
