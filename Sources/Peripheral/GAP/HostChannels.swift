// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// LE signalling and credit-based channels: the connection between a link's `LinkChannels` and the device.
extension Host {
    /// Queues an SDU on a channel, at most `peerMTU` octets.
    ///
    /// - Returns: `busy` if the queue exceeds the service's `queueOctets`.
    public mutating func send(
        _ link: LinkID, _ channel: ChannelID, _ unit: Span<UInt8>, at now: Instant
    ) -> ChannelSendOutcome {
        guard let slot = openSlot(of: link) else { return .gone }
        let outcome = connections[slot].channels.send(unit, on: channel)
        sendData()
        return outcome
    }

    /// Closes a channel and drops its queue; `channelClosed` follows at once. An unknown channel is ignored.
    public mutating func closeChannel(_ link: LinkID, _ channel: ChannelID, at now: Instant) {
        guard let slot = openSlot(of: link) else { return }
        connections[slot].channels.close(channel, at: now, events: &channelEvents)
        emitChannelEvents(slot)
        sendData()
    }

    /// Replaces the services of credit-based channels. Open channels and enhanced ATT bearers stay. A frame
    /// that is longer than the longest of the services that the host began with, and of ATT, is dropped.
    public mutating func replaceChannelServices(with services: [ChannelService]) {
        for slot in connections.indices {
            let bearers = connections[slot].channels.services.filter {
                $0.spsm == ChannelService.enhancedAttributeProtocol
            }
            connections[slot].channels.services =
                services.filter {
                    $0.spsm != ChannelService.enhancedAttributeProtocol
                } + bearers
        }
    }

    /// Suspends credits for a channel, so that a central that sends faster than the device reads must wait. SDUs within
    /// its credits, at most `credits` times `mps` octets of the service, still arrive.
    public mutating func pauseChannel(_ link: LinkID, _ channel: ChannelID) {
        guard let slot = openSlot(of: link) else { return }
        connections[slot].channels.setPaused(true, channel: channel)
    }

    /// Resumes credits for a channel.
    public mutating func resumeChannel(_ link: LinkID, _ channel: ChannelID, at now: Instant) {
        guard let slot = openSlot(of: link) else { return }
        connections[slot].channels.setPaused(false, channel: channel)
        sendData()
    }

    /// Permits or prevents the opening of channels that require authorization. Open channels stay.
    public mutating func authorizeChannels(_ link: LinkID, _ allowed: Bool) {
        guard let slot = openSlot(of: link) else { return }
        connections[slot].channels.isAuthorized = allowed
    }

    // MARK: - From the central

    /// Handles a PDU of the signalling channel. A central that does not read the responses is disconnected.
    mutating func receiveSignal(_ pdu: Span<UInt8>, slot: Int, at now: Instant) {
        connections[slot].channels.receiveSignal(
            pdu, security: connections[slot].security.level, at: now, events: &channelEvents)
        emitChannelEvents(slot)
        guard connections[slot].channels.isFlooded else { return }
        close(slot, reason: .remoteLowResources, at: now)
        sendCommands(at: now)
    }

    /// Handles a frame of a dynamic channel. Ignores frames of channels that are not open (Core 5.4, Vol 3, Part A,
    /// 2.1).
    mutating func receiveChannelFrame(_ frame: Span<UInt8>, _ channel: L2CAPChannelID, slot: Int, at now: Instant) {
        let isKnown = connections[slot].channels.receive(
            frame, on: channel, at: now, octets: &gattEvents.octets, events: &channelEvents)
        guard isKnown else { return ignore() }
        emitChannelEvents(slot)
    }

    /// Handles a frame that exceeds the maximum length, and hence the MPS of a credit-based channel.
    mutating func tooLongFrame(slot: Int, at now: Instant) {
        ignore()
        connections[slot].channels.dropped(
            on: connections[slot].reassembly.tooLongChannel, at: now, events: &channelEvents)
        emitChannelEvents(slot)
    }

    /// Emits the link's channel events to the device.
    mutating func emitChannelEvents(_ slot: Int) {
        guard !channelEvents.isEmpty else { return }
        let link = connections[slot].id
        for event in channelEvents where !takeBearerEvent(event, slot: slot, at: lastInput) {
            switch event {
            case .opened(let channel, let description): emit(.channelOpened(link, channel, description))
            case .received(let channel, let value): emit(.channelReceived(link, channel, value: value))
            case .writable(let channel): emit(.channelWritable(link, channel))
            case .reconfigured(let channel, let peerMTU):
                emit(.channelReconfigured(link, channel, peerMTU: peerMTU))
            case .closed(let channel): emit(.channelClosed(link, channel))
            }
        }
        channelEvents.removeAll(keepingCapacity: true)
    }

    /// Closes the channels at the end of the link.
    mutating func endChannels(_ slot: Int) {
        connections[slot].channels.closeAll(events: &channelEvents)
        emitChannelEvents(slot)
    }

    // MARK: - Connection parameters

    /// Requests the preferred interval by L2CAP (Core 5.4, Vol 3, Part A, 4.20), which every central supports; once per
    /// link.
    mutating func requestParameters(_ slot: Int, at now: Instant) {
        guard let wanted = configuration.preferredInterval else { return }
        connections[slot].channels.request(
            ConnectionParameters(interval: wanted, supervisionTimeout: connections[slot].supervisionTimeout), at: now)
    }

    /// Handles a failure of LE Connection Update. If the controller or the central does not support the procedure,
    /// L2CAP is used instead; any other refusal is final.
    mutating func intervalRefused(_ link: LinkID, _ status: HCIStatus, at now: Instant) {
        let unknown: [HCIStatus] = [.unknownCommand, .unsupportedFeature, .unsupportedRemoteFeature]
        guard unknown.contains(status), connections.indices.contains(link.slot), connections[link.slot].id == link,
            connections[link.slot].isLive
        else { return }
        requestParameters(link.slot, at: now)
    }
}

extension Connection {
    /// The next fragment, at most `limit` octets. Frames of the fixed channels and of `channels` alternate; a frame is
    /// completed before the next begins.
    mutating func nextFragment(limit: Int, events: inout [ChannelEvent]) -> OutboundFrames.Fragment? {
        guard channels.mayHaveFrames || !channels.frames.isEmpty else {
            sendsChannels = false
            return outbound.next(limit: limit)
        }
        if outbound.isInFrame {
            sendsChannels = false
        } else if channels.frames.isInFrame {
            sendsChannels = true
        } else {
            channels.fill(events: &events)
            // The turn changes if both have a frame.
            sendsChannels = !channels.frames.isEmpty && (!sendsChannels || outbound.isEmpty)
        }
        return sendsChannels ? channels.frames.next(limit: limit) : outbound.next(limit: limit)
    }

    /// Appends the packet of the fragment from `nextFragment`, which counts as sent.
    mutating func send(_ fragment: OutboundFrames.Fragment, to outbound: inout PacketQueue) {
        if sendsChannels {
            channels.frames.send(fragment, handle: handle, to: &outbound)
        } else {
            self.outbound.send(fragment, handle: handle, to: &outbound)
        }
    }
}
