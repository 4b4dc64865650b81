// SPDX-License-Identifier: Apache-2.0

import PacketStreamer
import Peripheral

/// A call of an emulator that sends anything, in pieces, and a place that answers.
///
/// A place receives whole HCI packets of a host, of one chip, after Reset first; nothing follows the end; and each
/// message to the emulator has its length in front.
func fuzzPacketStreamer(_ input: inout FuzzInput) {
    var call = StreamCall()
    while let choice = input.next() {
        switch choice {
        case 0..<0x60: call.send(message: input.block())
        case 0x60..<0x80: call.send(packet: input.block())
        case 0x80..<0x90: call.send(chip: input.octet())
        case 0x90..<0xB0: call.perform { session in session.receive(input.block().span) }
        case 0xB0..<0xE0: call.perform { session in session.receiveFromPlace(input.block().span) }
        case 0xE0..<0xE8: call.perform { session in session.refusePlace("no place") }
        case 0xE8..<0xF0: call.perform { session in session.finish() }
        default: call.send(packet: [1, 3, 0x0C, 0])
        }
    }
}

private struct StreamCall {
    private var session = StreamSession()
    private var hasChip = false
    private var hasReset = false
    private var isEnded = false

    /// A message with its prefix.
    mutating func send(message: [UInt8]) {
        let octets = [0, 0, 0, UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message
        perform { session in session.receive(octets.span) }
    }

    /// A message with a packet in H4's form.
    mutating func send(packet: [UInt8]) {
        guard let type = packet.first, packet.count <= 100 else { return }
        let octets = UInt8(packet.count - 1)
        send(message: [0x12, octets + 4, 0x08, type & 0x7F, 0x12, octets] + packet.dropFirst())
    }

    /// The first message of a chip of this kind.
    mutating func send(chip kind: UInt8) { send(message: [0x0A, 0x04, 0x12, 0x02, 0x08, kind & 0x7F]) }

    mutating func perform(_ body: (inout StreamSession) -> [StreamSession.Effect]) {
        for effect in body(&session) {
            require(!isEnded, "an effect after the end")
            switch effect {
            case .occupyPlace, .keepSilent:
                require(!hasChip, "two chips on a call")
                hasChip = true
            case .toPlace(let packet): check(packet)
            case .send(let octets):
                let length = octets[1..<5].reduce(0) { $0 << 8 | Int($1) }
                require(octets[0] == 0 && length == octets.count - 5, "a message has another length")
            case .end: isEnded = true
            }
        }
    }

    private mutating func check(_ packet: [UInt8]) {
        require(hasChip, "a packet without a chip")
        require(hasReset || packet.starts(with: [1, 3, 0x0C]), "a packet before Reset")
        hasReset = true
        var framer = H4Framer(receiver: .controller)
        var counts: [Int] = []
        do throws(H4Error) { try framer.receive(packet.span) { counts.append($0.count) } } catch {
            finding("not a packet of a host")
        }
        require(counts == [packet.count], "not a whole packet")
    }
}
