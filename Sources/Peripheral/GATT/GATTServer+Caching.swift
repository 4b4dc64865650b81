import Octets

/// Robust caching (Core 5.4, Vol 3, Part G, 2.5.2.1).
///
/// A client that has said that it caches robustly, and does not know the database as it is now, gets Database Out Of
/// Sync once on each bearer in place of what it asked for, its commands are ignored, and it is notified of nothing but
/// Service Changed. Others are served as ever: they have no way to learn of it.
extension GATTServer {
    /// Whether the link's client knows the database as it is now.
    public func isChangeAware(slot: Int) -> Bool { isOpen(slot) && links[slot].isChangeAware }

    /// What the link's client says it can do.
    public func features(slot: Int) -> ClientFeatures { isOpen(slot) ? links[slot].features : [] }

    /// Whether the client may have nothing but Service Changed.
    func isOutOfSync(_ slot: Int) -> Bool {
        !links[slot].isChangeAware && links[slot].features.contains(.robustCaching)
    }

    /// A PDU of a change-unaware client: makes it aware, throws Database Out Of Sync, or lets the PDU through.
    mutating func admit(_ pdu: Span<UInt8>, _ origin: Origin, _ events: inout GATTEvents) throws(ATTFault) {
        let opcode = ATTOpcode(rawValue: pdu[0])
        let isOutOfSync = isOutOfSync(origin.slot)
        guard opcode.isRequest else {
            guard isOutOfSync, opcode.isCommand else { return }
            throw ATTFault(.databaseOutOfSync)
        }
        let hasOneBearer = links[origin.slot].enhancedBearers == 0
        if links[origin.slot].hasReadHash || (hasOneBearer && bearers[origin.place].outOfSyncSent) {
            return becomeAware(origin.slot, &events)
        }
        if isOutOfSync, !bearers[origin.place].outOfSyncSent, let handle = GATTServer.knownHandle(pdu) {
            bearers[origin.place].outOfSyncSent = true
            throw ATTFault(.databaseOutOfSync, handle)
        }
        if readsHash(pdu) { links[origin.slot].hasReadHash = true }
    }

    /// What a client knows of an earlier database when it sends this: the first handle of an operation on handles, or the
    /// start of the range of a Read By Type that is not for discovery. Nil for a request that relies on nothing.
    private static func knownHandle(_ pdu: Span<UInt8>) -> UInt16? {
        guard pdu.count >= 3 else { return nil }
        let handle = UInt16(pdu[1]) | UInt16(pdu[2]) << 8
        switch ATTOpcode(rawValue: pdu[0]) {
        case .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest, .writeRequest,
            .prepareWriteRequest:
            return handle
        case .readByTypeRequest:
            guard pdu.count >= 7 else { return nil }
            let isWhole = handle == 0x0001 && pdu[3] == 0xFF && pdu[4] == 0xFF
            let type = UInt16(pdu[5]) | UInt16(pdu[6]) << 8
            let isDiscovery = pdu.count == 7 && (type == 0x2802 || type == 0x2803)
            return isWhole || isDiscovery ? nil : handle
        default: return nil
        }
    }

    /// Whether the Database Hash is read, by its type or, by a client that may, by its handle. It has no permission that
    /// could be refused.
    private func readsHash(_ pdu: Span<UInt8>) -> Bool {
        guard database.own.databaseHash >= 0, pdu.count >= 3 else { return false }
        let hash = database.attributes[database.own.databaseHash].handle
        let handle = UInt16(pdu[1]) | UInt16(pdu[2]) << 8
        switch ATTOpcode(rawValue: pdu[0]) {
        case .readRequest: return pdu.count == 3 && handle == hash
        case .readByTypeRequest:
            guard pdu.count == 7, UInt16(pdu[5]) | UInt16(pdu[6]) << 8 == 0x2B2A else { return false }
            return handle != 0 && handle <= hash && hash <= UInt16(pdu[3]) | UInt16(pdu[4]) << 8
        default: return false
        }
    }

    /// The client has confirmed an indication. Service Changed makes a client with one bearer aware, unless the database
    /// has changed again since.
    mutating func confirmed(_ origin: Origin, _ events: inout GATTEvents) {
        guard let indication = bearers[origin.place].indication else { return }
        bearers[origin.place].indication = nil
        mayHaveOutput = mayHaveOutput || links[origin.slot].owesServiceChanged
        let slot = origin.slot
        if indication.tellsOfDatabase {
            if links[slot].enhancedBearers == 0, !links[slot].owesServiceChanged { becomeAware(slot, &events) }
        } else {
            events.events.append(.confirmed(slot: slot, AttributeHandle(rawValue: indication.handle)))
        }
    }

    /// The client knows the database from now on.
    private mutating func becomeAware(_ slot: Int, _ events: inout GATTEvents) {
        forgetOutOfSync(slot)
        guard !links[slot].isChangeAware else { return }
        links[slot].isChangeAware = true
        links[slot].owesServiceChanged = false
        events.events.append(.clientStateChanged(slot: slot))
    }

    /// The database has changed.
    mutating func becomeUnaware(_ slot: Int, _ events: inout GATTEvents) {
        forgetOutOfSync(slot)
        links[slot].isChangeAware = false
        links[slot].owesServiceChanged = true
        mayHaveOutput = true
        events.events.append(.clientStateChanged(slot: slot))
    }

    private mutating func forgetOutOfSync(_ slot: Int) {
        links[slot].hasReadHash = false
        for place in place(slot, 0)...place(slot, limits.enhancedBearers) {
            bearers[place].outOfSyncSent = false
        }
    }
}
