public import Timekeeping

/// A question to the device about a value that it handles itself. Of one link: an answer that comes when the link is
/// gone reaches nobody, whoever has its slot by then.
public struct AttributeRequestID: Hashable, Sendable {
    /// The client's link.
    public let link: LinkID
    let onServer: AttributeRequest

    init(link: LinkID, _ onServer: AttributeRequest) {
        self.link = link
        self.onServer = onServer
    }
}

/// What a device does with its attributes beyond notifying: indications, values that it handles itself, another database.
extension Host {
    /// Queues an indication, under the conditions of a notification; `busy` while the client has not confirmed the one
    /// before, and when the link's queue is full. An event `confirmed` follows; a client that does not confirm within
    /// 30 s is disconnected (Core 5.4, Vol 3, Part F, 3.3.3).
    public mutating func indicate(
        _ link: LinkID, _ attribute: AttributeHandle, _ value: Span<UInt8>, at now: Instant
    ) -> NotificationOutcome {
        guard let slot = openSlot(of: link) else { return .gone }
        // Before the server counts on a confirmation.
        guard hasRoom(slot, for: value.count + 3) else {
            connections[slot].owesWritable = true
            return .busy
        }
        response.removeAll(keepingCapacity: true)
        let outcome = servers[connections[slot].device].indication(
            of: attribute, value: value, to: &connections[slot].client, at: now, into: &response)
        guard outcome == .accepted else { return outcome }
        connections[slot].outbound.append(response, channel: .attribute, isResponse: false)
        sendData()
        return .accepted
    }

    /// Notifies several values in one PDU, each a range of `source`, if the client takes that; else in one PDU each.
    ///
    /// - Returns: as for one. If the client is sent single PDUs, the first that is not `accepted` ends it, and those
    ///   before have been sent.
    public mutating func notify(
        _ link: LinkID, _ values: [(handle: AttributeHandle, value: Range<Int>)], in source: Span<UInt8>,
        at now: Instant
    ) -> NotificationOutcome {
        guard let slot = openSlot(of: link) else { return .gone }
        let device = connections[slot].device
        guard values.count >= 2, connections[slot].client.features.contains(.multipleNotifications) else {
            for entry in values {
                guard entry.value.lowerBound >= 0, entry.value.upperBound <= source.count else { return .tooLong }
                let outcome = notify(link, entry.handle, source.extracting(entry.value), at: now)
                guard outcome == .accepted else { return outcome }
            }
            return .accepted
        }
        response.removeAll(keepingCapacity: true)
        let outcome = servers[device].notification(
            of: values, in: source, to: &connections[slot].client, into: &response)
        return outcome == .accepted ? queueNotification(slot) : outcome
    }

    /// Answers `readRequested` with the whole value, at most 512 octets, whatever the offset.
    public mutating func respond(
        to request: AttributeRequestID, value: Span<UInt8>, at now: Instant
    ) -> AnswerOutcome {
        guard let slot = openSlot(of: request.link) else { return .gone }
        response.removeAll(keepingCapacity: true)
        let outcome = servers[connections[slot].device].respond(
            to: request.onServer, of: &connections[slot].client, value: value, response: &response,
            events: &gattEvents)
        answered(request, slot, at: now)
        return outcome
    }

    /// Answers `writeRequested`: the value is taken.
    public mutating func accept(_ request: AttributeRequestID, at now: Instant) -> AnswerOutcome {
        guard let slot = openSlot(of: request.link) else { return .gone }
        response.removeAll(keepingCapacity: true)
        let outcome = servers[connections[slot].device].accept(
            request.onServer, of: &connections[slot].client, response: &response, events: &gattEvents)
        answered(request, slot, at: now)
        return outcome
    }

    /// Answers `readRequested` or `writeRequested` with an error; 0x80 to 0x9F are the device's own (Core 5.4, Vol 3,
    /// Part F, 3.4.1.1).
    public mutating func refuse(
        _ request: AttributeRequestID, _ error: ATTErrorCode, at now: Instant
    ) -> AnswerOutcome {
        guard let slot = openSlot(of: request.link) else { return .gone }
        response.removeAll(keepingCapacity: true)
        let outcome = servers[connections[slot].device].refuse(
            request.onServer, error, of: &connections[slot].client, response: &response)
        answered(request, slot, at: now)
        return outcome
    }

    /// Serves another database for a device, the first one being 0; its links stay. Configurations stay where the same
    /// characteristic has the same handle, and the others end with an event `subscribed`; clients that have subscribed
    /// to Service Changed get it (Core 5.4, Vol 3, Part G, 2.5.2). A device that there is not is ignored.
    public mutating func replaceDatabase(
        ofDevice device: Int, with database: AttributeDatabase, at now: Instant
    ) {
        guard servers.indices.contains(device) else { return }
        let former = servers[device].replaceDatabase(with: database)
        for slot in connections.indices where connections[slot].client.isOpen && connections[slot].device == device {
            servers[device].databaseReplaced(former, &connections[slot].client, events: &gattEvents)
            queueServerOutput(slot, at: now)
        }
        sendData()
    }

    // MARK: - The state of bonded clients

    /// What is to be kept of the link's client if it is bonded, as `ClientState.octets`; nil if the link is gone.
    public func clientState(_ link: LinkID) -> [UInt8]? {
        announcedSlot(of: link).flatMap { servers[connections[$0].device].state(of: connections[$0].client)?.octets }
    }

    /// Gives the client back what was kept of it. Only for a peer that has proved to be the one it was kept of, which it
    /// has when the link is encrypted with the bond's key. Throws if the octets are no state; then nothing is given.
    public mutating func restoreClientState(
        _ octets: Span<UInt8>, _ link: LinkID, at now: Instant
    ) throws(ClientStateError) {
        let state = try ClientState(octets)
        guard let slot = openSlot(of: link) else { return }
        servers[connections[slot].device].restore(state, &connections[slot].client, events: &gattEvents)
        queueServerOutput(slot, at: now)
        sendData()
    }

    // MARK: - What the other files use

    /// Queues what the server sends to the link's client by itself, and tells what follows from it.
    mutating func queueServerOutput(_ slot: Int, at now: Instant) {
        emitGATTEvents(slot)
        while queueNextServerOutput(slot, at: now) { emitGATTEvents(slot) }
    }

    private mutating func queueNextServerOutput(_ slot: Int, at now: Instant) -> Bool {
        response.removeAll(keepingCapacity: true)
        let output = servers[connections[slot].device].nextOutput(
            to: &connections[slot].client, at: now, response: &response, events: &gattEvents)
        guard let output else {
            emitGATTEvents(slot)
            return false
        }
        guard connections[slot].phase == .open else { return true }
        if output.bearer > 0 {
            sendOnBearer(output.bearer, slot: slot, at: now)
        } else if output.isResponse {
            queueResponse(slot, channel: .attribute, at: now)
        } else {
            connections[slot].outbound.append(response, channel: .attribute, isResponse: false)
        }
        return true
    }

    private mutating func answered(_ request: AttributeRequestID, _ slot: Int, at now: Instant) {
        if !response.isEmpty {
            if request.onServer.bearer > 0 {
                sendOnBearer(request.onServer.bearer, slot: slot, at: now)
            } else {
                queueResponse(slot, channel: .attribute, at: now)
            }
        }
        queueServerOutput(slot, at: now)
        sendData()
    }

    /// The place of a link that the device knows and that is open.
    func openSlot(of link: LinkID) -> Int? {
        guard let slot = announcedSlot(of: link), connections[slot].phase == .open else { return nil }
        return slot
    }

    /// True if the link's queue takes `count` octets more of what is not an answer.
    func hasRoom(_ slot: Int, for count: Int) -> Bool {
        connections[slot].outbound.waitingOctets + count <= max(configuration.notificationQueueOctets, 1024)
    }
}
