// SPDX-License-Identifier: Apache-2.0

import Octets
public import Timekeeping

/// Data from the controller to L2CAP and ATT, and back within the controller's buffers.
extension Host {
    /// Queues a notification.
    ///
    /// - Returns: `busy` if `HostConfiguration.notificationQueueOctets` is exceeded.
    public mutating func notify(
        _ link: LinkID, _ attribute: AttributeHandle, _ value: Span<UInt8>, at now: Instant
    ) -> NotificationOutcome {
        guard let slot = announcedSlot(of: link), connections[slot].phase == .open else { return .gone }
        response.removeAll(keepingCapacity: true)
        let outcome = servers[connections[slot].device].notification(
            of: attribute, value: value, to: &connections[slot].client, into: &response)
        return outcome == .accepted ? queueNotification(slot) : outcome
    }

    /// Queues the notification in `response`, if the queue has room.
    mutating func queueNotification(_ slot: Int) -> NotificationOutcome {
        guard hasRoom(slot, for: response.count) else {
            connections[slot].owesWritable = true
            return .busy
        }
        connections[slot].outbound.append(response, channel: .attribute, isResponse: false)
        sendData()
        return .accepted
    }

    /// Handles a data packet.
    mutating func receiveData(_ packet: Span<UInt8>, at now: Instant) {
        let data: DataPacket
        do throws(OctetError) {
            guard let parsed = try DataPacket.parse(packet) else { return ignore() }
            data = parsed
        } catch { return ignore() }
        guard isRunning else { return ignore() }
        let fragment = packet.extracting(data.fragment)
        guard let slot = slot(of: data.handle) else {
            return holdUnclaimed(fragment, data, at: now)
        }
        switch connections[slot].phase {
        case .open:
            connections[slot].isProven = true
            if connections[slot].awaitsEncryption {
                return holdUntilEncrypted(fragment, isStart: data.isStart, slot: slot, at: now)
            }
            deliver(fragment, isStart: data.isStart, slot: slot, at: now)
            sendData()
        case .identifying:
            if !connections[slot].early.append(fragment, handle: data.handle, isStart: data.isStart, at: now) {
                ignore()
                close(slot, reason: .remoteLowResources, at: now)
                sendCommands(at: now)
            }
        case .closing, .free: break
        }
    }

    /// Holds data of an unknown handle: its Connection Complete may follow.
    private mutating func holdUnclaimed(_ fragment: Span<UInt8>, _ data: DataPacket, at now: Instant) {
        let isRejected = rejected.contains { $0.handle == data.handle }
        unclaimed.remove(before: now + (.zero - HostLimits.earlyWait))
        // The last data of a connection that has just ended must not become the first of the next with its handle.
        if supervision.hasEnded(data.handle, within: HostLimits.earlyWait, at: now) { return ignore() }
        noteUnknownHandle(data.handle, at: now)
        if isRejected || data.handle > DataPacket.highestHandle
            || !unclaimed.append(fragment, handle: data.handle, isStart: data.isStart, at: now)
        {
            ignore()
        }
    }

    /// Passes a fragment to L2CAP, and a completed frame to its channel.
    mutating func deliver(_ fragment: Span<UInt8>, isStart: Bool, slot: Int, at now: Instant) {
        switch connections[slot].reassembly.receive(fragment, isStart: isStart) {
        case .incomplete: break
        case .dropped(.tooLong): tooLongFrame(slot: slot, at: now)
        case .dropped: ignore()
        case .complete(let channel, let payload, let inFragment):
            if inFragment {
                receiveFrame(fragment.extracting(payload), channel, slot: slot, at: now)
            } else {
                let octets = connections[slot].reassembly.octets
                receiveFrame(octets.span.extracting(payload), channel, slot: slot, at: now)
            }
        }
    }

    private mutating func receiveFrame(
        _ frame: Span<UInt8>, _ channel: L2CAPChannelID, slot: Int, at now: Instant
    ) {
        response.removeAll(keepingCapacity: true)
        switch channel {
        case .attribute:
            servers[connections[slot].device].receive(
                frame, from: &connections[slot].client, at: now, response: &response, events: &gattEvents)
            emitGATTEvents(slot)
        case .signalling: receiveSignal(frame, slot: slot, at: now)
        case .securityManager where connections[slot].security.isOpen: receiveSecurity(frame, slot: slot, at: now)
        case .securityManager: SecurityManagerRefusal.receive(frame, response: &response)
        default: receiveChannelFrame(frame, channel, slot: slot, at: now)
        }
        if !response.isEmpty { queueResponse(slot, channel: channel, at: now) }
        if channel == .attribute { queueServerOutput(slot, at: now) }
    }

    /// Queues `response` as an answer on a channel. A client with too many unread answers is disconnected.
    mutating func queueResponse(_ slot: Int, channel: L2CAPChannelID, at now: Instant) {
        guard connections[slot].outbound.responses < HostLimits.waitingResponses else {
            close(slot, reason: .remoteLowResources, at: now)
            return sendCommands(at: now)
        }
        connections[slot].outbound.append(response, channel: channel, isResponse: true)
    }

    /// Emits the events of the server about the link's client.
    mutating func emitGATTEvents(_ slot: Int) {
        guard !gattEvents.events.isEmpty else { return }
        let link = connections[slot].id
        for event in gattEvents.events {
            switch event {
            case .written(let attribute, let value, _): emit(.written(link, attribute, value: value))
            case .subscribed(let attribute, let configuration):
                emit(.subscribed(link, attribute, configuration))
                clientStateChanged(slot, at: lastInput)
            case .mtuExchanged(let mtu): emit(.mtuExchanged(link, mtu))
            case .readRequested(let request, let attribute, let offset):
                emit(.readRequested(AttributeRequestID(link: link, request), attribute, offset: offset))
            case .writeRequested(let request, let attribute, let value):
                emit(.writeRequested(AttributeRequestID(link: link, request), attribute, value: value))
            case .confirmed(let attribute): emit(.confirmed(link, attribute))
            case .refused(let request): emit(.refused(link, request))
            case .clientStateChanged: clientStateChanged(slot, at: lastInput)
            }
        }
        gattEvents.events.removeAll(keepingCapacity: true)
    }

    /// Handles Number Of Completed Packets: `pairs` has handle and count, four octets each.
    mutating func completed(_ packet: Span<UInt8>, in pairs: Range<Int>) {
        var cursor = OctetCursor(packet, in: pairs)
        while cursor.remaining >= 4, let handle = try? cursor.u16(packet), let count = try? cursor.u16(packet) {
            guard let slot = slot(of: handle & 0x0FFF) else {
                noteUnknownHandle(handle & 0x0FFF, at: lastInput)
                continue
            }
            connections[slot].isProven = true
            flow.complete(&connections[slot].flow, Int(count))
        }
    }

    /// Sends waiting data, a fragment of each link in turn, within the controller's buffers.
    mutating func sendData() {
        guard case .running(let controller) = phase else { return }
        let length = controller.buffers.length
        var passedOver = 0
        while passedOver < connections.count, flow.free > 0, outbound.waitingOctets < HostLimits.outboundOctets {
            let slot = dataTurn
            dataTurn = dataTurn + 1 == connections.count ? 0 : dataTurn + 1
            guard flow.maySend(connections[slot].flow),
                let fragment = connections[slot].nextFragment(limit: length, events: &channelEvents)
            else {
                passedOver += 1
                continue
            }
            passedOver = 0
            flow.reserve(&connections[slot].flow)
            connections[slot].send(fragment, to: &outbound)
            if !channelEvents.isEmpty { emitChannelEvents(slot) }
            if connections[slot].owesWritable,
                connections[slot].outbound.waitingOctets <= max(configuration.notificationQueueOctets, 1024) / 2
            {
                connections[slot].owesWritable = false
                emit(.writable(connections[slot].id))
            }
        }
    }
}
