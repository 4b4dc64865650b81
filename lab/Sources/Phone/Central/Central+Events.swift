// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral
public import Timekeeping

extension Central {
    /// Handles one complete H4 packet from the controller, packet type octet first. Malformed packets are counted in
    /// `malformedPackets` and ignored.
    public mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        guard phase != .off else { return }
        do throws(OctetError) {
            switch packet.isEmpty ? nil : H4PacketType(rawValue: packet[0]) {
            case .acl?: try receiveData(packet, at: now)
            case .event?: try handle(HCIEvent.parse(packet), packet, at: now)
            default: malformedPackets += 1
            }
        } catch {
            malformedPackets += 1
        }
    }

    private mutating func handle(_ event: HCIEvent, _ packet: Span<UInt8>, at now: Instant) throws(OctetError) {
        switch event {
        case .commandComplete(let credits, let opcode, let returned):
            var cursor = OctetCursor(packet, in: returned)
            // A Command Complete without a status only gives command credits.
            let status = cursor.remaining > 0 ? HCIStatus(rawValue: try cursor.u8(packet)) : .success
            answered(opcode, status, packet.extracting(cursor.rest()), credits: credits, at: now)
        case .commandStatus(let status, let credits, let opcode):
            answered(opcode, status, packet.extracting(0..<0), credits: credits, at: now)
        case .hardwareError(let code): fail(.hardwareError(code: code))
        case .completedPackets(let pairs): try packetsCompleted(packet, OctetCursor(packet, in: pairs))
        case .connectionComplete(let status, let connection): connectionComplete(status, connection)
        case .disconnectionComplete(let status, let handle, let reason):
            disconnectionComplete(status, handle, reason: reason)
        case .connectionUpdated(let status, let handle, let interval, _):
            guard status == .success, let index = index(ofHandle: handle) else { return }
            events.append(.intervalChanged(links[index].id, interval))
        case .otherLE(let code, let parameters):
            var cursor = OctetCursor(packet, in: parameters)
            try handle(code, packet, &cursor, at: now)
        // Unsolicited events are ignored.
        case .encryptionChanged, .keyRefreshed, .longTermKeyRequest, .advertisingSetTerminated, .phyUpdated,
            .transmitPower, .vendor, .other:
            break
        }
    }

    private mutating func handle(
        _ code: HCIEvent.LECode?, _ bytes: Span<UInt8>, _ cursor: inout OctetCursor, at now: Instant
    ) throws(OctetError) {
        switch code {
        case .advertisingReport: try legacyReports(bytes, &cursor)
        case .extendedAdvertisingReport: try extendedReports(bytes, &cursor)
        case .remoteConnectionParameterRequest:
            // The peripheral requests other parameters through the controllers (7.7.65.6): accepted.
            let handle = try cursor.u16(bytes)
            let requested = try ConnectionParameters(bytes, &cursor)
            try cursor.finish()
            command(HostCommand.leRemoteConnectionParameterRequestReply(handle: handle, requested), at: now)
        case .dataLengthChange:
            let handle = try cursor.u16(bytes)
            let transmit = try cursor.u16(bytes)
            guard let index = index(ofHandle: handle) else { return }
            events.append(.dataLengthChanged(links[index].id, Int(transmit)))
        default: break
        }
    }

    /// Handles the controller's answer to a command.
    private mutating func answered(
        _ opcode: UInt16, _ status: HCIStatus, _ returned: Span<UInt8>, credits: UInt8, at now: Instant
    ) {
        mayCommand = credits > 0
        guard let outstanding, outstanding.opcode.rawValue == opcode else {
            // Opcode 0 only gives credits; any other one answers a command that is not outstanding.
            if opcode != 0 { malformedPackets += 1 }
            return sendCommand(at: now)
        }
        self.outstanding = nil
        if case .starting(let step) = phase {
            startupAnswered(step, outstanding.opcode, status, returned, at: now)
        } else if outstanding.opcode == .readRSSI {
            rssiRead(status, returned)
        } else if status != .success {
            refused(outstanding.opcode, status)
        }
        sendCommand(at: now)
    }

    private mutating func refused(_ opcode: HCIOpcode, _ status: HCIStatus) {
        switch opcode {
        case .leCreateConnection, .leExtendedCreateConnection:
            guard let attempt else { return }
            self.attempt = nil
            events.append(.connectionFailed(attempt.peer, status))
        case .leSetScanParameters, .leSetScanEnable, .leSetExtendedScanParameters, .leSetExtendedScanEnable:
            isScanning = false
            events.append(.scanRefused(status))
        // A cancel is refused if the connection was established before: its event follows. A link that has ended
        // while it was disconnected or updated has its Disconnection Complete.
        default: break
        }
    }

    private mutating func connectionComplete(_ status: HCIStatus, _ connection: HCIEvent.NewConnection) {
        let wanted = attempt?.peer
        attempt = nil
        guard status == .success else {
            if let wanted { events.append(.connectionFailed(wanted, status)) }
            return
        }
        guard index(ofHandle: connection.handle) == nil else {
            malformedPackets += 1
            return
        }
        generation &+= 1
        let slot = (0...links.count).first { slot in !links.contains { $0.id.slot == slot } } ?? links.count
        let id = LinkID(slot: slot, generation: generation)
        links.append(CentralLink(id: id, handle: connection.handle, peer: connection.peer))
        events.append(.connected(id, connection.peer, interval: connection.interval))
    }

    /// Disconnection Complete: frees the controller's buffers of the link.
    private mutating func disconnectionComplete(_ status: HCIStatus, _ handle: UInt16, reason: HCIStatus) {
        guard status == .success, let index = index(ofHandle: handle) else { return }
        let link = links.remove(at: index)
        freePackets += link.unacknowledged
        events.append(.disconnected(link.id, reason: reason))
        sendData()
    }

    /// Number Of Completed Packets, limited to the outstanding packets of the link.
    private mutating func packetsCompleted(_ packet: Span<UInt8>, _ pairs: OctetCursor) throws(OctetError) {
        var cursor = pairs
        while cursor.remaining > 0 {
            let handle = try cursor.u16(packet)
            let count = Int(try cursor.u16(packet))
            guard let index = index(ofHandle: handle) else { continue }
            let completed = min(count, links[index].unacknowledged)
            links[index].unacknowledged -= completed
            freePackets += completed
        }
        sendData()
    }
}
