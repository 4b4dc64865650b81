import Octets
public import Timekeeping

/// Links: how they come, how it is found out which set they belong to, and how they end.
extension Host {
    /// Ends the link. Nothing of it is delivered any more, and what waits to be sent is dropped. A reason that the
    /// Disconnect command does not take becomes 0x13. A refusal is repeated each second, and if the controller never
    /// says that the link has ended, it counts as gone a second after its supervision time-out.
    public mutating func disconnect(_ link: LinkID, reason: HCIStatus, at now: Instant) {
        guard let slot = announcedSlot(of: link), links[slot].phase == .open else { return }
        close(slot, reason: reason, at: now)
        sendCommands(at: now)
        sendData()
    }

    /// Asks for the link's RSSI when nothing more urgent waits, the links in turn. A controller that does not list the
    /// command, or has left three unanswered, gives `failed(unknownCommand)`.
    public mutating func readRSSI(_ link: LinkID, at now: Instant) -> Bool {
        guard let slot = announcedSlot(of: link), links[slot].phase == .open, links[slot].rssi == .none,
            let controller
        else { return false }
        guard controller.commands.contains(.readRSSI), unresponsive.rssi < HostLimits.silentRSSI else {
            emit(.rssi(link, .failed(.unknownCommand)))
            return true
        }
        links[slot].rssi = .waiting
        sendCommands(at: now)
        return true
    }

    // MARK: - Events

    /// Takes an event packet.
    mutating func receiveEvent(_ packet: Span<UInt8>, at now: Instant) {
        let event: HCIEvent
        do throws(OctetError) { event = try HCIEvent.parse(packet) } catch { return ignore() }
        switch event {
        case .commandComplete(let credits, let opcode, let returned):
            commandFlow.allowed(credits, at: now, patience: configuration.commandTimeout)
            commandAnswered(opcode, packet, in: returned, at: now)
        case .commandStatus(let status, let credits, let opcode):
            commandFlow.allowed(credits, at: now, patience: configuration.commandTimeout)
            // A success says that the command has begun; it is the answer only where nothing else follows.
            let isAnswer = status != .success || opcode == .disconnect || opcode == .leConnectionUpdate
            if isAnswer { commandAnswered(opcode, packet, in: HCIEvent.statusRange, at: now) }
        case .hardwareError(let code):
            // A controller that waits to be reset is reset when its time has come, however often it says so.
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
            guard let slot = slot(of: handle) else { return }
            guard status == .success else { return intervalRefused(links[slot].id, status, at: now) }
            links[slot].supervisionTimeout = timeout
            guard links[slot].description.interval != interval else { return }
            links[slot].description.interval = interval
            if links[slot].phase == .open { emit(.intervalChanged(links[slot].id, interval)) }
        case .longTermKeyRequest(let handle, let name): keyRequested(handle, name)
        case .encryptionChanged(let status, let handle, let enabled):
            encryptionChanged(handle, status, enabled: enabled, at: now)
        case .keyRefreshed(let status, let handle): encryptionChanged(handle, status, enabled: 1, at: now)
        case .advertisingSetTerminated(let status, let set, let handle):
            setTerminated(set, status, handle: handle, at: now)
        case .commandComplete, .commandStatus, .hardwareError, .other: break
        }
    }

    // MARK: - A link comes

    private mutating func connected(_ connection: HCIEvent.NewConnection, at now: Instant) {
        guard connection.handle <= DataPacket.highestHandle else {
            advertiser.anyMayHaveStopped()
            return ignore()
        }
        // The handle is in use: the end of that link was never told.
        if let old = slot(of: connection.handle) { free(old, reason: .unspecifiedError) }
        rejected.removeAll { $0.handle == connection.handle }
        guard connection.isPeripheral else {
            advertiser.anyMayHaveStopped()
            return refuse(connection.handle, reason: .remoteUserTerminated, at: now)
        }
        let legacySet = advertiser.linkUp()
        guard let slot = links.firstIndex(where: { $0.phase == .free }), let controller else {
            if advertiser.namesSets { advertiser.anyMayHaveStopped() }
            return refuse(connection.handle, reason: .remoteLowResources, at: now)
        }
        lastGeneration &+= 1
        links[slot].begin(
            connection, id: LinkID(slot: slot, generation: lastGeneration),
            until: now + configuration.identificationWait)
        links[slot].onAir = advertiser.onAir
        advertiser.pool(isFull: isPoolFull)
        ask(slot, of: controller, at: now)
        credits.open(slot)
        unclaimed.remove(before: now + (.zero - HostLimits.earlyWait))
        links[slot].held.take(handle: connection.handle, from: &unclaimed)
        if !advertiser.namesSets {
            announce(slot, set: legacySet, at: now)
        } else if let event = earlyTermination(of: connection.handle, at: now) {
            links[slot].onAir = event.onAir
            announce(slot, set: event.set, at: now)
        }
    }

    /// Notes what is to be asked of the controller for a new link.
    private mutating func ask(_ slot: Int, of controller: BringUp, at now: Instant) {
        links[slot].wantsDataLength =
            configuration.requestsDataLength && controller.commands.contains(.leSetDataLength)
        guard let wanted = configuration.preferredInterval, links[slot].description.interval > wanted.upperBound else {
            return
        }
        links[slot].wantsInterval =
            controller.commands.contains(.leConnectionUpdate)
            && controller.features & LEReadLocalSupportedFeatures.connectionParametersRequest != 0
        if !links[slot].wantsInterval { requestParameters(slot, at: now) }
    }

    /// The device is told of the link, and gets what the link has sent meanwhile.
    private mutating func announce(_ slot: Int, set: UInt8?, at now: Instant) {
        let device = device(ofSet: set)
        links[slot].description.advertisingSet = set
        links[slot].description.device = device
        links[slot].description.ownAddress = set.flatMap { links[slot].onAir.address(ofSet: $0) }
        servers[device].open(slot: slot)
        links[slot].phase = .open
        links[slot].isAnnounced = true
        openSecurity(slot)
        emit(.connected(links[slot].id, links[slot].description))
        let held = links[slot].held
        links[slot].held = EarlyACLData()
        for entry in held.entries where links[slot].phase == .open {
            deliver(held.octets.span.extracting(entry.range), isStart: entry.isStart, slot: slot, at: now)
        }
    }

    private mutating func setTerminated(_ set: UInt8, _ status: HCIStatus, handle: UInt16, at now: Instant) {
        advertiser.terminated(set)
        guard status == .success else { return }
        guard let slot = slot(of: handle) else {
            terminatedSets.removeAll { $0.handle == handle }
            if terminatedSets.count >= HostLimits.terminatedSets { terminatedSets.removeFirst() }
            return terminatedSets.append(TerminatedSet(handle: handle, set: set, since: now, onAir: advertiser.onAir))
        }
        if case .identifying = links[slot].phase { announce(slot, set: set, at: now) }
    }

    /// The Advertising Set Terminated event that came before this connection.
    private mutating func earlyTermination(of handle: UInt16, at now: Instant) -> TerminatedSet? {
        guard let index = terminatedSets.firstIndex(where: { $0.handle == handle }) else { return nil }
        let event = terminatedSets.remove(at: index)
        return now - event.since <= HostLimits.earlyWait ? event : nil
    }

    private mutating func refuse(_ handle: UInt16, reason: HCIStatus, at now: Instant) {
        guard rejected.count < HostLimits.rejected else {
            return fail(.unsuitable("the controller holds more connections than it can; it is reset"), at: now)
        }
        rejected.append(RejectedConnection(handle: handle, reason: reason, after: now))
    }

    // MARK: - A link ends

    /// Begins the end of a link: from now on it is deaf and dumb.
    mutating func close(_ slot: Int, reason: HCIStatus, at now: Instant) {
        let timeout = links[slot].supervisionTimeout + HostLimits.endMargin
        closeSecurity(slot, at: now)
        links[slot].phase = .closing(gone: now + timeout)
        links[slot].end = .wanted(reason, after: now)
        links[slot].rssi = .none
        links[slot].owesWritable = false
        links[slot].outbound.removeAll()
        links[slot].held = EarlyACLData()
        endChannels(slot)
    }

    mutating func disconnectAnswered(_ id: LinkID, _ status: HCIStatus, at now: Instant) {
        guard links.indices.contains(id.slot), links[id.slot].id == id, case .sent(let reason) = links[id.slot].end
        else { return }
        switch status {
        case .success: links[id.slot].end = .accepted
        case .unknownConnection: free(id.slot, reason: .localHostTerminated)
        default: links[id.slot].end = .wanted(reason, after: now + HostLimits.disconnectRetry)
        }
    }

    private mutating func connectionEnded(_ handle: UInt16, reason: HCIStatus) {
        rejected.removeAll { $0.handle == handle }
        terminatedSets.removeAll { $0.handle == handle }
        unclaimed.remove(handle: handle)
        if let slot = slot(of: handle) {
            free(slot, reason: reason)
        } else {
            advertiser.linkDown()
        }
    }

    private mutating func free(_ slot: Int, reason: HCIStatus) {
        endChannels(slot)
        if links[slot].isAnnounced { emit(.disconnected(links[slot].id, reason: reason)) }
        closeSecurity(slot, at: lastInput)
        servers[links[slot].device].close(slot: slot)
        links[slot].free()
        credits.close(slot)
        advertiser.pool(isFull: isPoolFull)
        advertiser.linkDown()
    }

    /// Ends every link without a word to the controller, which is gone or is about to be reset.
    mutating func endLinks(reason: HCIStatus) {
        for slot in links.indices where links[slot].phase != .free { free(slot, reason: reason) }
    }

    /// Does what is due for links.
    mutating func advanceLinks(to now: Instant) {
        for slot in links.indices {
            switch links[slot].phase {
            case .identifying(let until) where now >= until:
                advertiser.anyMayHaveStopped()
                announce(slot, set: nil, at: now)
            case .closing(let gone) where now >= gone: free(slot, reason: .connectionTimeout)
            case .open: links[slot].channels.advanceIfDue(to: now)
            default: break
            }
        }
    }

    // MARK: - The table

    /// The place of the link with this handle.
    func slot(of handle: UInt16) -> Int? {
        for slot in links.indices where links[slot].handle == handle && links[slot].phase != .free { return slot }
        return nil
    }

    /// The place of a link that the device knows, and that has not ended.
    func announcedSlot(of link: LinkID) -> Int? {
        guard links.indices.contains(link.slot), links[link.slot].isAnnounced, links[link.slot].id == link else {
            return nil
        }
        return link.slot
    }

    /// Whether the link table has no place for one more.
    private var isPoolFull: Bool { links.allSatisfy { $0.phase != .free } }

    /// Whether the controller has any connection.
    var hasLinks: Bool { !rejected.isEmpty || links.contains { $0.phase != .free } }
}
