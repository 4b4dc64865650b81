// SPDX-License-Identifier: Apache-2.0

import Octets

/// Robust caching (Core 5.4, Vol 3, Part G, 2.5.2.1).
///
/// A change-unaware client with robust caching receives Database Out Of Sync once per bearer instead of a response. Its
/// commands are ignored, and the only value that it is notified of is Service Changed. Other clients are served
/// normally: they cannot detect a change.
extension GATTServer {
    /// Handles a PDU of a change-unaware client: makes it aware, throws Database Out Of Sync, or admits the PDU.
    func admit(
        _ pdu: Span<UInt8>, _ client: inout Client, _ bearer: Int, _ events: inout GATTEvents
    ) throws(ATTFault) {
        let opcode = ATTOpcode(rawValue: pdu[0])
        let isOutOfSync = client.isOutOfSync
        guard opcode.isRequest else {
            guard isOutOfSync, opcode.isCommand else { return }
            throw ATTFault(.databaseOutOfSync)
        }
        let hasOneBearer = client.enhancedBearers == 0
        if client.hasReadHash || (hasOneBearer && client.bearers[bearer].outOfSyncSent) {
            return client.becomeAware(&events)
        }
        if isOutOfSync, !client.bearers[bearer].outOfSyncSent, let handle = GATTServer.knownHandle(pdu) {
            client.bearers[bearer].outOfSyncSent = true
            throw ATTFault(.databaseOutOfSync, handle)
        }
        if readsHash(pdu) { client.hasReadHash = true }
    }

    /// The handle in a PDU that relies on knowledge of the database: the first handle of an operation on handles, or
    /// the start of the range of a Read By Type that is not for discovery. Nil for other requests.
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

    /// True if the PDU reads the Database Hash, by its type or its handle. It has no permission that could be refused.
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

    /// Handles a confirmation. Service Changed makes a client with one bearer aware, unless the database has changed
    /// again.
    func confirmed(_ client: inout Client, _ bearer: Int, _ events: inout GATTEvents) {
        guard let indication = client.bearers[bearer].indication else { return }
        client.bearers[bearer].indication = nil
        client.mayHaveOutput = client.mayHaveOutput || client.owesServiceChanged
        if indication.tellsOfDatabase {
            if client.enhancedBearers == 0, !client.owesServiceChanged { client.becomeAware(&events) }
        } else {
            events.events.append(.confirmed(AttributeHandle(rawValue: indication.handle)))
        }
    }
}

extension GATTServer.Client {
    /// True if the client may only receive Service Changed.
    var isOutOfSync: Bool { !isChangeAware && features.contains(.robustCaching) }

    /// Makes the client change-aware.
    mutating func becomeAware(_ events: inout GATTEvents) {
        forgetOutOfSync()
        guard !isChangeAware else { return }
        isChangeAware = true
        owesServiceChanged = false
        events.events.append(.clientStateChanged)
    }

    /// Makes the client change-unaware.
    mutating func becomeUnaware(_ events: inout GATTEvents) {
        forgetOutOfSync()
        isChangeAware = false
        owesServiceChanged = true
        mayHaveOutput = true
        events.events.append(.clientStateChanged)
    }

    private mutating func forgetOutOfSync() {
        hasReadHash = false
        for bearer in bearers.indices { bearers[bearer].outOfSyncSent = false }
    }
}
