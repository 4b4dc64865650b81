// SPDX-License-Identifier: Apache-2.0

import Octets
public import Timekeeping

/// The establishment of links, the identification of their advertising sets, and their end.
extension Host {
    /// Disconnects the link. No further data is delivered, and waiting data is dropped. A reason that the Disconnect
    /// command does not accept becomes 0x13. After a refusal the command is repeated each second; without an event of
    /// the controller, the link is released one second after its supervision time-out.
    public mutating func disconnect(_ link: LinkID, reason: HCIStatus, at now: Instant) {
        guard let slot = announcedSlot(of: link), connections[slot].phase == .open else { return }
        close(slot, reason: reason, at: now)
        sendCommands(at: now)
        sendData()
    }

    /// Requests the link's RSSI, with the lowest priority and the links in turn. A controller that does not list the
    /// command, or has left three unanswered, yields `failed(unknownCommand)`.
    ///
    /// - Returns: False if the link has ended or a request is outstanding.
    public mutating func readRSSI(_ link: LinkID, at now: Instant) -> Bool {
        guard let slot = announcedSlot(of: link), connections[slot].phase == .open, connections[slot].rssi == .none,
            let controller
        else { return false }
        guard controller.commands.hasReadRSSI, unresponsive.rssi < HostLimits.maximumUnansweredRSSI else {
            emit(.rssi(link, .failed(.unknownCommand)))
            return true
        }
        connections[slot].rssi = .waiting
        sendCommands(at: now)
        return true
    }

    // MARK: - Events

    /// Handles an event packet.
    mutating func receiveEvent(_ packet: Span<UInt8>, at now: Instant) {
        let event: HCIEvent
        do throws(OctetError) { event = try HCIEvent.parse(packet) } catch { return ignore() }
        switch event {
        case .commandComplete(let credits, let opcode, let returned):
            received(credits, opcode, at: now)
            commandAnswered(opcode, packet, in: returned, at: now)
        case .commandStatus(let status, let credits, let opcode):
            received(credits, opcode, at: now)
            // Success means that the command was started; it is the answer only if no Command Complete follows.
            if status != .success || commandFlow.pending?.purpose.isAnsweredByStatus == true {
                commandAnswered(opcode, packet, in: HCIEvent.statusRange, at: now)
            }
        case .hardwareError(let code):
            // A controller that waits for its reset is not reset earlier by repeated events.
            switch phase {
            case .idle, .waiting: return ignore()
            case .bringUp, .running: break
            }
            fail(.hardwareError(code: code), at: now)
        default:
            guard isRunning else { return ignore() }
            linkEvent(event, packet, at: now)
        }
        sendCommands(at: now)
        sendData()
    }

    /// Handles the number of commands that the controller accepts. Controllers send an event without an opcode when
    /// they start (Core 5.4, Vol 4, Part E, 4.4); if commands are accepted already, it suggests a restart.
    private mutating func received(_ credits: UInt8, _ opcode: UInt16, at now: Instant) {
        let isUnneeded = opcode == 0 && commandFlow.isReady
        commandFlow.setCredits(credits, at: now, timeout: configuration.commandTimeout)
        if isUnneeded { suspectRestart(isBoot: true, at: now) }
    }

    private mutating func linkEvent(_ event: HCIEvent, _ packet: Span<UInt8>, at now: Instant) {
        switch event {
        case .completedPackets(let pairs): completed(packet, in: pairs)
        case .connectionComplete(let status, let connection):
            guard status == .success else { return advertiser.anyMayHaveStopped() }
            connected(connection, at: now)
        case .disconnectionComplete(let status, let handle, let reason):
            guard status == .success else { return ignore() }
            connectionEnded(handle, reason: reason)
        case .connectionUpdated(let status, let handle, let interval, let timeout):
            guard let slot = slot(of: handle) else { return noteUnknownHandle(handle, at: now) }
            guard status == .success else { return intervalRefused(connections[slot].id, status, at: now) }
            connections[slot].supervisionTimeout = timeout
            guard connections[slot].description.interval != interval else { return }
            connections[slot].description.interval = interval
            if connections[slot].phase == .open { emit(.intervalChanged(connections[slot].id, interval)) }
        case .phyUpdated(let status, let handle, let receiver): phyUpdated(handle, status, receiver: receiver)
        case .transmitPower(let status, let report): transmitPowerReported(report, status)
        case .longTermKeyRequest(let handle, let name): keyRequested(handle, name)
        case .encryptionChanged(let status, let handle, let enabled):
            encryptionChanged(handle, status, enabled: enabled, at: now)
        case .keyRefreshed(let status, let handle): encryptionChanged(handle, status, enabled: 1, at: now)
        case .advertisingSetTerminated(let status, let set, let handle):
            setTerminated(set, status, handle: handle, at: now)
        case .vendor(let parameters): suspectRestart(isBoot: BootEvent.isBoot(packet, in: parameters), at: now)
        case .commandComplete, .commandStatus, .hardwareError, .otherLE, .other: break
        }
    }

    // MARK: - Establishment

    private mutating func connected(_ connection: HCIEvent.NewConnection, at now: Instant) {
        guard connection.handle <= DataPacket.highestHandle else {
            advertiser.anyMayHaveStopped()
            return ignore()
        }
        // The handle is in use: the end of its link was not reported. Other events may be lost as well.
        if let old = slot(of: connection.handle) {
            free(old, reason: .unspecifiedError)
            hastenRound(at: now)
        }
        supervision.connected(connection.handle)
        rejected.removeAll { $0.handle == connection.handle }
        guard connection.isPeripheral else {
            advertiser.anyMayHaveStopped()
            return refuse(connection.handle, reason: .remoteUserTerminated, at: now)
        }
        let legacySet = advertiser.linkUp()
        guard let slot = connections.firstIndex(where: { $0.phase == .free }), let controller else {
            if advertiser.namesSets { advertiser.anyMayHaveStopped() }
            return refuse(connection.handle, reason: .remoteLowResources, at: now)
        }
        lastGeneration &+= 1
        connections[slot].begin(
            connection, id: LinkID(slot: slot, generation: lastGeneration),
            until: now + configuration.identificationWait)
        connections[slot].onAir = advertiser.onAir
        advertiser.pool(isFull: isPoolFull)
        planRequests(slot, of: controller, at: now)
        flow.open(&connections[slot].flow)
        unclaimed.remove(before: now + (.zero - HostLimits.earlyWait))
        connections[slot].early.move(handle: connection.handle, from: &unclaimed)
        if !advertiser.namesSets {
            announce(slot, set: legacySet, at: now)
        } else if let event = earlyTermination(of: connection.handle, at: now) {
            connections[slot].onAir = event.onAir
            announce(slot, set: event.set, at: now)
        }
    }

    /// Records the requests to the controller for a new link.
    private mutating func planRequests(_ slot: Int, of controller: BringUp, at now: Instant) {
        connections[slot].wantsDataLength = configuration.requestsDataLength && controller.commands.hasDataLength
        guard let wanted = configuration.preferredInterval, connections[slot].description.interval > wanted.upperBound
        else { return }
        connections[slot].wantsInterval = controller.updatesConnections
        if !connections[slot].wantsInterval { requestParameters(slot, at: now) }
    }

    /// Announces the link to the device, and delivers the data held meanwhile.
    private mutating func announce(_ slot: Int, set: UInt8?, at now: Instant) {
        let device = device(ofSet: set)
        connections[slot].description.advertisingSet = set
        connections[slot].description.device = device
        connections[slot].description.ownAddress = set.flatMap { connections[slot].onAir.address(ofSet: $0) }
        servers[device].open(&connections[slot].client)
        connections[slot].phase = .open
        connections[slot].isAnnounced = true
        openSecurity(slot)
        linkAnnounced(at: now)
        emit(.connected(connections[slot].id, connections[slot].description))
        deliverEarlyData(slot, at: now)
    }

    /// Delivers the data held of an open link.
    mutating func deliverEarlyData(_ slot: Int, at now: Instant) {
        let early = connections[slot].early
        guard !early.entries.isEmpty else { return }
        connections[slot].early = EarlyACLData()
        for entry in early.entries where connections[slot].phase == .open {
            deliver(early.octets.span.extracting(entry.range), isStart: entry.isStart, slot: slot, at: now)
        }
    }

    private mutating func setTerminated(_ set: UInt8, _ status: HCIStatus, handle: UInt16, at now: Instant) {
        advertiser.terminated(set)
        guard status == .success else { return }
        guard let slot = slot(of: handle) else {
            terminatedSets.removeAll { $0.handle == handle }
            if terminatedSets.count >= HostLimits.terminatedSets { terminatedSets.removeFirst() }
            noteUnknownHandle(handle, at: now)
            return terminatedSets.append(TerminatedSet(handle: handle, set: set, since: now, onAir: advertiser.onAir))
        }
        if case .identifying = connections[slot].phase { announce(slot, set: set, at: now) }
    }

    /// The Advertising Set Terminated event that preceded this connection.
    private mutating func earlyTermination(of handle: UInt16, at now: Instant) -> TerminatedSet? {
        guard let index = terminatedSets.firstIndex(where: { $0.handle == handle }) else { return nil }
        let event = terminatedSets.remove(at: index)
        return now - event.since <= HostLimits.earlyWait ? event : nil
    }

    private mutating func refuse(_ handle: UInt16, reason: HCIStatus, at now: Instant) {
        guard rejected.count < HostLimits.rejected else {
            return fail(.unsuitable("more connections than the controller supports; resetting it"), at: now)
        }
        rejected.append(RejectedConnection(handle: handle, reason: reason, after: now))
    }

    // MARK: - End

    /// Begins the end of a link: no further data is accepted or sent.
    mutating func close(_ slot: Int, reason: HCIStatus, at now: Instant) {
        let timeout = connections[slot].supervisionTimeout + HostLimits.endMargin
        closeSecurity(slot, at: now)
        connections[slot].phase = .closing(gone: now + timeout)
        connections[slot].end = .wanted(reason, after: now)
        connections[slot].rssi = .none
        connections[slot].owesWritable = false
        connections[slot].outbound.removeAll()
        connections[slot].early = EarlyACLData()
        connections[slot].awaitsEncryption = false
        connections[slot].encryptionWaitEnd = nil
        connections[slot].wantsReview = false
        connections[slot].missingAt = nil
        endChannels(slot)
    }

    mutating func disconnectAnswered(_ id: LinkID, _ status: HCIStatus, at now: Instant) {
        guard connections.indices.contains(id.slot), connections[id.slot].id == id,
            case .sent(let reason) = connections[id.slot].end
        else { return }
        switch status {
        case .success: connections[id.slot].end = .accepted
        case .unknownConnection:
            // The event of the end follows, or it is lost.
            connections[id.slot].end = .unknown
            connections[id.slot].phase = .closing(gone: now + Supervision.explanation)
        default: connections[id.slot].end = .wanted(reason, after: now + HostLimits.disconnectRetry)
        }
    }

    private mutating func connectionEnded(_ handle: UInt16, reason: HCIStatus) {
        let isUnreported = rejected.contains { $0.handle == handle && $0.isUnreported }
        let isKnown =
            rejected.contains { $0.handle == handle }
            || supervision.hasEnded(
                handle, within: Supervision.explanation, at: lastInput)
        rejected.removeAll { $0.handle == handle }
        terminatedSets.removeAll { $0.handle == handle }
        unclaimed.remove(handle: handle)
        supervision.ended(handle, at: lastInput)
        if let slot = slot(of: handle) { return free(slot, reason: reason) }
        advertiser.linkDown()
        // The event of the connection was lost, and with it perhaps that advertising has stopped.
        if !isKnown || isUnreported { hastenRound(at: lastInput) }
    }

    mutating func free(_ slot: Int, reason: HCIStatus) {
        endChannels(slot)
        if connections[slot].isAnnounced { emit(.disconnected(connections[slot].id, reason: reason)) }
        closeSecurity(slot, at: lastInput)
        servers[connections[slot].device].close(&connections[slot].client)
        flow.close(&connections[slot].flow)
        connections[slot].free()
        advertiser.pool(isFull: isPoolFull)
        advertiser.linkDown()
    }

    /// Ends every link without commands: the controller is lost or about to be reset.
    mutating func endLinks(reason: HCIStatus) {
        for slot in connections.indices where connections[slot].phase != .free { free(slot, reason: reason) }
    }

    /// Performs the due actions of the connections.
    mutating func advanceConnections(to now: Instant) {
        for slot in connections.indices {
            switch connections[slot].phase {
            case .identifying(let until) where now >= until:
                advertiser.anyMayHaveStopped()
                announce(slot, set: nil, at: now)
            case .closing(let gone) where now >= gone:
                if connections[slot].end == .unknown {
                    linkIsMissing(slot, at: now)
                } else {
                    supervision.ended(connections[slot].handle, at: now)
                    free(slot, reason: .connectionTimeout)
                }
            case .open: advanceOpen(slot, to: now)
            case .free, .identifying, .closing: break
            }
        }
    }

    /// Answers requests that the device left unanswered, and ends a link whose client has not confirmed an indication
    /// in time (Core 5.4, Vol 3, Part F, 3.3.3), or whose pairing timed out.
    private mutating func advanceOpen(_ slot: Int, to now: Instant) {
        if let missing = connections[slot].missingAt, missing <= now {
            connections[slot].missingAt = nil
            if !connections[slot].isProven { return linkIsMissing(slot, at: now) }
        }
        if let end = connections[slot].encryptionWaitEnd, end <= now { endEncryptionWait(slot, at: now) }
        connections[slot].channels.advanceIfDue(to: now)
        if connections[slot].client.mayHaveDeadline {
            let isTimedOut = servers[connections[slot].device].advance(&connections[slot].client, to: now)
            queueServerOutput(slot, at: now)
            if isTimedOut { return close(slot, reason: .remoteUserTerminated, at: now) }
        }
        if connections[slot].security.isPairing {
            security.manager.advance(&connections[slot].security, to: now)
            performSecurityActions(slot, at: now)
        }
        if let due = connections[slot].clientStateDue, due <= now { keepClientState(slot) }
    }

    // MARK: - The table

    /// The slot of the link with this handle.
    func slot(of handle: UInt16) -> Int? {
        for slot in connections.indices where connections[slot].handle == handle && connections[slot].phase != .free {
            return slot
        }
        return nil
    }

    /// The slot of an announced link that has not ended.
    func announcedSlot(of link: LinkID) -> Int? {
        guard connections.indices.contains(link.slot), connections[link.slot].isAnnounced,
            connections[link.slot].id == link
        else {
            return nil
        }
        return link.slot
    }

    /// True if the link table is full.
    private var isPoolFull: Bool { connections.allSatisfy { $0.phase != .free } }

    /// True if the controller has any connection.
    var hasLinks: Bool { !rejected.isEmpty || connections.contains { $0.phase != .free } }
}
