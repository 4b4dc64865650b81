import Octets
import Peripheral
import Timekeeping

/// Fixed channels of LE (Core 5.4, Vol 3, Part A, 2.1).
enum Channel {
    static let attribute: UInt16 = 0x0004
    static let signalling: UInt16 = 0x0005
    static let security: UInt16 = 0x0006
}

extension Central {
    /// Handles a complete frame received on a link.
    mutating func received(_ payload: [UInt8], channel: UInt16, _ index: Int, at now: Instant) {
        switch channel {
        case Channel.attribute: events.append(.attribute(links[index].id, payload))
        case Channel.signalling: signalled(payload, index, at: now)
        case Channel.security:
            // Pairing Failed, pairing not supported (Core 5.4, Vol 3, Part H, 3.5.5); a failure is not answered.
            if let code = payload.first, code != 0x05 { reply([0x05, 0x05], Channel.security, index) }
        // Frames for other channels are dropped (Core 5.4, Vol 3, Part A, 3.1).
        default: malformedPackets += 1
        }
    }

    /// Handles a signalling command (Core 5.4, Vol 3, Part A, 4): a parameter update is accepted, any other request
    /// is rejected.
    private mutating func signalled(_ payload: [UInt8], _ index: Int, at now: Instant) {
        let bytes = payload.span
        var cursor = OctetCursor(bytes)
        guard let code = try? cursor.u8(bytes), let identifier = try? cursor.u8(bytes),
            let length = try? cursor.u16(bytes), cursor.remaining == Int(length), identifier != 0
        else {
            malformedPackets += 1
            return
        }
        switch code {
        case 0x12: parametersAsked(bytes, &cursor, identifier, index, at: now)
        // Command Reject and responses, to commands that this side never sends.
        case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x13, 0x15, 0x18, 0x1A: break
        // Command Reject, not understood.
        default: reply([0x01, identifier, 0x02, 0x00, 0x00, 0x00], Channel.signalling, index)
        }
    }

    /// Connection Parameter Update Request (Core 5.4, Vol 3, Part A, 4.20).
    private mutating func parametersAsked(
        _ bytes: Span<UInt8>, _ cursor: inout OctetCursor, _ identifier: UInt8, _ index: Int, at now: Instant
    ) {
        guard cursor.remaining == 8, let minimum = try? cursor.u16(bytes), let maximum = try? cursor.u16(bytes),
            let latency = try? cursor.u16(bytes), let timeout = try? cursor.u16(bytes)
        else {
            malformedPackets += 1
            return
        }
        let isPossible =
            minimum >= 6 && minimum <= maximum && maximum <= 3200 && latency <= 499 && timeout >= 10 && timeout <= 3200
            && Int(timeout) * 4 > (1 + Int(latency)) * Int(maximum)
        reply([0x13, identifier, 0x02, 0x00, isPossible ? 0x00 : 0x01, 0x00], Channel.signalling, index)
        guard isPossible else { return }
        var parameters: [UInt8] = []
        for value in [links[index].handle, minimum, maximum, latency, timeout, 0, 0] {
            parameters.append(littleEndian: value)
        }
        command(CentralCommand.connectionUpdate, parameters, at: now)
    }

    private mutating func reply(_ payload: [UInt8], _ channel: UInt16, _ index: Int) {
        guard links[index].waiting.count < CentralLink.maximumWaiting, !links[index].isDisconnecting else { return }
        links[index].queue(payload.span, channel: channel, fragment: controller.aclDataLength)
        sendData()
    }
}
