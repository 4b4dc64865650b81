// SPDX-License-Identifier: Apache-2.0

import Peripheral
import TestSupport

/// Credit-based channels on a whole host: centrals open, feed, starve, reconfigure and close them, in order or not, and
/// the device sends, pauses and closes. An SDU comes only on an open channel, within its MTU, and no channel outlives
/// its link. At the end a sound phone is served. The first octet chooses the controller.
func fuzzChannels(_ input: inout FuzzInput) {
    var rig = HostRig(extended: input.octet() & 1 == 0, store: FuzzBondStore())
    rig.start()
    while let choice = input.next() {
        let handle = choice & 3 | 0x40
        switch choice {
        case 0..<0x10: rig.send(ControllerPacket.connected(handle))
        case 0x10..<0x18: rig.send(ControllerPacket.disconnected(handle))
        case 0x18..<0x20: rig.pass(.milliseconds(1 << Int(choice & 0x0F)))
        case 0x20..<0x30: rig.send(ControllerPacket.completed(handle, input.octet()))
        case 0x30..<0x40: rig.signal(handle, 0x14, ControllerPacket.connection(&input))
        case 0x40..<0x50: rig.signal(handle, 0x17, ControllerPacket.enhancedConnection(&input))
        case 0x50..<0x58: rig.signal(handle, 0x19, input.consume(Int(choice & 4) + 4 + 2))
        case 0x58..<0x60: rig.signal(handle, 0x06, [0x40 | input.octet() & 7, 0, 0x40 | input.octet() & 7, 0])
        case 0x60..<0x70: rig.signal(handle, 0x16, [0x40 | input.octet() & 7, 0, input.octet(), input.octet()])
        case 0x70..<0x80: rig.signal(handle, input.octet(), input.block())
        case 0x80..<0xA0:
            // The first K-frame of an SDU, whose length is right or not.
            let payload = input.block()
            let length = choice & 0x10 == 0 ? UInt16(truncatingIfNeeded: payload.count) : input.word()
            let frame = [UInt8(length & 0xFF), UInt8(length >> 8)] + payload
            rig.send(ControllerPacket.data(handle, frame, channel: 0x40 | choice >> 2 & 3))
        case 0xA0..<0xB0: rig.send(ControllerPacket.data(handle, input.block(), channel: 0x40 | input.octet() & 0x0F))
        case 0xB0..<0xD0: rig.channel(choice, &input)
        case 0xD0..<0xD8: rig.send(ControllerPacket.data(handle, input.block()))
        default: rig.send(input.block())
        }
        rig.settle()
    }
    rig.recover()
}

extension HostRig {
    /// A signalling command of a central.
    mutating func signal(_ handle: UInt8, _ code: UInt8, _ data: [UInt8]) {
        let count = UInt16(truncatingIfNeeded: data.count)
        let header = [code, 1 + UInt8(truncatingIfNeeded: data.count), UInt8(count & 0xFF), UInt8(count >> 8)]
        send(ControllerPacket.data(handle, header + data, channel: 5))
    }
}

extension ControllerPacket {
    private static func spsm(_ choice: UInt8) -> [UInt8] { [[0x80, 0x27, 0x81, choice][Int(choice & 3)], 0] }

    /// The data of LE Credit Based Connection Request: one octet chooses service and channel, three the numbers.
    static func connection(_ input: inout FuzzInput) -> [UInt8] {
        let choice = input.octet()
        return spsm(choice) + [0x40 | choice >> 2 & 7, 0] + [23 &+ input.octet(), 0, 23 &+ input.octet(), 0]
            + [input.octet(), 0]
    }

    /// The data of Credit Based Connection Request, for up to seven channels.
    static func enhancedConnection(_ input: inout FuzzInput) -> [UInt8] {
        let choice = input.octet()
        var data = spsm(choice) + [64 &+ input.octet(), 0, 64 &+ input.octet(), 0, input.octet(), 0]
        for number in 0..<(choice >> 5) { data += [0x40 | (choice >> 2 &+ number) & 0x0F, 0] }
        return data
    }
}
