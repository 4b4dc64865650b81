// SPDX-License-Identifier: Apache-2.0

import Peripheral
import TestSupport

/// A controller that answers commands as a sound one does, until the input has it do otherwise.
struct FuzzController {
    /// Commands are left without an answer while this is false.
    var isAnswering = true
    /// Replacements of the next sound answers, first come.
    var unsound: [Answer] = []
    /// Keys that the host gave since the last look, and for which handle.
    var keys: [(handle: UInt8, key: [UInt8])] = []
    private var sound: ScriptedController

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

    /// Supports Read RSSI, connection update and data length; extended also LE Power Control and the commands of
    /// advertising, scanning and connecting (Core 5.4, Vol 4, Part E, 6.27).
    init(extended: Bool) {
        sound = extended ? .extended : .legacy
        sound.supported[27] = 0x04
        sound.supported[33] = 0x40
        sound.supported[34] = 0x01
        if extended { (sound.supported[37], sound.supported[44]) = (0xE0, 0x90) }
        sound.features = [0x22, extended ? 0x10 : 0, 0, 0, extended ? 0x06 : 0, 0, 0, 0]
        sound.rssi = -40
    }

    /// ACL packets of the host since the last look, with the type octet.
    var data: [[UInt8]] {
        get { sound.data }
        set { sound.data = newValue }
    }

    /// The signal strength of every link, in dBm.
    var rssi: Int8 {
        get { sound.rssi }
        set { sound.rssi = newValue }
    }

    /// Checks a packet of the host, and gives the answer to it.
    mutating func receive(_ packet: [UInt8]) -> [UInt8]? {
        FuzzController.check(packet)
        if packet.starts(with: [0x01, 0x1A, 0x20]) { keys.append((packet[4], Array(packet[6...]))) }
        let answer = sound.receive(packet)
        sound.commands.removeAll(keepingCapacity: true)
        guard isAnswering, let answer else { return nil }
        return unsound.isEmpty
            ? answer : change(answer, unsound.removeFirst(), opcode: UInt16(packet[1]) | UInt16(packet[2]) << 8)
    }

    private func change(_ sound: [UInt8], _ unsound: Answer, opcode: UInt16) -> [UInt8]? {
        var sound = sound
        switch unsound {
        case .returned(let octets): return self.sound.complete(opcode, Array(octets.prefix(252)))
        case .status(let status): return self.sound.status(opcode, status)
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
}
