// SPDX-License-Identifier: Apache-2.0

import Emulation
import Octets
import Peripheral

/// Makes pairings fail on command by changing packets between the controller and the host, which is not aware of it.
///
/// A Pairing Request that is refused or left unanswered does not reach the host. A wrong confirm value is the host's
/// value with one bit changed.
struct PairingTamper {
    /// The result of a packet from the controller.
    enum Verdict: Equatable {
        /// The host receives the packet.
        case passed
        /// The host does not receive the packet; the controller receives these octets, if any.
        case swallowed([UInt8])
    }

    /// Pairing Failed, Pairing Not Supported (Core 5.4, Vol 3, Part H, 3.5.5).
    private static let refusal: [UInt8] = [0x05, 0x05]
    private static let pairingRequest: UInt8 = 0x01, pairingConfirm: UInt8 = 0x03
    private static let securityManager: UInt16 = 0x0006

    /// The peers by connection handle.
    private var peers: [UInt16: BluetoothAddress] = [:]
    /// The handles whose next confirm value is wrong.
    private var spoiled: Set<UInt16> = []

    /// Handles a packet from the controller; `faults` returns the faults of a pairing that a peer begins.
    mutating func receive(_ packet: Span<UInt8>, faults: (BluetoothAddress) -> [Fault]) -> Verdict {
        observe(packet)
        guard let (handle, opcode) = PairingTamper.security(packet), opcode == PairingTamper.pairingRequest,
            let peer = peers[handle]
        else { return .passed }
        spoiled.remove(handle)
        for fault in faults(peer) {
            switch fault {
            case .refuse: return .swallowed(PairingTamper.packet(PairingTamper.refusal, handle))
            case .drop: return .swallowed([])
            case .wrongConfirm: spoiled.insert(handle)
            default: break
            }
        }
        return .passed
    }

    /// Spoils the confirm value of a packet from the host, if a fault requires that.
    mutating func send(_ packet: inout [UInt8]) {
        guard !spoiled.isEmpty, let (handle, opcode) = PairingTamper.security(packet.span),
            opcode == PairingTamper.pairingConfirm, spoiled.remove(handle) != nil
        else { return }
        packet[packet.count - 1] ^= 0x01
    }

    /// Records the peer of a new connection from LE Connection Complete or its enhanced forms (Core 5.4, Vol 4, Part E,
    /// 7.7.65.1, .10 and .41), which begin alike.
    private mutating func observe(_ packet: Span<UInt8>) {
        guard packet.count >= 15, packet[0] == 0x04, packet[1] == 0x3E, [0x01, 0x0A, 0x29].contains(packet[3]),
            packet[4] == 0
        else { return }
        var value: UInt64 = 0
        for index in (9..<15).reversed() { value = value << 8 | UInt64(packet[index]) }
        peers[PairingTamper.handle(packet[5], packet[6])] = BluetoothAddress(
            kind: packet[8] & 1 == 0 ? .public : .random, value: value)
    }

    /// The connection and the opcode of the first fragment of a Security Manager PDU; nil for other packets.
    private static func security(_ packet: Span<UInt8>) -> (UInt16, UInt8)? {
        // Packet type, handle with flags, length; L2CAP length and channel (Vol 4, Part E, 5.4.2; Vol 3, Part A, 3.1).
        guard packet.count > 9, packet[0] == 0x02, packet[2] & 0x30 != 0x10,
            UInt16(packet[7]) | UInt16(packet[8]) << 8 == securityManager
        else { return nil }
        return (handle(packet[1], packet[2]), packet[9])
    }

    private static func handle(_ low: UInt8, _ high: UInt8) -> UInt16 { UInt16(low) | UInt16(high & 0x0F) << 8 }

    private static func packet(_ pdu: [UInt8], _ handle: UInt16) -> [UInt8] {
        var packet: [UInt8] = [0x02]
        packet.append(littleEndian: handle)
        packet.append(littleEndian: UInt16(pdu.count + 4))
        packet.append(littleEndian: UInt16(pdu.count))
        packet.append(littleEndian: securityManager)
        return packet + pdu
    }
}
