import Octets
public import Peripheral
public import Timekeeping

extension Central {
    /// Connects to `peer` at its next advertisement; `connected` or `connectionFailed` follows. One attempt at a
    /// time.
    public mutating func connect(
        to peer: BluetoothAddress, _ settings: ConnectionSettings = ConnectionSettings(), at now: Instant
    ) throws(CentralRefusal) {
        guard isReady else { throw .notReady }
        guard attempt == nil else { throw .connecting }
        attempt = Attempt(peer: peer, ends: now + settings.timeLimit)
        let own: UInt8 = randomAddress == nil ? 0 : 1
        var parameters: [UInt8] = []
        // Continuous scanning: a window of 30 ms in each interval of 30 ms.
        if controller.isExtended {
            parameters = [0x00, own]
            parameters.append(peer)
            parameters += [0x01, 0x30, 0x00, 0x30, 0x00]
            parameters.append(settings)
            command(CentralCommand.extendedCreateConnection, parameters, at: now)
        } else {
            parameters = [0x30, 0x00, 0x30, 0x00, 0x00]
            parameters.append(peer)
            parameters.append(own)
            parameters.append(settings)
            command(CentralCommand.createConnection, parameters, at: now)
        }
    }

    /// Cancels the connection attempt; `connectionFailed` follows, or `connected` if it was established just before.
    public mutating func cancelConnecting(at now: Instant) {
        guard attempt?.isCancelling == false else { return }
        attempt?.isCancelling = true
        command(CentralCommand.createConnectionCancel, at: now)
    }

    /// Ends a link; `disconnected` follows, at the latest after the supervision time-out. Queued packets are
    /// discarded.
    public mutating func disconnect(
        _ link: LinkID, reason: HCIStatus = .remoteUserTerminated, at now: Instant
    ) {
        guard let index = index(of: link), !links[index].isDisconnecting else { return }
        links[index].isDisconnecting = true
        links[index].waiting.removeAll()
        var parameters: [UInt8] = []
        parameters.append(littleEndian: links[index].handle)
        command(CentralCommand.disconnect, parameters + [reason.rawValue], at: now)
    }

    /// Queues an ATT PDU of at most 517 octets on the link (Core 5.4, Vol 3, Part A, 3.1, channel 0x0004). PDUs are
    /// sent in order.
    public mutating func sendAttribute(_ link: LinkID, _ pdu: Span<UInt8>) throws(CentralRefusal) {
        guard let index = index(of: link), !links[index].isDisconnecting else { throw .gone }
        guard pdu.count <= CentralLink.maximumPDU else { throw .tooLong }
        guard links[index].waiting.count < CentralLink.maximumWaiting else { throw .busy }
        links[index].queue(pdu, channel: Channel.attribute, fragment: controller.aclDataLength)
        sendData()
    }

    /// The peer of a link; nil if the link has ended.
    public func peer(of link: LinkID) -> BluetoothAddress? {
        index(of: link).map { links[$0].peer }
    }

    /// The number of ACL packets of the link that have not been reported as completed.
    public func pendingPackets(_ link: LinkID) -> Int {
        index(of: link).map { links[$0].waiting.count + links[$0].unacknowledged } ?? 0
    }

    func index(of link: LinkID) -> Int? { links.firstIndex { $0.id == link } }

    func index(ofHandle handle: UInt16) -> Int? { links.firstIndex { $0.handle == handle } }

    /// Sends queued packets as far as the controller has room, one of each link in turn.
    mutating func sendData() {
        var idle = 0
        while freePackets > 0, idle < links.count {
            if turn >= links.count { turn = 0 }
            if links[turn].waiting.isEmpty {
                idle += 1
            } else {
                idle = 0
                outbound.append(links[turn].waiting.removeFirst())
                links[turn].unacknowledged += 1
                freePackets -= 1
            }
            turn += 1
        }
    }

    /// Handles ACL data from the controller (Core 5.4, Vol 4, Part E, 5.4.2).
    mutating func receiveData(_ bytes: Span<UInt8>, at now: Instant) throws(OctetError) {
        var cursor = OctetCursor(bytes)
        _ = try cursor.u8(bytes)
        let header = try cursor.u16(bytes)
        let range = try cursor.take(Int(try cursor.u16(bytes)), of: bytes)
        try cursor.finish()
        guard let index = index(ofHandle: header & 0x0FFF) else {
            malformedPackets += 1
            return
        }
        let isStart = header >> 12 & 0b11 == 0b10
        switch links[index].reassemble(bytes.extracting(range), isStart: isStart) {
        case .incomplete: break
        case .broken: malformedPackets += 1
        case .complete(let channel):
            let payload = Array(links[index].frame[4...])
            links[index].frame.removeAll(keepingCapacity: true)
            received(payload, channel: channel, index, at: now)
        }
    }
}
