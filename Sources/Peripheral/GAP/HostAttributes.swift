// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The identifier of a request for a dynamic value. It belongs to one link: a late answer does not reach the next link
/// in the same slot.
public struct AttributeRequestID: Hashable, Sendable {
    /// The client's link.
    public let link: LinkID
    let onServer: AttributeRequest

    init(link: LinkID, _ onServer: AttributeRequest) {
        self.link = link
        self.onServer = onServer
    }
}

/// Operations of a device on its attributes, except notifications: indications, dynamic values, replacement of the
/// database.
extension Host {
    /// Queues an indication, under the conditions of a notification. The event `confirmed` follows; a client that does
    /// not confirm within 30 s is disconnected (Core 5.4, Vol 3, Part F, 3.3.3).
    ///
    /// - Returns: `busy` also while an indication is unconfirmed.
    public mutating func indicate(
        _ link: LinkID, _ attribute: AttributeHandle, _ value: Span<UInt8>, at now: Instant
    ) -> NotificationOutcome {
        guard let slot = openSlot(of: link) else { return .gone }
        // Checked before the server expects a confirmation.
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

    /// Notifies several values, each a range of `source`, in one PDU if the client supports that, otherwise in one PDU
    /// each.
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

    /// Answers `readRequested` with the complete value, at most 512 octets, whatever the offset.
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

    /// Answers `writeRequested` with success.
    public mutating func accept(_ request: AttributeRequestID, at now: Instant) -> AnswerOutcome {
        guard let slot = openSlot(of: request.link) else { return .gone }
        response.removeAll(keepingCapacity: true)
        let outcome = servers[connections[slot].device].accept(
            request.onServer, of: &connections[slot].client, response: &response, events: &gattEvents)
        answered(request, slot, at: now)
        return outcome
    }

    /// Answers `readRequested` or `writeRequested` with an error; 0x80 to 0x9F are application errors (Core 5.4, Vol 3,
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

    /// Replaces the database of a device; its links stay. Client configurations are retained for a characteristic with
    /// the same handle; the others end with an event `subscribed`. Clients subscribed to Service Changed are indicated
    /// (Core 5.4, Vol 3, Part G, 2.5.2). An unknown device is ignored.
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

    /// The state of the link's client to be stored if it is bonded, as `ClientState.octets`; nil if the link has ended.
    public func clientState(_ link: LinkID) -> [UInt8]? {
        announcedSlot(of: link).flatMap { servers[connections[$0].device].state(of: connections[$0].client)?.octets }
    }

    /// Restores the stored state of the client. Only for a proven peer: the link must be encrypted with the key of its
    /// bond.
    ///
    /// - Throws: `ClientStateError` if the octets are invalid; nothing is restored then.
    public mutating func restoreClientState(
        _ octets: Span<UInt8>, _ link: LinkID, at now: Instant
    ) throws(ClientStateError) {
        let state = try ClientState(octets)
        guard let slot = openSlot(of: link) else { return }
        servers[connections[slot].device].restore(state, &connections[slot].client, events: &gattEvents)
        queueServerOutput(slot, at: now)
        sendData()
    }

    // MARK: - Internal interface

    /// Queues the PDUs that the server sends without a request, and emits the resulting events.
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

    /// The slot of an announced, open link.
    func openSlot(of link: LinkID) -> Int? {
        guard let slot = announcedSlot(of: link), connections[slot].phase == .open else { return nil }
        return slot
    }

    /// True if the link's queue has room for `count` octets that are not a response.
    func hasRoom(_ slot: Int, for count: Int) -> Bool {
        connections[slot].outbound.waitingOctets + count <= max(configuration.notificationQueueOctets, 1024)
    }
}
