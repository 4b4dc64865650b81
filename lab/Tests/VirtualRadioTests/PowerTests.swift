// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import VirtualRadio

/// LE Power Control: Core 5.4, Vol 6, Part B, 5.1.17 and 5.1.18; Vol 4, Part E, 7.8.118, 7.8.121, 7.7.65.33.
@Suite struct PowerTests {
    private static func profile(_ power: Int8 = 0) -> ControllerProfile {
        var profile = ControllerProfile.modern
        profile.powerControl = true
        profile.transmitPower = power
        return profile
    }

    private func linked(phone: ControllerProfile) -> Linked {
        let pair = Linked(reader: PowerTests.profile(), phone: phone)
        // The event, bit 32 of the mask.
        #expect(pair.reader.status(0x2001, [0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0]) == 0)
        return pair
    }

    @Test func theFeatureAndItsCommands() {
        let commands = Command.supportedCommands(of: PowerTests.profile())
        #expect(
            commands[44] == 0x98 && commands[39] == 0x03 && commands[45] == 0x01
                && Command.supportedCommands(of: .modern)[44] == 0)
        let pair = linked(phone: .modern)
        #expect(pair.reader.send(0x2003).suffix(8) == [0x2F, 0x50, 0, 0, 0x06, 0, 0, 0])
        #expect(pair.phone.status(0x2077, pair.phoneHandle.octets + [1]) == 0x01)
    }

    @Test func thePeersPowerIsRead() {
        let pair = linked(phone: PowerTests.profile(-12))
        let handle = pair.readerHandle.octets
        #expect(pair.reader.send(0x2077, handle + [1]) == [0x04, 0x0F, 0x04, 0x00, 0x01, 0x77, 0x20])
        #expect(pair.reader.remove(subevent: 0x21).isEmpty)
        pair.run(.milliseconds(200))
        #expect(
            pair.reader.remove(subevent: 0x21).map(\.packet) == [
                [0x04, 0x3E, 0x09, 0x21, 0x00] + handle + [0x02, 0x01, 0xF4, 0x00, 0x00]
            ])
        #expect(pair.violations == [])
    }

    /// 7.3.35, 7.8.117: the current power, and the maximum.
    @Test func theOwnPowerIsRead() {
        let pair = linked(phone: PowerTests.profile(-40))
        let handle = pair.phoneHandle.octets
        #expect(pair.phone.send(0x0C2D, handle + [0]).suffix(4) == [0x00] + handle + [0xE2])
        #expect(pair.phone.send(0x0C2D, handle + [1]).suffix(4) == [0x00] + handle + [0x14])
        #expect(pair.phone.send(0x2076, handle + [1]).suffix(6) == [0x00] + handle + [0x01, 0xD8, 0x14])
        #expect(pair.violations == [])
        #expect(pair.phone.send(0x2076, handle + [2]).suffix(6) == [0x11] + handle + [0, 0, 0])
        #expect(pair.phone.send(0x0C2D, [0xFF, 0x0E, 0]).suffix(4) == [0x02, 0xFF, 0x0E, 0])
    }

    /// 7.8.75, 7.8.76.
    @Test func thePathCompensation() {
        let pair = linked(phone: PowerTests.profile())
        #expect(pair.reader.send(0x204C).suffix(5) == [0x00, 0, 0, 0, 0])
        #expect(pair.reader.status(0x204D, [0x9C, 0xFF, 0x64, 0x00]) == 0)
        #expect(pair.reader.send(0x204C).suffix(5) == [0x00, 0x9C, 0xFF, 0x64, 0x00])
        #expect(pair.violations == [])
        #expect(pair.reader.status(0x204D, [0x01, 0x05, 0x00, 0x00]) == 0x12)
    }

    /// Unsupported Remote Feature: the peer does not know the request.
    @Test func aPeerWithoutPowerControl() {
        let pair = linked(phone: .modern)
        let handle = pair.readerHandle.octets
        #expect(pair.reader.status(0x2077, handle + [1]) == 0)
        pair.run(.milliseconds(200))
        #expect(
            pair.reader.remove(subevent: 0x21).map(\.packet) == [
                [0x04, 0x3E, 0x09, 0x21, 0x1A] + handle + [0x02, 0x01, 0x7F, 0x00, 0x00]
            ])
        pair.phone.controller.setTransmitPower(4)
        pair.run(.milliseconds(200))
        #expect(pair.reader.remove(subevent: 0x21).isEmpty && pair.violations == [])
    }

    /// The levels change with the power, and changes are reported to those who asked for them.
    @Test func changes() {
        let pair = linked(phone: PowerTests.profile())
        let handle = pair.readerHandle.octets
        pair.phone.controller.setTransmitPower(4)
        pair.run(.milliseconds(200))
        #expect(pair.reader.remove(subevent: 0x21).isEmpty)
        #expect(pair.reader.send(0x1405, handle).last == UInt8(bitPattern: -46))
        #expect(
            pair.reader.send(0x207A, handle + [0, 1]) == [0x04, 0x0E, 0x06, 0x01, 0x7A, 0x20, 0x00] + handle)
        pair.phone.controller.setTransmitPower(4)
        pair.phone.controller.setTransmitPower(-16)
        pair.run(.milliseconds(200))
        #expect(
            pair.reader.remove(subevent: 0x21).map(\.packet) == [
                [0x04, 0x3E, 0x09, 0x21, 0x00] + handle + [0x01, 0x01, 0xF0, 0x00, 0xEC]
            ])
        #expect(pair.reader.send(0x1405, handle).last == UInt8(bitPattern: -66))
        // The own power, once it is asked for.
        #expect(pair.reader.status(0x207A, handle + [1, 0]) == 0)
        pair.reader.controller.setTransmitPower(8)
        #expect(
            pair.reader.remove(subevent: 0x21).map(\.packet) == [
                [0x04, 0x3E, 0x09, 0x21, 0x00] + handle + [0x00, 0x01, 0x08, 0x00, 0x08]
            ])
        #expect(pair.violations == [])
    }

    @Test func violations() {
        let pair = linked(phone: PowerTests.profile())
        let handle = pair.readerHandle.octets
        #expect(pair.reader.status(0x2077, [0x99, 0x0E, 1]) == 0x02)
        #expect(pair.reader.status(0x2077, handle + [0]) == 0x12)
        #expect(pair.reader.status(0x2077, handle + [5]) == 0x12)
        #expect(pair.reader.status(0x2077, handle + [2]) == 0x11)
        #expect(pair.reader.status(0x2077, handle) == 0x12)
        #expect(pair.reader.status(0x2077, handle + [1]) == 0)
        #expect(pair.reader.status(0x2077, handle + [1]) == 0x0C)
        #expect(pair.reader.status(0x207A, handle + [0, 2]) == 0x12)
        #expect(pair.reader.status(0x207A, handle + [2, 0]) == 0x12)
        #expect(pair.reader.send(0x207A, [0x99, 0x0E, 0, 1]).suffix(3) == [0x02, 0x99, 0x0E])
        #expect(pair.reader.controller.violations.count == 9)
        let masked = Linked(reader: PowerTests.profile(), phone: PowerTests.profile())
        #expect(masked.reader.status(0x2077, masked.readerHandle.octets + [1]) == 0)
        #expect(masked.violations == ["a transmit power is read while its event is masked"])
    }
}
