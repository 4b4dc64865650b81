// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// A controller that answers commands as a sound one does, while it answers, and keeps what the host sends.
struct FuzzController {
    /// Commands are left without an answer while this is false.
    var isAnswering = true
    /// What every link measures, in dBm.
    var rssi: Int8 = -40
    /// ACL packets of the host since the last look, with the type octet.
    var data: [[UInt8]] = []
    /// What comes instead of the next sound answers, first come.
    var unsound: [Answer] = []
    /// Keys that the host gave since the last look, and for which handle.
    var keys: [(handle: UInt8, key: [UInt8])] = []
    private let hasExtendedCommands: Bool

    /// An answer that no sound controller gives, though the event around it is one.
    enum Answer {
        /// Command Complete with these return parameters, whatever the command.
        case returned([UInt8])
        /// Command Status.
        case status(UInt8)
        /// The sound answer without its last octets.
        case cut(Int)
        /// The sound answer with one octet of its return parameters changed.
        case changed(at: Int, by: UInt8)
        /// None.
        case silence
    }

    init(extended: Bool) {
        hasExtendedCommands = extended
    }

    /// Checks a packet of the host, and gives the answer to it.
    mutating func receive(_ packet: [UInt8]) -> [UInt8]? {
        FuzzController.check(packet)
        guard packet[0] == 0x01 else {
            data.append(packet)
            return nil
        }
        if packet.starts(with: [0x01, 0x1A, 0x20]) { keys.append((packet[4], Array(packet[6...]))) }
        guard isAnswering else { return nil }
        return unsound.isEmpty ? answer(packet) : answer(packet, unsound.removeFirst())
    }

    private func answer(_ packet: [UInt8], _ unsound: Answer) -> [UInt8]? {
        let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
        var sound = answer(packet)
        switch unsound {
        case .returned(let octets): return complete(opcode, Array(octets.prefix(252)))
        case .status(let status): return [0x04, 0x0F, 0x04, status, 1, packet[1], packet[2]]
        case .cut(let count):
            sound.removeLast(min(count, sound.count - 3))
            sound[2] = UInt8(sound.count - 3)
            return sound
        case .changed(let place, let change):
            guard sound.count > 6 else { return sound }
            sound[6 + place % (sound.count - 6)] ^= change
            return sound
        case .silence: return nil
        }
    }

    /// Every packet of a host is one whole H4 packet.
    private static func check(_ packet: [UInt8]) {
        var framer = H4Framer(receiver: .controller)
        var count = 0
        do throws(H4Error) {
            try framer.receive(packet.span) { _ in count += 1 }
        } catch {
            finding("the host sends what is no packet: \(error)")
        }
        require(count == 1 && framer.isBetweenPackets, "the host sends \(count) packets as one")
    }

    private func answer(_ packet: [UInt8]) -> [UInt8] {
        let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
        switch opcode {
        case 0x0406, 0x200D, 0x2013, 0x2043: return [0x04, 0x0F, 0x04, 0x00, 1, packet[1], packet[2]]
        case 0x1001: return complete(opcode, [0, 0x0D, 1, 0, 0x0D, 0x59, 0x00, 2, 0])
        case 0x1002: return complete(opcode, [0] + supported)
        case 0x1005: return complete(opcode, [0, 0x36, 0x01, 0x40, 0x0A, 0x00, 0x08, 0x00])
        case 0x1009: return complete(opcode, [0, 1, 2, 3, 4, 5, 6])
        case 0x1405: return complete(opcode, [0, packet[4], packet[5], UInt8(bitPattern: rssi)])
        case 0x2002: return complete(opcode, [0, 0xFB, 0x00, 0x08])
        case 0x2003: return complete(opcode, [0, 0x22, hasExtendedCommands ? 0x10 : 0, 0, 0, 0, 0, 0, 0])
        case 0x201A, 0x201B, 0x2022: return complete(opcode, [0, packet[4], packet[5]])
        case 0x2036: return complete(opcode, [0, 0x08])
        case 0x203B: return complete(opcode, [0, 4])
        default: return complete(opcode, [0])
        }
    }

    /// Read RSSI, connection update, data length; and with the extended commands those of advertising, scanning and
    /// connecting (Core 5.4, Vol 4, Part E, 6.27).
    private var supported: [UInt8] {
        var octets = [UInt8](repeating: 0, count: 64)
        octets[15] = 0x20
        octets[27] = 0x04
        octets[33] = 0x40
        octets[34] = 0x01
        if hasExtendedCommands {
            octets[36] = 0b1011_1110
            octets[37] = 0xE0
        }
        return octets
    }

    private func complete(_ opcode: UInt16, _ returned: [UInt8]) -> [UInt8] {
        [0x04, 0x0E, UInt8(3 + returned.count), 1, UInt8(opcode & 0xFF), UInt8(opcode >> 8)] + returned
    }
}

/// Packets that a sound controller sends.
enum FuzzPacket {
    /// LE Connection Complete: interval 30 ms, supervision time-out 4 s. A peripheral's role is 1.
    static func connected(_ handle: UInt8, status: UInt8 = 0, role: UInt8 = 1) -> [UInt8] {
        [0x04, 0x3E, 0x13, 0x01, status, handle, 0, role, 1, handle, 2, 3, 4, 5, 0xC6, 24, 0, 0, 0, 0x90, 1, 0]
    }

    /// LE Advertising Set Terminated.
    static func terminated(_ handle: UInt8, set: UInt8) -> [UInt8] { [0x04, 0x3E, 6, 0x12, 0, set, handle, 0, 0] }

    /// Disconnection Complete.
    static func disconnected(_ handle: UInt8) -> [UInt8] { [0x04, 0x05, 4, 0, handle, 0, 0x13] }

    /// Number Of Completed Packets.
    static func completed(_ handle: UInt8, _ count: UInt8) -> [UInt8] { [0x04, 0x13, 5, 1, handle, 0, count, 0] }

    /// A whole PDU of a channel in one ACL packet.
    static func data(_ handle: UInt8, _ pdu: [UInt8], channel: UInt8 = 4) -> [UInt8] {
        let frame = [UInt8(pdu.count & 0xFF), UInt8(pdu.count >> 8), channel, 0] + pdu
        return [0x02, handle, 0x20, UInt8(frame.count & 0xFF), UInt8(frame.count >> 8)] + frame
    }
}
