// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// ACL data in both directions (Core 5.4, Vol 4, Part E, 5.4.2 and 4.1).
extension VirtualController {
    /// Handles an ACL packet from the host; length, number of packets and flags are verified.
    func receiveACL(_ packet: Span<UInt8>) {
        var cursor = OctetCursor(packet)
        guard let _ = try? cursor.u8(packet), let header = try? cursor.u16(packet), let count = try? cursor.u16(packet),
            cursor.remaining == Int(count)
        else { return reportViolation("ACL packet whose length does not fit its header") }
        let handle = header & 0x0FFF
        let boundary = header >> 12 & 0b11
        guard header >> 14 == 0, boundary <= 1 else {
            return reportViolation("ACL packet for link \(handle) with flags that a host does not send over LE")
        }
        guard count > 0 else { return reportViolation("ACL packet without data for link \(handle)") }
        guard Int(count) <= profile.aclDataLength else {
            return reportViolation("ACL packet with \(count) octets, and the controller takes \(profile.aclDataLength)")
        }
        guard let end = state.links.first(where: { $0.handle == handle }) else {
            if !mayNotKnow(handle) { reportViolation("ACL packet for link \(handle), which does not exist") }
            return
        }
        guard heldPackets < profile.aclPackets else {
            reportViolation("more ACL packets than the \(profile.aclPackets) that the controller holds")
            return emit(EventCode.dataBufferOverflow, [0x01])
        }
        heldPackets += 1
        var octets: [UInt8] = []
        octets.append(packet.extracting(cursor.rest()))
        end.data.append(OutboundPacket(octets: octets, isStart: boundary == 0))
    }

    /// Passes a link's data to the host, in packets of at most the ACL data length.
    func deliver(_ octets: [UInt8], isStart: Bool, from end: LinkEnd) {
        var offset = 0
        while offset < octets.count {
            let next = min(octets.count, offset + max(1, profile.aclDataLength))
            outbound.append(EventPacket.acl(end.handle, isStart: isStart && offset == 0, octets[offset..<next]))
            offset = next
        }
    }

    /// Number Of Completed Packets (7.7.19).
    func reportCompleted(_ end: LinkEnd) {
        guard end.completed > 0, end.isOpen else { return }
        outbound.append(EventPacket.completedPackets(end.handle, end.completed))
        end.completed = 0
    }
}
