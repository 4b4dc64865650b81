// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import GATTDevice
import Peripheral
import Testing

@testable import DevicePrograms
@testable import readerlab

/// The options of `readerlab emulate gatt`.
@Suite struct EmulateGATTCommandTests {
    private func parse(_ options: String...) throws -> EmulateGATTCommand {
        try EmulateGATTCommand.parse(["--table", "a.json", "--hci", "hci-socket:0"] + options)
    }

    private func settings(_ options: String...) throws -> EmulationSettings {
        let command = try EmulateGATTCommand.parse(["--table", "a.json", "--hci", "hci-socket:0"] + options)
        var settings = EmulationSettings()
        try command.pairing.apply(to: &settings)
        return settings
    }

    @Test func withoutOptionsItPairsJustWorks() throws {
        let policy = try #require(try settings().pairing)
        #expect(policy.ioCapability == .noInputNoOutput)
        #expect(policy.secureConnections == .preferred)
        #expect(policy.keepsBonds)
        #expect(!policy.requestsAuthentication)
        #expect(policy.minimumKeySize == 16)
        #expect(try settings("--no-pairing").pairing == nil)
    }

    @Test func pairingOptionsBecomeThePolicy() throws {
        let cases: [(String, IOCapability)] = [
            ("none", .noInputNoOutput), ("display-only", .displayOnly), ("display-yes-no", .displayYesNo),
            ("keyboard-only", .keyboardOnly), ("keyboard-display", .keyboardDisplay),
        ]
        for (word, capability) in cases {
            #expect(try settings("--io", word).pairing?.ioCapability == capability)
        }
        #expect(try settings("--security-policy", "sc-only").pairing?.secureConnections == .only)
        #expect(try settings("--security-policy", "legacy").pairing?.secureConnections == .never)
        #expect(try settings("--mitm").pairing?.requestsAuthentication == true)
        #expect(try settings("--no-bonding").pairing?.keepsBonds == false)
        #expect(try settings("--privacy").isPrivate)
        #expect(try settings().isPrivate == false)
        #expect(try settings("--pairing-window", "60").pairingWindow == .seconds(60))
    }

    @Test func answersAreYesNoAndSixDigits() throws {
        #expect(try settings().answers == .init())
        #expect(try settings("--answer", "no").answers == .init(comparison: false))
        #expect(try settings("--answer", "yes", "--answer", "000042").answers == .init(comparison: true, passkey: 42))
        for wrong in ["maybe", "12345", "1234567", "12345a", "+12345", ""] {
            #expect(throws: (any Error).self, "\(wrong)") { try settings("--answer", wrong) }
        }
        #expect(throws: (any Error).self) { try settings("--answer", "yes", "--answer", "no") }
        #expect(throws: (any Error).self) { try settings("--answer", "111111", "--answer", "222222") }
    }

    @Test func optionsThatContradictEachOtherAreRefused() {
        #expect(throws: (any Error).self) { try parse("--no-pairing", "--mitm") }
        #expect(throws: (any Error).self) { try parse("--no-bonding", "--bonds", "x") }
        #expect(throws: (any Error).self) { try parse("--pairing-window", "0") }
        #expect(throws: (any Error).self) { try parse("--table", "b.json", "--name", "x") }
        #expect(throws: (any Error).self) { try parse("--links", "65") }
        #expect(throws: (any Error).self) { try parse("--links", "0") }
    }

    @Test func devicesOfCapturesFollowThoseOfTables() throws {
        let command = try parse("--from", "x.log", "--from", "y.xml")
        #expect(command.source.captures == ["x.log", "y.xml"] && command.source.count == 3)
        #expect(try parse("--from", "x.log", "--peer", "12:34:56:78:9A:BC").source.peer == "12:34:56:78:9A:BC")
        #expect(throws: (any Error).self) { try parse("--from", "x.log", "--name", "x") }
        #expect(throws: (any Error).self) { try parse("--write", "x.json") }
        #expect(throws: (any Error).self) { try parse("--from", "x.log", "--from", "y.log", "--write", "x.json") }
        #expect(throws: (any Error).self) { try parse("--from", "x.log", "--peer", "12:34") }
    }

    @Test func severalTablesKeepTheirOrder() throws {
        #expect(try parse("--table", "b.json", "--table", "c.json").source.tables == ["a.json", "b.json", "c.json"])
    }

    @Test func echoChannelsAreNumbersOfTheDevicesChoice() throws {
        #expect(try parse("--echo-channel", "0x0080", "--echo-channel", "255").echoChannels() == [0x80, 0xFF])
        for wrong in ["0x7F", "0x100", "0x", "-128", "80h", "127"] {
            #expect(throws: (any Error).self, "\(wrong)") { try parse("--echo-channel", wrong) }
        }
    }

    @Test func addressesAreRandomStatic() throws {
        #expect(try parse("--address", "C1:22:33:44:55:66").radio.address == "C1:22:33:44:55:66")
        let value = try #require(EmulationAddress.parse("ff:00:00:00:00:01"))
        #expect(value == BluetoothAddress(kind: .random, value: 0xFF00_0000_0001))
        // Not random static addresses: other high bits, all zeros, all ones (Core 5.4, Vol 6, Part B, 1.3.2.1).
        for wrong in [
            "00:22:33:44:55:66", "7F:22:33:44:55:66", "C0:00:00:00:00:00", "FF:FF:FF:FF:FF:FF", "C1:22:33:44:55",
            "C1:22:33:44:55:66:77", "C1:22:33:44:55:6g", "C122334455:66", "",
        ] { #expect(EmulationAddress.parse(wrong) == nil, "\(wrong)") }
    }

    @Test func devicesHaveAddressesInARow() throws {
        let first = try #require(EmulationAddress.parse("C1:22:33:44:55:FF"))
        #expect(EmulationAddress.next(after: first, 0) == first)
        #expect(EmulationAddress.next(after: first, 1).description == "C1:22:33:44:56:00")
        // The last one is followed by the first permitted one.
        let last = try #require(EmulationAddress.parse("FF:FF:FF:FF:FF:FE"))
        #expect(EmulationAddress.next(after: last, 1).description == "C0:00:00:00:00:01")
    }
}
