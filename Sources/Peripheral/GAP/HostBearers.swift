// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// Enhanced ATT bearers: the enhanced credit-based channels of SPSM 0x0027, which belong to the servers, not the
/// devices (Core 5.4, Vol 3, Part G, 5.3). The central opens them; notifications and indications use the fixed channel.
extension Host {
    /// The service of the bearers if a device has enhanced bearers, otherwise nil. The link must be encrypted (5.3.2).
    static func bearerService(of devices: [ServedDevice], mtu: Int) -> ChannelService? {
        let bearers = devices.reduce(0) { max($0, $1.server.limited.enhancedBearers) }
        guard bearers > 0 else { return nil }
        return ChannelService(
            spsm: ChannelService.enhancedAttributeProtocol, modes: .enhanced, mtu: mtu, security: .encrypted,
            maximumPerLink: bearers, minimumPeerMTU: GATTServer.minimumEnhancedMTU)
    }

    /// Handles an event of a bearer's channel; false if the event is for the device.
    mutating func takeBearerEvent(_ event: ChannelEvent, slot: Int, at now: Instant) -> Bool {
        switch event {
        case .opened(let channel, let description):
            guard description.spsm == ChannelService.enhancedAttributeProtocol,
                servers.contains(where: { $0.limits.enhancedBearers > 0 })
            else { return false }
            openBearer(channel, mtu: min(description.mtu, description.peerMTU), slot: slot, at: now)
        case .received(let channel, let value):
            guard let bearer = bearer(of: channel, slot) else { return false }
            receive(value, bearer, slot: slot, at: now)
        case .reconfigured(let channel, let peerMTU):
            guard let bearer = bearer(of: channel, slot) else { return false }
            let mtu = min(peerMTU, connections[slot].channels.description(of: channel)?.mtu ?? 0)
            servers[connections[slot].device].setMTU(mtu, &connections[slot].client, bearer: bearer)
        case .writable(let channel):
            guard bearer(of: channel, slot) != nil else { return false }
        case .closed(let channel):
            guard let bearer = bearer(of: channel, slot) else { return false }
            connections[slot].bearerChannels[bearer] = nil
            servers[connections[slot].device].closeBearer(&connections[slot].client, bearer: bearer)
        }
        return true
    }

    /// Sends `response` on an enhanced bearer. The bearer of a client that does not read its responses is closed.
    mutating func sendOnBearer(_ bearer: Int, slot: Int, at now: Instant) {
        var pdu: [UInt8] = []
        swap(&pdu, &response)
        defer {
            swap(&pdu, &response)
            response.removeAll(keepingCapacity: true)
        }
        guard let channel = connections[slot].bearerChannels[bearer],
            connections[slot].channels.send(pdu.span, on: channel) != .accepted
        else { return }
        closeBearer(channel, slot: slot, at: now)
        connections[slot].bearerChannels[bearer] = nil
        servers[connections[slot].device].closeBearer(&connections[slot].client, bearer: bearer)
    }

    private func bearer(of channel: ChannelID, _ slot: Int) -> Int? {
        connections[slot].bearerChannels.first { $0.value == channel }?.key
    }

    /// Opens a bearer. A device with fewer bearers than another on the same radio, or none, closes the excess.
    private mutating func openBearer(_ channel: ChannelID, mtu: Int, slot: Int, at now: Instant) {
        guard let bearer = servers[connections[slot].device].openBearer(&connections[slot].client, mtu: mtu) else {
            return closeBearer(channel, slot: slot, at: now)
        }
        connections[slot].bearerChannels[bearer] = channel
    }

    /// Closes a bearer's channel without events for the device.
    private mutating func closeBearer(_ channel: ChannelID, slot: Int, at now: Instant) {
        var events: [ChannelEvent] = []
        connections[slot].channels.close(channel, at: now, events: &events)
    }

    private mutating func receive(_ value: Range<Int>, _ bearer: Int, slot: Int, at now: Instant) {
        // The server appends to the octets that contain the PDU.
        var pdu: [UInt8] = []
        swap(&pdu, &bearerPDU)
        pdu.removeAll(keepingCapacity: true)
        pdu.append(contentsOf: gattEvents.octets[value])
        response.removeAll(keepingCapacity: true)
        servers[connections[slot].device].receive(
            pdu.span, from: &connections[slot].client, bearer: bearer, at: now, response: &response,
            events: &gattEvents)
        swap(&pdu, &bearerPDU)
        emitGATTEvents(slot)
        if !response.isEmpty { sendOnBearer(bearer, slot: slot, at: now) }
        queueServerOutput(slot, at: now)
    }
}
