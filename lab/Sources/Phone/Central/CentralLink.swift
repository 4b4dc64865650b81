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
    /// The frame being reassembled, header included.
    var frame: [UInt8] = []
    var isDisconnecting = false

    init(id: LinkID, handle: UInt16, peer: BluetoothAddress) {
        self.id = id
        self.handle = handle
        self.peer = peer
    }

    /// Queues a frame for a channel in fragments (Core 5.4, Vol 3, Part A, 3.1; Vol 4, Part E, 5.4.2).
    mutating func queue(_ payload: Span<UInt8>, channel: UInt16, fragment: Int) {
        var frame: [UInt8] = []
        frame.append(littleEndian: UInt16(truncatingIfNeeded: payload.count))
        frame.append(littleEndian: channel)
        frame.append(payload)
        var offset = 0
        while offset < frame.count {
            let next = min(frame.count, offset + max(1, fragment))
            var packet: [UInt8] = [0x02]
            packet.append(littleEndian: handle | (offset == 0 ? 0x0000 : 0x1000))
            packet.append(littleEndian: UInt16(truncatingIfNeeded: next - offset))
            packet += frame[offset..<next]
            waiting.append(packet)
            offset = next
        }
    }

    /// The result of a fragment.
    enum Progress: Equatable {
        case incomplete
        /// `frame` is complete: a header of four octets, and a payload for this channel.
        case complete(channel: UInt16)
        /// The fragment does not match the frame, or exceeds it; the frame is discarded.
        case broken
    }

    /// Adds a fragment to the frame.
    mutating func reassemble(_ data: Span<UInt8>, isStart: Bool) -> Progress {
        let interrupted = isStart && !frame.isEmpty
        if isStart { frame.removeAll(keepingCapacity: true) }
        guard isStart || !frame.isEmpty, !data.isEmpty else { return .broken }
        frame.append(data)
        guard frame.count >= 4 else { return interrupted ? .broken : .incomplete }
        let length = Int(frame[0]) | Int(frame[1]) << 8
        guard length <= CentralLink.maximumPDU, frame.count <= 4 + length else {
            frame.removeAll(keepingCapacity: true)
            return .broken
        }
        if frame.count == 4 + length { return .complete(channel: UInt16(frame[2]) | UInt16(frame[3]) << 8) }
        return interrupted ? .broken : .incomplete
    }
}
