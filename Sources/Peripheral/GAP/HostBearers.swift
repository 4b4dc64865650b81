import Timekeeping

/// Enhanced ATT bearers: the enhanced credit-based channels of SPSM 0x0027, which belong to the servers and not to the
/// devices (Core 5.4, Vol 3, Part G, 5.3). The central opens them; notifications and indications go on the fixed channel.
extension Host {
    /// What is offered if any device has enhanced bearers; nil otherwise. A link has to be encrypted (5.3.2).
    static func bearerService(of devices: [ServedDevice], mtu: Int) -> ChannelService? {
        let bearers = devices.reduce(0) { max($0, $1.server.limited.enhancedBearers) }
        guard bearers > 0 else { return nil }
        return ChannelService(
            spsm: ChannelService.enhancedAttributeProtocol, modes: .enhanced, mtu: mtu, security: .encrypted,
            maximumPerLink: bearers, minimumPeerMTU: GATTServer.minimumEnhancedMTU)
    }

    /// Takes an event of a channel if it is a bearer's; false if it is for the device.
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
            let mtu = min(peerMTU, links[slot].channels.description(of: channel)?.mtu ?? 0)
            servers[links[slot].device].setMTU(mtu, slot: slot, bearer: bearer)
        case .writable(let channel):
            guard bearer(of: channel, slot) != nil else { return false }
        case .closed(let channel):
            guard let bearer = bearer(of: channel, slot) else { return false }
            links[slot].bearerChannels[bearer] = nil
            servers[links[slot].device].closeBearer(slot: slot, bearer: bearer)
        }
        return true
    }

    /// Sends `response` on an enhanced bearer. A client that does not take its answers loses the bearer.
    mutating func sendOnBearer(_ bearer: Int, slot: Int, at now: Instant) {
        var pdu: [UInt8] = []
        swap(&pdu, &response)
        defer {
            swap(&pdu, &response)
            response.removeAll(keepingCapacity: true)
        }
        guard let channel = links[slot].bearerChannels[bearer],
            links[slot].channels.send(pdu.span, on: channel) != .accepted
        else { return }
        closeBearer(channel, slot: slot, at: now)
        links[slot].bearerChannels[bearer] = nil
        servers[links[slot].device].closeBearer(slot: slot, bearer: bearer)
    }

    private func bearer(of channel: ChannelID, _ slot: Int) -> Int? {
        links[slot].bearerChannels.first { $0.value == channel }?.key
    }

    /// A device that offers fewer bearers than another on the same radio, or none, closes what is too much.
    private mutating func openBearer(_ channel: ChannelID, mtu: Int, slot: Int, at now: Instant) {
        guard let bearer = servers[links[slot].device].openBearer(slot: slot, mtu: mtu) else {
            return closeBearer(channel, slot: slot, at: now)
        }
        links[slot].bearerChannels[bearer] = channel
    }

    /// The device was not told of the channel, and is not told of its end.
    private mutating func closeBearer(_ channel: ChannelID, slot: Int, at now: Instant) {
        var events: [ChannelEvent] = []
        links[slot].channels.close(channel, at: now, events: &events)
    }

    private mutating func receive(_ value: Range<Int>, _ bearer: Int, slot: Int, at now: Instant) {
        // The server adds to the octets in which the PDU is.
        var pdu: [UInt8] = []
        swap(&pdu, &bearerPDU)
        pdu.removeAll(keepingCapacity: true)
        pdu.append(contentsOf: gattEvents.octets[value])
        response.removeAll(keepingCapacity: true)
        let device = links[slot].device
        servers[device].receive(
            pdu.span, slot: slot, bearer: bearer, at: now, response: &response, events: &gattEvents)
        swap(&pdu, &bearerPDU)
        emitGATTEvents()
        if !response.isEmpty { sendOnBearer(bearer, slot: slot, at: now) }
        queueServerOutput(of: device, at: now)
    }
}
