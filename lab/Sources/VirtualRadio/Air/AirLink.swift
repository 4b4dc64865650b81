// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// A connection: two ends, and the times of its connection events.
final class AirLink {
    let number: UInt64
    let central: LinkEnd
    /// nil if the connection request was not received: the central does not know.
    let peripheral: LinkEnd?
    var parameters: ConnectionParameters
    var nextEvent: Instant
    /// The number of connection events.
    var events: UInt64 = 0
    /// New parameters, and the number of the event at which they take effect.
    var update: (parameters: ConnectionParameters, at: UInt64)?

    init(
        number: UInt64, central: LinkEnd, peripheral: LinkEnd?, parameters: ConnectionParameters, firstEvent: Instant
    ) {
        self.number = number
        self.central = central
        self.peripheral = peripheral
        self.parameters = parameters
        nextEvent = firstEvent
    }

    /// The number of the event at which an update that the central sends now takes effect.
    var updateInstant: UInt64 { events + central.controller.profile.eventsToUpdate }

    /// The smallest increment of channel selection algorithm 1 (Core 5.4, Vol 6, Part B, 4.5.8.2).
    static let hop: UInt8 = 5

    /// The data channel of the present event, which the central's host has not classified as bad.
    var channel: UInt8 {
        channelMap.remapped(UInt8((events + 1) * UInt64(AirLink.hop) % UInt64(ChannelMap.dataChannels)))
    }

    /// The channels in use: the classification of the central's host, without the delay of an update.
    var channelMap: ChannelMap { central.controller.state.channelMap }

    /// The other end, or nil if it is closed or missing.
    func peer(of end: LinkEnd) -> LinkEnd? {
        let peer = end === central ? peripheral : central
        return peer?.isOpen == true ? peer : nil
    }
}
