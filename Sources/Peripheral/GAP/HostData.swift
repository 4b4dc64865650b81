import Octets
public import Timekeeping

/// Data: from the controller to L2CAP and ATT, and back with the controller's buffers counted.
extension Host {
    /// Queues a notification; `busy` once `HostConfiguration.notificationQueueOctets` wait on the link.
    public mutating func notify(
        _ link: LinkID, _ attribute: AttributeHandle, _ value: Span<UInt8>, at now: Instant
    ) -> NotificationOutcome {
        guard let slot = announcedSlot(of: link), links[slot].phase == .open else { return .gone }
        response.removeAll(keepingCapacity: true)
        let outcome = servers[links[slot].device].notification(of: attribute, value: value, slot: slot, into: &response)
        guard outcome == .accepted else { return outcome }
        let limit = max(configuration.notificationQueueOctets, 1024)
        guard links[slot].outbound.waitingOctets + response.count <= limit else {
            links[slot].owesWritable = true
            return .busy
        }
        links[slot].outbound.append(response, channel: .attribute, isResponse: false)
        sendData()
        return .accepted
    }

    /// Takes a data packet.
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
        switch links[slot].phase {
        case .open:
            deliver(fragment, isStart: data.isStart, slot: slot, at: now)
            sendData()
        case .identifying:
            if !links[slot].held.append(fragment, handle: data.handle, isStart: data.isStart, at: now) {
                ignore()
                close(slot, reason: .remoteLowResources, at: now)
                sendCommands(at: now)
            }
        case .closing, .free: break
        }
    }

    /// Data of a handle that is not known may belong to a connection that is about to be told.
    private mutating func holdUnclaimed(_ fragment: Span<UInt8>, _ data: DataPacket, at now: Instant) {
        let isRejected = rejected.contains { $0.handle == data.handle }
        unclaimed.remove(before: now + (.zero - HostLimits.earlyWait))
        if isRejected || data.handle > DataPacket.highestHandle
            || !unclaimed.append(fragment, handle: data.handle, isStart: data.isStart, at: now)
        {
            ignore()
        }
    }

    /// Hands a fragment to L2CAP, and a frame that it completes to its channel.
    mutating func deliver(_ fragment: Span<UInt8>, isStart: Bool, slot: Int, at now: Instant) {
        switch links[slot].reassembly.receive(fragment, isStart: isStart) {
        case .incomplete: break
        case .dropped(.tooLong): tooLongFrame(slot: slot, at: now)
        case .dropped: ignore()
        case .complete(let channel, let payload, let inFragment):
            if inFragment {
                receiveFrame(fragment.extracting(payload), channel, slot: slot, at: now)
            } else {
                let octets = links[slot].reassembly.octets
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
            servers[links[slot].device].receive(
                frame, slot: slot, at: now, response: &response, events: &gattEvents)
            emitGATTEvents()
        case .signalling: receiveSignal(frame, slot: slot, at: now)
        case .securityManager where links[slot].isSecured: receiveSecurity(frame, slot: slot, at: now)
        case .securityManager: SecurityManagerRefusal.receive(frame, response: &response)
        default: receiveChannelFrame(frame, channel, slot: slot, at: now)
        }
        if !response.isEmpty { queueResponse(slot, channel: channel, at: now) }
        if channel == .attribute { queueServerOutput(of: links[slot].device, at: now) }
    }

    /// Queues `response` as an answer on a channel, and ends the link of a client that leaves too many unread.
    mutating func queueResponse(_ slot: Int, channel: L2CAPChannelID, at now: Instant) {
        guard links[slot].outbound.responses < HostLimits.waitingResponses else {
            close(slot, reason: .remoteLowResources, at: now)
            return sendCommands(at: now)
        }
        links[slot].outbound.append(response, channel: channel, isResponse: true)
    }

    mutating func emitGATTEvents() {
        guard !gattEvents.events.isEmpty else { return }
        for event in gattEvents.events {
            switch event {
            case .written(let slot, let attribute, let value, _):
                emit(.written(links[slot].id, attribute, value: value))
            case .subscribed(let slot, let attribute, let configuration):
                emit(.subscribed(links[slot].id, attribute, configuration))
                clientStateChanged(slot, at: lastInput)
            case .mtuExchanged(let slot, let mtu): emit(.mtuExchanged(links[slot].id, mtu))
            case .readRequested(let request, let attribute, let offset):
                emit(.readRequested(requestID(request), attribute, offset: offset))
            case .writeRequested(let request, let attribute, let value):
                emit(.writeRequested(requestID(request), attribute, value: value))
            case .confirmed(let slot, let attribute): emit(.confirmed(links[slot].id, attribute))
            case .clientStateChanged(let slot): clientStateChanged(slot, at: lastInput)
            }
        }
        gattEvents.events.removeAll(keepingCapacity: true)
    }

    /// Ends the links whose client has not confirmed an indication in time (Core 5.4, Vol 3, Part F, 3.3.3), and answers
    /// requests that the device has not.
    mutating func advanceServer(to now: Instant) {
        timedOutSlots.removeAll(keepingCapacity: true)
        for device in servers.indices {
            guard let deadline = servers[device].nextDeadline, now >= deadline else { continue }
            servers[device].advance(to: now, timedOut: &timedOutSlots)
            queueServerOutput(of: device, at: now)
        }
        for slot in timedOutSlots where links[slot].phase == .open {
            close(slot, reason: .remoteUserTerminated, at: now)
        }
    }

    /// Number Of Completed Packets: `pairs` has handle and count, four octets each.
    mutating func completed(_ packet: Span<UInt8>, in pairs: Range<Int>) {
        var cursor = OctetCursor(packet, in: pairs)
        while cursor.remaining >= 4, let handle = try? cursor.u16(packet), let count = try? cursor.u16(packet) {
            if let slot = slot(of: handle & 0x0FFF) { credits.giveBack(slot, Int(count)) }
        }
    }

    /// Sends what waits, a fragment of each link in turn, as far as the controller has room.
    mutating func sendData() {
        guard case .running(let controller) = phase else { return }
        let length = controller.buffers.length
        var passedOver = 0
        while passedOver < links.count, credits.free > 0, outbound.waitingOctets < HostLimits.outboundOctets {
            let slot = dataTurn
            dataTurn = dataTurn + 1 == links.count ? 0 : dataTurn + 1
            guard credits.maySend(slot),
                let fragment = links[slot].nextFragment(limit: length, events: &channelEvents)
            else {
                passedOver += 1
                continue
            }
            passedOver = 0
            credits.take(slot)
            Host.append(fragment, of: links[slot], to: &outbound)
            links[slot].drop(fragment)
            if !channelEvents.isEmpty { emitChannelEvents(slot) }
            if links[slot].owesWritable,
                links[slot].outbound.waitingOctets <= max(configuration.notificationQueueOctets, 1024) / 2
            {
                links[slot].owesWritable = false
                emit(.writable(links[slot].id))
            }
        }
    }

    private static func append(
        _ fragment: OutboundFrames.Fragment, of link: borrowing Link, to outbound: inout PacketQueue
    ) {
        let handle = link.handle
        let octets = link.sendsChannels ? link.channels.frames.octets : link.outbound.octets
        outbound.append { packet in
            DataPacket.appendHeader(
                handle: handle, isStart: fragment.isStart, count: fragment.range.count, to: &packet)
            packet.append(octets.span.extracting(fragment.range))
        }
    }
}
