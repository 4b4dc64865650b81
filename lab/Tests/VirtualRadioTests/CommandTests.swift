// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Testing

@testable import VirtualRadio

/// Core 5.4, Vol 4, Part E, 4 and 7.4: behaviour common to all commands, and the controller's description of itself.
@Suite struct CommandTests {
    let air = Air(seed: 1)

    @Test func informationIsAnsweredToTheOctet() {
        let host = RawHost(air, address: readerAddress)
        #expect(host.send(0x0C03) == [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00])
        #expect(
            host.send(0x1001)
                == [0x04, 0x0E, 0x0C, 0x01, 0x01, 0x10, 0x00, 0x0D, 0x00, 0x00, 0x0D, 0xFF, 0xFF, 0x01, 0x00])
        #expect(
            host.send(0x1003) == [0x04, 0x0E, 0x0C, 0x01, 0x03, 0x10, 0x00, 0, 0, 0, 0, 0x60, 0, 0, 0])
        #expect(
            host.send(0x1009)
                == [0x04, 0x0E, 0x0A, 0x01, 0x09, 0x10, 0x00, 0xF6, 0xE5, 0xD4, 0xC3, 0xB2, 0xA1])
        #expect(host.send(0x2002) == [0x04, 0x0E, 0x07, 0x01, 0x02, 0x20, 0x00, 0xFB, 0x00, 0x0C])
        #expect(
            host.send(0x2003) == [0x04, 0x0E, 0x0C, 0x01, 0x03, 0x20, 0x00, 0x2F, 0x50, 0, 0, 0, 0, 0, 0])
        #expect(
            host.send(0x202F)
                == [0x04, 0x0E, 0x0C, 0x01, 0x2F, 0x20, 0x00, 0xFB, 0x00, 0x48, 0x08, 0xFB, 0x00, 0x48, 0x08])
        #expect(host.send(0x203A) == [0x04, 0x0E, 0x06, 0x01, 0x3A, 0x20, 0x00, 0x1F, 0x00])
        #expect(host.send(0x203B) == [0x04, 0x0E, 0x05, 0x01, 0x3B, 0x20, 0x00, 0x08])
        #expect(host.controller.violations.isEmpty)
    }

    /// 7.8.2: an LE buffer length of 0 makes the host use Read Buffer Size.
    @Test func sharedBuffers() {
        let host = RawHost(air, .minimal, address: 1)
        #expect(host.send(0x2002) == [0x04, 0x0E, 0x07, 0x01, 0x02, 0x20, 0x00, 0x00, 0x00, 0x00])
        #expect(
            host.send(0x1005)
                == [0x04, 0x0E, 0x0B, 0x01, 0x05, 0x10, 0x00, 0x1B, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00])
    }

    /// 6.27: every supported command has its bit, and every command with its bit is implemented.
    @Test func supportedCommands() {
        let modern = Command.supportedCommands(of: .modern)
        #expect(modern.count == 64)
        #expect(modern[0] == 0x20 && modern[2] == 0x80 && modern[5] == 0xC0 && modern[14] == 0xA8)
        #expect(modern[15] == 0x22 && modern[25] == 0xF7 && modern[26] == 0xFF && modern[27] == 0xA7)
        #expect(modern[28] == 0x0F && modern[33] == 0xF0 && modern[34] == 0x01 && modern[35] == 0x08)
        #expect(modern[36] == 0xFE && modern[37] == 0xE3)
        let legacy = Command.supportedCommands(of: .legacy)
        #expect(legacy[36] == 0 && legacy[37] == 0 && legacy[33] == 0 && legacy[15] == 0x22)
        #expect(Command.supportedCommands(of: .minimal)[15] == 0x02)
        #expect(Set(Command.rows.map(\.command)).count == Command.allCases.count)
    }

    /// 4.5: a command that the controller does not implement is answered with Command Status 0x01.
    @Test func unknownCommands() {
        let host = RawHost(air, .legacy, address: 1)
        #expect(host.send(0xFC01) == [0x04, 0x0F, 0x04, 0x01, 0x01, 0x01, 0xFC])
        #expect(host.send(0x2036, setParameters(0)) == [0x04, 0x0F, 0x04, 0x01, 0x01, 0x36, 0x20])
        #expect(host.controller.violations == ["command 0xFC01 is not supported", "command 0x2036 is not supported"])
        let minimal = RawHost(air, .minimal, address: 2)
        #expect(minimal.status(0x1405, [0x40, 0x00]) == 0x01)
    }

    /// Every command of fixed length refuses one octet more and one less, without any effect.
    @Test func wrongLengths() {
        var profile = ControllerProfile.modern
        profile.powerControl = true
        for row in Command.rows {
            guard let count = row.parameterCount else { continue }
            for wrong in [count - 1, count + 1] where wrong >= 0 {
                let host = RawHost(air, profile, address: 1)
                #expect(host.status(row.command.rawValue, [UInt8](repeating: 1, count: wrong)) == 0x12, "\(row)")
                #expect(host.controller.violations.count == 1)
            }
        }
    }

    /// The commands of variable length, truncated at every length and with one octet too many.
    @Test(
        arguments: [
            (0x2037, [0, 3, 1, 3, 1, 2, 3]), (0x2038, [0, 3, 1, 3, 1, 2, 3]), (0x2039, [1, 1, 0, 0, 0, 0]),
            (0x2041, [0, 0, 1, 1, 0x10, 0, 0x10, 0]),
            (0x2043, [0, 0, 0, 1, 2, 3, 4, 5, 6, 1, 0x10, 0, 0x10, 0, 24, 0, 24, 0, 0, 0, 100, 0, 0, 0, 0, 0]),
        ] as [(UInt16, [UInt8])])
    func variableLengths(opcode: UInt16, parameters: [UInt8]) {
        for count in 0...parameters.count + 1 {
            let host = RawHost(air, address: 1)
            host.send(0x2036, setParameters(0, ownAddressType: 0))
            let octets = Array((parameters + [0]).prefix(count))
            #expect(host.status(opcode, octets) == (count == parameters.count ? 0x00 : 0x12), "\(count)")
        }
    }

    /// 3.1.1: once a host has used legacy or extended commands, those of the other kind are disallowed until a reset.
    @Test func legacyAndExtendedDoNotMix() {
        for first in Command.allCases {
            guard let family = first.advertisingFamily else { continue }
            for second in Command.allCases where second.advertisingFamily != nil {
                let host = RawHost(air, address: 1)
                host.send(first.rawValue)
                let before = host.controller.violations.count
                let mixes = second.advertisingFamily != family
                let status = host.status(second.rawValue)
                if mixes { #expect(status == 0x0C, "\(first) \(second)") }
                let mixed = host.controller.violations.dropFirst(before).contains { $0.hasSuffix("are mixed") }
                #expect(mixed == mixes, "\(first) \(second)")
            }
        }
        let host = RawHost(air, address: 1)
        #expect(host.status(0x203A) == 0)
        #expect(host.status(0x200A, [0]) == 0x0C)
        #expect(host.status(0x0C03) == 0)
        #expect(host.status(0x200A, [0]) == 0)
    }

    /// 4.4: with Num_HCI_Command_Packets 1 the next command waits for the answer; Reset need not wait.
    @Test func oneCommandAtATime() {
        let controller = air.addController(.modern, address: BluetoothAddress(kind: .public, value: 1))
        controller.receive(([0x01, 0x09, 0x10, 0x00] as [UInt8]).span)
        controller.receive(([0x01, 0x03, 0x0C, 0x00] as [UInt8]).span)
        #expect(controller.violations.isEmpty)
        controller.receive(([0x01, 0x09, 0x10, 0x00] as [UInt8]).span)
        #expect(controller.violations == ["command 0x1009 before the answer to the one before"])
        var packet: [UInt8] = []
        while controller.popPacket(into: &packet) {}
        controller.receive(([0x01, 0x09, 0x10, 0x00] as [UInt8]).span)
        #expect(controller.violations.count == 1)
    }

    @Test func packetsThatAreNone() {
        let controller = air.addController(.modern, address: BluetoothAddress(kind: .public, value: 1))
        let packets: [[UInt8]] = [
            [], [0x01], [0x01, 0x03, 0x0C], [0x01, 0x03, 0x0C, 0x01], [0x04, 0x0E, 0x00], [0x02, 0x40],
        ]
        for packet in packets { controller.receive(packet.span) }
        #expect(controller.violations.count == 6)
        #expect(!controller.hasPackets)
    }

    @Test func aHungControllerAndABrokenOne() {
        let host = RawHost.ready(air, address: 1)
        host.controller.answersCommands = false
        #expect(host.send(0x1009) == [])
        host.controller.answersCommands = true
        host.controller.failHardware(code: 0x42)
        host.pump()
        #expect(host.inbox.map(\.packet) == [[0x04, 0x10, 0x01, 0x42]])
    }

    /// 7.8.23, and numbers derived from the seed.
    @Test func randomNumbersComeFromTheSeed() {
        let draw = { (seed: UInt64) in RawHost(Air(seed: seed), address: 1).send(0x2018) }
        #expect(draw(7).count == 15)
        #expect(draw(7) == draw(7))
        #expect(draw(7) != draw(8))
    }
}
