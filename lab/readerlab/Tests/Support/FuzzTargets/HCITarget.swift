// SPDX-License-Identifier: Apache-2.0

import Peripheral
import TestSupport

/// A controller whose events are whole and whose contents are anything: answers of any length and content to the
/// commands of bring-up, advertising and links, and events with few handles, so that they meet. In the end the
/// controller comes to its senses, and the host has to serve a phone. The first octet chooses the controller.
func fuzzHCI(_ input: inout FuzzInput) {
    var rig = HostRig(extended: input.octet() & 1 == 0)
    while let choice = input.next() {
        switch choice {
        case 0..<0x08: rig.start()
        case 0x08: rig.transportLost()
        case 0x09: rig.host.setAdvertising(enabled: input.octet() & 1 == 0, at: rig.now)
        case 0x10..<0x18: rig.passToDeadline()
        case 0x18..<0x20: rig.pass(.milliseconds(1 << Int(choice & 7) * 2))
        case 0x20..<0x30: rig.controller.unsound.append(.returned(input.block()))
        case 0x30..<0x38: rig.controller.unsound.append(.status(input.octet()))
        case 0x38..<0x40: rig.controller.unsound.append(.cut(Int(choice & 7) + 1))
        case 0x40..<0x50: rig.controller.unsound.append(.changed(at: Int(input.octet()), by: input.octet()))
        case 0x50..<0x58: rig.controller.unsound.append(.silence)
        case 0x58..<0x60: rig.controller.unsound.append(contentsOf: repeatElement(.changed(at: 0, by: 0), count: 4))
        case 0x60..<0x80: rig.device(choice, &input)
        case 0x80..<0x90: rig.send(ControllerPacket.event(codes[Int(choice & 0x0F) % codes.count], input.block()))
        case 0x90..<0xB0: rig.send(ControllerPacket.event(0x3E, [choice & 0x1F] + input.block()))
        case 0xB0..<0xC0: rig.send(ControllerPacket.meta(choice & 0x0F, &input))
        case 0xC0..<0xD0:
            let opcode = opcodes[input.number(below: opcodes.count)]
            let returned = input.block()
            rig.send(ControllerPacket.event(0x0E, [1, UInt8(opcode & 0xFF), UInt8(opcode >> 8)] + returned))
        case 0xD0..<0xD8: rig.send(ControllerPacket.connected(choice & 7 | 0x40))
        case 0xD8..<0xE0: rig.send(ControllerPacket.terminated(choice & 7 | 0x40, set: input.octet() & 3))
        case 0xE0..<0xE8: rig.send(ControllerPacket.disconnected(choice & 7 | 0x40))
        case 0xE8..<0xF0: rig.send(ControllerPacket.data(choice & 7 | 0x40, input.block()))
        default: rig.send(input.block())
        }
        rig.settle()
    }
    rig.recover()
}

/// Events that the host knows, and two that it does not (Core 5.4, Vol 4, Part E, 7.7).
private let codes: [UInt8] = [0x05, 0x08, 0x0E, 0x0F, 0x10, 0x13, 0x1A, 0x30, 0x0C, 0x57, 0xFF]

/// Commands that the host sends, and one that it does not: 0.
private let opcodes: [UInt16] = [
    0x0406, 0x0C01, 0x0C03, 0x1001, 0x1002, 0x1005, 0x1009, 0x1405, 0x2001, 0x2002, 0x2003, 0x2005, 0x2006, 0x2008,
    0x2009, 0x200A, 0x2013, 0x201A, 0x201B, 0x2022, 0x2024, 0x2035, 0x2036, 0x2037, 0x2038, 0x2039, 0x203B, 0x203C,
    0x203D, 0x0000, 0x2077, 0x207A,
]

extension ControllerPacket {
    /// A whole event.
    static func event(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] {
        let parameters = parameters.prefix(255)
        return [0x04, code, UInt8(parameters.count)] + parameters
    }

    /// A whole LE event of its right length, about one of a few handles.
    static func meta(_ choice: UInt8, _ input: inout FuzzInput) -> [UInt8] {
        let kinds: [(code: UInt8, handleAt: Int, count: Int)] = [
            (0x01, 1, 18), (0x03, 1, 9), (0x05, 0, 12), (0x06, 0, 10), (0x07, 0, 10), (0x0A, 1, 30), (0x0C, 1, 5),
            (0x12, 2, 5), (0x29, 1, 33), (0x21, 1, 8),
        ]
        let kind = kinds[Int(choice) % kinds.count]
        var parameters = input.consume(kind.count)
        parameters += repeatElement(0, count: kind.count - parameters.count)
        parameters[kind.handleAt] = parameters[kind.handleAt] & 7 | 0x40
        parameters[kind.handleAt + 1] = 0
        return event(0x3E, [kind.code] + parameters)
    }
}
