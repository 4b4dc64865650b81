// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral
import Timekeeping

extension Central {
    /// Handles a complete frame received on a link.
    mutating func received(_ payload: [UInt8], channel: L2CAPChannelID, _ index: Int, at now: Instant) {
        switch channel {
        case .attribute: events.append(.attribute(links[index].id, payload))
        case .signalling: signalled(payload, index, at: now)
        case .securityManager:
            // Pairing Failed, pairing not supported (Core 5.4, Vol 3, Part H, 3.5.5); a failure is not answered.
            guard let code = payload.first, SecurityPDU.Code(rawValue: code) != .failed else { return }
            reply(.securityManager, index) { SecurityPDU.failed(.pairingNotSupported).append(to: &$0) }
        // Frames for other channels are dropped (Core 5.4, Vol 3, Part A, 3.1).
        default: malformedPackets += 1
        }
    }

    /// Handles a signalling command (Core 5.4, Vol 3, Part A, 4): a parameter update is accepted; any other command is
    /// rejected, credits included, since there are no channels. Responses are not answered (4.1).
    private mutating func signalled(_ payload: [UInt8], _ index: Int, at now: Instant) {
        guard let command = SignallingCommand(payload.span), command.isWhole else {
            malformedPackets += 1
            return
        }
        if command.code == .parameterUpdateRequest {
            updateRequested(payload.span, command.identifier, index, at: now)
        } else if command.code.asksForAnswer || command.code == .flowControlCredit {
            // Command Reject, not understood.
            reply(.signalling, index) { $0.append(.commandReject, command.identifier, 0x0000) }
        }
    }

    /// Connection Parameter Update Request (Core 5.4, Vol 3, Part A, 4.20).
    private mutating func updateRequested(_ pdu: Span<UInt8>, _ identifier: UInt8, _ index: Int, at now: Instant) {
        var cursor = OctetCursor(pdu, in: SignallingCommand.headerCount..<pdu.count)
        guard let wanted = try? ConnectionParameters(pdu, &cursor), cursor.remaining == 0 else {
            malformedPackets += 1
            return
        }
        let isPossible =
            wanted.minimumInterval >= 6 && wanted.minimumInterval <= wanted.maximumInterval
            && wanted.maximumInterval <= 3200 && wanted.latency <= 499
            && (10...3200).contains(wanted.supervisionTimeout)
            && Int(wanted.supervisionTimeout) * 4 > (1 + Int(wanted.latency)) * Int(wanted.maximumInterval)
        reply(.signalling, index) { $0.append(.parameterUpdateResponse, identifier, isPossible ? 0x0000 : 0x0001) }
        guard isPossible else { return }
        command(HostCommand.leConnectionUpdate(handle: links[index].handle, wanted), at: now)
    }

    private mutating func reply(_ channel: L2CAPChannelID, _ index: Int, _ write: (inout [UInt8]) -> Void) {
        guard links[index].waiting.count < CentralLink.maximumWaiting, !links[index].isDisconnecting else { return }
        var payload: [UInt8] = []
        write(&payload)
        links[index].queue(payload.span, channel: channel, fragment: controller.buffers.length)
        sendData()
    }
}
