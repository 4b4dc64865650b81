public import Timekeeping

/// A question to the device about a value that it handles itself. Of one link: an answer that comes when the link is
/// gone reaches nobody, whoever has its slot by then.
public struct AttributeRequestID: Hashable, Sendable {
    /// The client's link.
    public let link: LinkID
    let bearer: Int
    let serial: UInt64
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
            links[slot].owesWritable = true
            return .busy
        }
        response.removeAll(keepingCapacity: true)
        let outcome = servers[links[slot].device].indication(
            of: attribute, value: value, slot: slot, at: now, into: &response)
        guard outcome == .accepted else { return outcome }
        links[slot].outbound.append(response, channel: .attribute, isResponse: false)
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
        let device = links[slot].device
        guard values.count >= 2, servers[device].features(slot: slot).contains(.multipleNotifications) else {
            for entry in values {
                guard entry.value.lowerBound >= 0, entry.value.upperBound <= source.count else { return .tooLong }
                let outcome = notify(link, entry.handle, source.extracting(entry.value), at: now)
                guard outcome == .accepted else { return outcome }
            }
            return .accepted
        }
        response.removeAll(keepingCapacity: true)
        let outcome = servers[device].notification(of: values, in: source, slot: slot, into: &response)
        guard outcome == .accepted else { return outcome }
        guard hasRoom(slot, for: response.count) else {
            links[slot].owesWritable = true
            return .busy
        }
        links[slot].outbound.append(response, channel: .attribute, isResponse: false)
        sendData()
        return .accepted
    }

    /// Answers `readRequested` with the whole value, at most 512 octets, whatever the offset.
    public mutating func respond(
        to request: AttributeRequestID, value: Span<UInt8>, at now: Instant
    ) -> AnswerOutcome {
        guard let slot = openSlot(of: request.link) else { return .gone }
        response.removeAll(keepingCapacity: true)
        let outcome = servers[links[slot].device].respond(
            to: request.onServer, value: value, at: now, response: &response, events: &gattEvents)
        answered(request, slot, at: now)
        return outcome
    }

    /// Answers `writeRequested`: the value is taken.
    public mutating func accept(_ request: AttributeRequestID, at now: Instant) -> AnswerOutcome {
        guard let slot = openSlot(of: request.link) else { return .gone }
        response.removeAll(keepingCapacity: true)
        let outcome = servers[links[slot].device].accept(
            request.onServer, at: now, response: &response, events: &gattEvents)
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
        let outcome = servers[links[slot].device].refuse(
            request.onServer, error, at: now, response: &response, events: &gattEvents)
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
        servers[device].replaceDatabase(with: database, events: &gattEvents)
        queueServerOutput(of: device, at: now)
        sendData()
    }

    // MARK: - The state of bonded clients

    /// What is to be kept of the link's client if it is bonded, as `ClientState.octets`; nil if the link is gone.
    public func clientState(_ link: LinkID) -> [UInt8]? {
        announcedSlot(of: link).flatMap { servers[links[$0].device].clientState(slot: $0)?.octets }
    }

    /// Gives the client back what was kept of it. Only for a peer that has proved to be the one it was kept of, which it
    /// has when the link is encrypted with the bond's key. Throws if the octets are no state; then nothing is given.
    public mutating func restoreClientState(
        _ octets: Span<UInt8>, _ link: LinkID, at now: Instant
    ) throws(ClientStateError) {
        let state = try ClientState(octets)
        guard let slot = openSlot(of: link) else { return }
        servers[links[slot].device].restore(state, slot: slot, events: &gattEvents)
        queueServerOutput(of: links[slot].device, at: now)
        sendData()
    }

    // MARK: - What the other files use

    /// Queues what a server sends by itself, and tells what follows from it.
    mutating func queueServerOutput(of device: Int, at now: Instant) {
        emitGATTEvents()
        while queueNextServerOutput(of: device, at: now) { emitGATTEvents() }
    }

    private mutating func queueNextServerOutput(of device: Int, at now: Instant) -> Bool {
        response.removeAll(keepingCapacity: true)
        guard let output = servers[device].nextOutput(at: now, response: &response, events: &gattEvents) else {
            emitGATTEvents()
            return false
        }
        guard links[output.slot].phase == .open else { return true }
        if output.bearer > 0 {
            sendOnBearer(output.bearer, slot: output.slot, at: now)
        } else if output.isResponse {
            queueResponse(output.slot, channel: .attribute, at: now)
        } else {
            links[output.slot].outbound.append(response, channel: .attribute, isResponse: false)
        }
        return true
    }

    func requestID(_ request: AttributeRequest) -> AttributeRequestID {
        AttributeRequestID(link: links[request.slot].id, bearer: request.bearer, serial: request.serial)
    }

    private mutating func answered(_ request: AttributeRequestID, _ slot: Int, at now: Instant) {
        if !response.isEmpty {
            if request.bearer > 0 {
                sendOnBearer(request.bearer, slot: slot, at: now)
            } else {
                queueResponse(slot, channel: .attribute, at: now)
            }
        }
        queueServerOutput(of: links[slot].device, at: now)
        sendData()
    }

    private func openSlot(of link: LinkID) -> Int? {
        guard let slot = announcedSlot(of: link), links[slot].phase == .open else { return nil }
        return slot
    }

    /// Whether the link's queue takes `count` octets more of what is not an answer.
    private func hasRoom(_ slot: Int, for count: Int) -> Bool {
        links[slot].outbound.waitingOctets + count <= max(configuration.notificationQueueOctets, 1024)
    }
}

extension AttributeRequestID {
    fileprivate var onServer: AttributeRequest { AttributeRequest(slot: link.slot, bearer: bearer, serial: serial) }
}
