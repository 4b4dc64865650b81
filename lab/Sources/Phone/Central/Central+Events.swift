import Octets
import Peripheral
public import Timekeeping

extension Central {
    /// Handles one complete H4 packet from the controller, packet type octet first. Malformed packets are counted in
    /// `malformedPackets` and ignored.
    public mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        guard phase != .off else { return }
        do throws(OctetError) {
            var cursor = OctetCursor(packet)
            switch try cursor.u8(packet) {
            case 0x02: try receiveData(packet, at: now)
            case 0x04:
                let code = try cursor.u8(packet)
                guard Int(try cursor.u8(packet)) == cursor.remaining else { throw .trailing(offset: 3, count: 0) }
                try handle(event: code, packet, &cursor, at: now)
            default: malformedPackets += 1
            }
        } catch {
            malformedPackets += 1
        }
    }

    private mutating func handle(
        event code: UInt8, _ bytes: Span<UInt8>, _ cursor: inout OctetCursor, at now: Instant
    ) throws(OctetError) {
        switch code {
        case 0x05: try disconnectionComplete(bytes, &cursor)
        case 0x0E:
            let credit = try cursor.u8(bytes)
            let opcode = try cursor.u16(bytes)
            // A Command Complete without a status only gives command credits.
            let status = cursor.remaining > 0 ? HCIStatus(rawValue: try cursor.u8(bytes)) : .success
            answered(opcode, status, bytes.extracting(cursor.rest()), credit: credit, at: now)
        case 0x0F:
            let status = HCIStatus(rawValue: try cursor.u8(bytes))
            let credit = try cursor.u8(bytes)
            let opcode = try cursor.u16(bytes)
            answered(opcode, status, bytes.extracting(cursor.rest()), credit: credit, at: now)
        case 0x10: fail(.hardwareError(code: try cursor.u8(bytes)))
        case 0x13: try packetsCompleted(bytes, &cursor)
        case 0x3E: try handle(subevent: try cursor.u8(bytes), bytes, &cursor, at: now)
        // Unsolicited events are ignored.
        default: break
        }
    }

    private mutating func handle(
        subevent: UInt8, _ bytes: Span<UInt8>, _ cursor: inout OctetCursor, at now: Instant
    ) throws(OctetError) {
        switch subevent {
        case 0x01, 0x0A: try connectionComplete(isEnhanced: subevent == 0x0A, bytes, &cursor)
        case 0x02: try legacyReports(bytes, &cursor)
        case 0x0D: try extendedReports(bytes, &cursor)
        case 0x03:
            let status = HCIStatus(rawValue: try cursor.u8(bytes))
            let handle = try cursor.u16(bytes)
            let interval = try cursor.u16(bytes)
            guard status == .success, let index = index(ofHandle: handle) else { return }
            events.append(.intervalChanged(links[index].id, .microseconds(1250 * Int64(interval))))
        case 0x06: try remoteParameterRequest(bytes, &cursor, at: now)
        case 0x07:
            let handle = try cursor.u16(bytes)
            let transmit = try cursor.u16(bytes)
            guard let index = index(ofHandle: handle) else { return }
            events.append(.dataLengthChanged(links[index].id, Int(transmit)))
        default: break
        }
    }

    /// Handles the controller's answer to a command.
    private mutating func answered(
        _ opcode: UInt16, _ status: HCIStatus, _ returned: Span<UInt8>, credit: UInt8, at now: Instant
    ) {
        mayCommand = credit > 0
        guard let outstanding, outstanding.opcode == opcode else {
            // Opcode 0 only gives credits; any other one answers a command that is not outstanding.
            if opcode != 0 { malformedPackets += 1 }
            return sendCommand(at: now)
        }
        self.outstanding = nil
        if case .starting(let step) = phase {
            startupAnswered(step, opcode, status, returned, at: now)
        } else if status != .success {
            refused(opcode, status)
        }
        sendCommand(at: now)
    }

    private mutating func refused(_ opcode: UInt16, _ status: HCIStatus) {
        switch opcode {
        case CentralCommand.createConnection, CentralCommand.extendedCreateConnection:
            guard let attempt else { return }
            self.attempt = nil
            events.append(.connectionFailed(attempt.peer, status))
        case CentralCommand.setScanParameters, CentralCommand.setScanEnable,
            CentralCommand.setExtendedScanParameters, CentralCommand.setExtendedScanEnable:
            isScanning = false
            events.append(.scanRefused(status))
        // A cancel is refused if the connection was established before: its event follows. A link that has ended
        // while it was disconnected or updated has its Disconnection Complete.
        default: break
        }
    }

    /// Connection Complete and Enhanced Connection Complete (Core 5.4, Vol 4, Part E, 7.7.65.1, 7.7.65.10).
    private mutating func connectionComplete(
        isEnhanced: Bool, _ bytes: Span<UInt8>, _ cursor: inout OctetCursor
    ) throws(OctetError) {
        let status = HCIStatus(rawValue: try cursor.u8(bytes))
        let handle = try cursor.u16(bytes) & 0x0FFF
        _ = try cursor.u8(bytes)
        let kind = BluetoothAddress.Kind(rawValue: try cursor.u8(bytes))
        let peer = try cursor.address(bytes, kind: kind)
        if isEnhanced { _ = try cursor.take(12, of: bytes) }
        let interval = try cursor.u16(bytes)
        // Latency, time-out, clock accuracy.
        _ = try cursor.take(5, of: bytes)
        try cursor.finish()
        let wanted = attempt?.peer
        attempt = nil
        guard status == .success else {
            if let wanted { events.append(.connectionFailed(wanted, status)) }
            return
        }
        guard index(ofHandle: handle) == nil else {
            malformedPackets += 1
            return
        }
        generation &+= 1
        let slot = (0...links.count).first { slot in !links.contains { $0.id.slot == slot } } ?? links.count
        let id = LinkID(slot: slot, generation: generation)
        links.append(CentralLink(id: id, handle: handle, peer: peer))
        events.append(.connected(id, peer, interval: .microseconds(1250 * Int64(interval))))
    }

    /// Disconnection Complete (7.7.5): frees the controller's buffers of the link.
    private mutating func disconnectionComplete(
        _ bytes: Span<UInt8>, _ cursor: inout OctetCursor
    ) throws(OctetError) {
        let status = HCIStatus(rawValue: try cursor.u8(bytes))
        let handle = try cursor.u16(bytes)
        let reason = HCIStatus(rawValue: try cursor.u8(bytes))
        guard status == .success, let index = index(ofHandle: handle) else { return }
        let link = links.remove(at: index)
        freePackets += link.unacknowledged
        events.append(.disconnected(link.id, reason: reason))
        sendData()
    }

    /// Number Of Completed Packets (7.7.19), limited to the outstanding packets of the link.
    private mutating func packetsCompleted(_ bytes: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        for _ in 0..<(try cursor.u8(bytes)) {
            let handle = try cursor.u16(bytes)
            let count = Int(try cursor.u16(bytes))
            guard let index = index(ofHandle: handle) else { continue }
            let completed = min(count, links[index].unacknowledged)
            links[index].unacknowledged -= completed
            freePackets += completed
        }
        sendData()
    }

    /// LE Remote Connection Parameter Request (7.7.65.6): accepted.
    private mutating func remoteParameterRequest(
        _ bytes: Span<UInt8>, _ cursor: inout OctetCursor, at now: Instant
    ) throws(OctetError) {
        let asked = bytes.extracting(try cursor.take(10, of: bytes))
        try cursor.finish()
        var parameters: [UInt8] = []
        parameters.append(asked)
        parameters.append(littleEndian: UInt32(0))
        command(CentralCommand.connectionParameterRequestReply, parameters, at: now)
    }
}
