import Octets
import Peripheral

/// What a central keeps for a link: what waits for the controller, and the frame that is coming in.
struct CentralLink: Sendable {
    /// The longest ATT PDU, at the longest ATT_MTU that a 512-octet value needs (Core 5.4, Vol 3, Part F, 3.2.9).
    static let maximumPDU = 517
    /// Fragments that may wait; a hundred whole PDUs in the smallest packets.
    static let maximumWaiting = 2048

    let id: LinkID
    let handle: UInt16
    let peer: BluetoothAddress
    /// ACL fragments that the controller does not have yet, H4 packets ready to go.
    var waiting: [[UInt8]] = []
    /// How many packets the controller has and has not reported as completed.
    var unacknowledged = 0
    /// The frame that is coming in, header included.
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

    /// What a fragment did to the frame that is coming in.
    enum Progress: Equatable {
        case incomplete
        /// `frame` is whole: a payload for this channel behind its header of four octets.
        case complete(channel: UInt16)
        /// It does not fit what came before, or is too long; the frame is dropped.
        case broken
    }

    /// Adds a fragment to the frame that is coming in.
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
