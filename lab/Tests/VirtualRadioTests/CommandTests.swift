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
        #expect(modern[15] == 0x22 && modern[25] == 0xF7 && modern[26] == 0xFF && modern[27] == 0xFF)
        #expect(
            modern[10] == 0x04 && modern[28] == 0x7F && modern[33] == 0xF0 && modern[34] == 0x01 && modern[35] == 0x08)
        #expect(modern[36] == 0xFE && modern[37] == 0xE3)
        let legacy = Command.supportedCommands(of: .legacy)
        #expect(legacy[36] == 0 && legacy[37] == 0 && legacy[33] == 0 && legacy[15] == 0x22)
        #expect(Command.supportedCommands(of: .minimal)[15] == 0x02)
        #expect(Set(Command.rows.map(\.command)).count == Command.allCases.count)
    }

    /// The commands that each LE controller with all states has, and those of each feature, with their bits (3.1, Table
    /// 3.1; 6.27).
    private static let mandatory: [(feature: Int?, opcode: UInt16, octet: Int, bit: Int)] = [
        (nil, 0x0406, 0, 5), (nil, 0x041D, 2, 7), (nil, 0x0C01, 5, 6), (nil, 0x0C03, 5, 7), (nil, 0x0C2D, 10, 2),
        (nil, 0x1001, 14, 3), (nil, 0x1003, 14, 5), (nil, 0x1009, 15, 1), (nil, 0x1405, 15, 5), (nil, 0x2001, 25, 0),
        (nil, 0x2002, 25, 1), (nil, 0x2003, 25, 2), (nil, 0x2005, 25, 4), (nil, 0x2006, 25, 5), (nil, 0x2007, 25, 6),
        (nil, 0x2008, 25, 7), (nil, 0x2009, 26, 0), (nil, 0x200A, 26, 1), (nil, 0x200B, 26, 2), (nil, 0x200C, 26, 3),
        (nil, 0x200D, 26, 4), (nil, 0x200E, 26, 5), (nil, 0x200F, 26, 6), (nil, 0x2010, 26, 7), (nil, 0x2011, 27, 0),
        (nil, 0x2012, 27, 1), (nil, 0x2013, 27, 2), (nil, 0x2014, 27, 3), (nil, 0x2015, 27, 4), (nil, 0x2016, 27, 5),
        (nil, 0x201C, 28, 3), (nil, 0x201D, 28, 4), (nil, 0x201E, 28, 5), (nil, 0x201F, 28, 6),
        // LE Encryption, Connection Parameters Request, LE Data Packet Length Extension.
        (0, 0x2017, 27, 6), (0, 0x2018, 27, 7), (0, 0x2019, 28, 0), (0, 0x201A, 28, 1), (0, 0x201B, 28, 2),
        (1, 0x2020, 33, 4), (1, 0x2021, 33, 5),
        (5, 0x2022, 33, 6), (5, 0x2023, 33, 7), (5, 0x2024, 34, 0), (5, 0x202F, 35, 3),
        // LE Extended Advertising.
        (12, 0x2035, 36, 1), (12, 0x2036, 36, 2), (12, 0x2037, 36, 3), (12, 0x2038, 36, 4), (12, 0x2039, 36, 5),
        (12, 0x203A, 36, 6), (12, 0x203B, 36, 7), (12, 0x203C, 37, 0), (12, 0x203D, 37, 1), (12, 0x2041, 37, 5),
        (12, 0x2042, 37, 6), (12, 0x2043, 37, 7),
        // LE Power Control Request.
        (33, 0x204C, 39, 0), (33, 0x204D, 39, 1), (33, 0x2076, 44, 3), (33, 0x2077, 44, 4), (33, 0x207A, 44, 7),
        (33, 0x207B, 45, 0),
    ]
    /// The features whose commands are in the table, and those without commands: Extended Reject Indication,
    /// Peripheral-initiated Features Exchange, Channel Selection Algorithm #2, Power Control Request's second bit.
    private static let knownFeatures: Set<Int> = [0, 1, 2, 3, 5, 12, 14, 33, 34]

    private static let powerful: ControllerProfile = {
        var profile = ControllerProfile.modern
        profile.powerControl = true
        return profile
    }()

    /// 3.1, Table 3.1: what a controller says of itself has its commands, each with its bit and an answer.
    @Test(arguments: [ControllerProfile.modern, .legacy, powerful])
    func mandatoryCommands(_ profile: ControllerProfile) {
        let host = RawHost(air, profile, address: 1)
        let commands = Array(host.send(0x1002).dropFirst(7))
        let features = host.send(0x2003).dropFirst(7).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        #expect((0..<64).allSatisfy { features >> UInt64($0) & 1 == 0 || CommandTests.knownFeatures.contains($0) })
        var expected = [UInt8](repeating: 0, count: 64)
        for (feature, opcode, octet, bit) in CommandTests.mandatory {
            if let feature, features >> UInt64(feature) & 1 == 0 { continue }
            expected[octet] |= 1 << bit
            #expect(commands[octet] >> bit & 1 == 1, "0x\(String(opcode, radix: 16))")
        }
        // Read Buffer Size is for controllers that share their buffers.
        expected[14] |= 0x80
        #expect(commands == expected)
    }

    /// 6.27: each command whose bit is set is answered, by the event that is its answer, and none with Unknown HCI
    /// Command.
    @Test(arguments: [ControllerProfile.modern, .legacy, .minimal, powerful])
    func commandsOfTheBitmapAreAnswered(_ profile: ControllerProfile) {
        for row in Command.rows where row.command.isSupported(by: profile) {
            let host = RawHost(air, profile, address: 1)
            let answer = host.send(
                row.command.rawValue, [UInt8](repeating: 0, count: row.parameterCount ?? 0))
            #expect(answer.count >= 7 && answer[1] == (row.command.answersWithStatus ? 0x0F : 0x0E), "\(row.command)")
            #expect(answer.count < 7 || answer[row.command.answersWithStatus ? 3 : 6] != 0x01, "\(row.command)")
        }
    }

    /// 4.5: the strict controller answers a command that it does not implement with Command Status 0x01.
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
        profile.admitsDualModeHosts = true
        profile.resolvingListSize = 1
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
