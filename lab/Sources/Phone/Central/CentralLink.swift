// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// The state of a central's link: queued packets, and the frame being reassembled.
struct CentralLink: Sendable {
    /// The maximum length of an ATT PDU: the ATT_MTU that a 512-octet value requires (Core 5.4, Vol 3, Part F,
    /// 3.2.9).
    static let maximumPDU = 517
    /// The maximum number of queued fragments: a hundred maximum PDUs in the smallest packets.
    static let maximumWaiting = 2048

    let id: LinkID
    let handle: UInt16
    let peer: BluetoothAddress
    /// Queued ACL fragments, as complete H4 packets.
    var waiting: [[UInt8]] = []
    /// The number of packets sent to the controller and not reported as completed.
    var unacknowledged = 0
    /// The frame being reassembled.
    var reassembly = L2CAPReassembly(maximumPayload: CentralLink.maximumPDU)
    var isDisconnecting = false

    init(id: LinkID, handle: UInt16, peer: BluetoothAddress) {
        self.id = id
        self.handle = handle
        self.peer = peer
    }

    /// Queues a frame for a channel in fragments (Core 5.4, Vol 3, Part A, 3.1; Vol 4, Part E, 5.4.2).
    mutating func queue(_ payload: Span<UInt8>, channel: L2CAPChannelID, fragment: Int) {
        var frame: [UInt8] = []
        L2CAPFrame.appendHeader(payloadCount: payload.count, channel: channel, to: &frame)
        frame.append(payload)
        var offset = 0
        while offset < frame.count {
            let next = min(frame.count, offset + max(1, fragment))
            var packet: [UInt8] = []
            DataPacket.appendHeader(handle: handle, isStart: offset == 0, count: next - offset, to: &packet)
            packet += frame[offset..<next]
            waiting.append(packet)
            offset = next
        }
    }
}
