// SPDX-License-Identifier: Apache-2.0

import Peripheral
import TestSupport

/// Packets of a controller, time, and a device that does what it may. In the end the controller comes to its senses,
/// and the host has to serve a phone. The first octet chooses the controller.
func fuzzHost(_ input: inout FuzzInput) {
    var rig = HostRig(extended: input.octet() & 1 == 0)
    rig.start()
    while let choice = input.next() {
        switch choice {
        case 0..<0x20: rig.pass(.microseconds(Int(choice) * 1000 + Int(input.octet()) * 4))
        case 0x20..<0x24: rig.passToDeadline()
        case 0x24..<0x28: rig.controller.isAnswering = choice & 1 == 0
        case 0x28: rig.transportLost()
        case 0x29: rig.start()
        case 0x2A..<0x30: rig.host.setAdvertising(enabled: choice & 1 == 0, at: rig.now)
        case 0x30..<0x60: rig.device(choice, &input)
        case 0x60..<0x70: rig.send(ControllerPacket.connected(choice & 7 | 0x40))
        case 0x70..<0x80: rig.send(ControllerPacket.terminated(choice & 7 | 0x40, set: input.octet()))
        case 0x80..<0x88: rig.send(ControllerPacket.disconnected(choice & 7 | 0x40))
        case 0x88..<0x90: rig.send(ControllerPacket.completed(choice & 7 | 0x40, input.octet()))
        case 0x90..<0xC0: rig.send(ControllerPacket.data(choice & 7 | 0x40, input.block()))
        case 0xC0..<0xD0: rig.send(ControllerPacket.data(choice & 7 | 0x40, input.block(), channel: input.octet()))
        default: rig.send(input.block())
        }
        rig.settle()
    }
    rig.recover()
}
