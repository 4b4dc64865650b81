// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import OSDP

private func command(_ code: UInt8, _ data: [UInt8]) throws(OSDPFault) -> OSDPCommand {
    try OSDPCommand(code: code, data.span)
}

private func reply(_ code: UInt8, _ data: [UInt8]) throws(OSDPFault) -> OSDPReply {
    try OSDPReply(code: code, data.span)
}

/// OSDP 2.2, chapters 6 and 7: the fields of commands and replies.
struct OSDPMessageTests {
    /// Commands, with their octets from the code on.
    static let commands: [(OSDPCommand, String)] = [
        (.poll, "60"), (.identify, "61 00"), (.capabilities, "62 00"), (.localStatus, "64"), (.inputStatus, "65"),
        (.outputStatus, "66"), (.readerStatus, "67"),
        (
            .outputs([
                OSDPOutputOrder(output: 0, control: .timedOn, tenths: 300), OSDPOutputOrder(output: 1, control: .off),
            ]), "68 00 05 2C 01 01 01 00 00"
        ),
        (
            .lights([
                OSDPLightOrder(
                    temporary: .start,
                    temporaryBlinking: .init(onTenths: 2, offTenths: 3, onColor: .green, offColor: .red),
                    temporaryTenths: 258, setsPermanent: true, permanentBlinking: .init(onColor: .amber))
            ]), "69 00 00 02 02 03 02 01 02 01 01 01 00 03 00"
        ),
        (
            .buzzers([
                OSDPBuzzerOrder(tone: .usual, onTenths: 5, offTenths: 1, count: 3),
                OSDPBuzzerOrder(tone: .off, onTenths: 0, offTenths: 0, count: 0),
            ]), "6A 00 02 05 01 03 00 01 00 00 00"
        ),
        (
            .text(OSDPTextOrder(control: .temporary, seconds: 9, row: 1, column: 2, text: Array("Hi".utf8))),
            "6B 00 03 09 01 02 02 48 69"
        ),
        (.setLine(OSDPLine(address: 0, speed: 9600)), "6E 00 80 25 00 00"),
        (.setKey(OSDPKey(taking: Array(1...16))), "75 01 10 0102030405060708090A0B0C0D0E0F10"),
        (.challenge(Array(0xB0...0xB7)), "76 B0B1B2B3B4B5B6B7"),
        (.serverCryptogram(Array(0x20...0x2F)), "77 202122232425262728292A2B2C2D2E2F"),
        (.receiveSize(1024), "7B 00 04"),
        (
            .file(OSDPFileFragment(type: 1, total: 0x0102_0304, offset: 5, data: [7, 8])),
            "7C 01 04030201 05000000 0200 0708"
        ),
        (.manufacturer(OSDPManufacturerData(vendor: [1, 2, 3], data: [4])), "80 010203 04"),
        (.extendedWrite(mode: 1, [2, 3]), "A1 01 02 03"), (.abort, "A2"), (.keepActive(500), "A7 F4 01"),
        (.other(.readBiometric, [0, 1, 2, 3]), "73 00 01 02 03"), (.other(.matchBiometric, [0, 1]), "74 00 01"),
        (.other(.pivData, [0x5F, 0xC1, 2, 0, 0]), "A3 5FC102 00 00"), (.other(.generalAuthenticate, [1]), "A4 01"),
        (.other(.challengeAuthenticate, []), "A5"),
    ]

    static let replies: [(OSDPReply, String)] = [
        (.acknowledged, "40"), (.refused(.sequence, details: [7]), "41 04 07"),
        (
            .identity(
                OSDPIdentity(vendor: [1, 2, 3], model: 4, version: 5, serial: 0x0D0C_0B0A, firmware: [6, 7, 8])),
            "45 010203 04 05 0A0B0C0D 060708"
        ),
        (
            .capabilities([
                OSDPCapability(.contactStatus, compliance: 1, count: 2),
                OSDPCapability(.version, compliance: 2, count: 0),
            ]), "46 01 01 02 10 02 00"
        ),
        (.localStatus(isTampered: true, hasPowerFailure: false), "48 01 00"),
        (.inputStatus([.active, .inactive, .short, .open, .fault, .unknown]), "49 01 00 02 03 04 05"),
        (.outputStatus([false, true]), "4A 00 01"),
        (.readerStatus([2]), "4B 02"),
        (.card(OSDPCardData(format: 1, bitCount: 26, octets: [0x88, 0x89, 0x33, 0xC0])), "50 00 01 1A00 888933C0"),
        (.keypad(reader: 0, [0x31, 0x0D]), "53 00 02 31 0D"),
        (.line(OSDPLine(address: 9, speed: 115_200)), "54 09 00 C2 01 00"),
        (
            .clientCryptogram(
                identifier: Array(0...7), random: Array(0xA0...0xA7), cryptogram: [UInt8](repeating: 9, count: 16)),
            "76 0001020304050607 A0A1A2A3A4A5A6A7 09090909090909090909090909090909"
        ),
        (.initialMAC(Array(0x10...0x1F)), "78 101112131415161718191A1B1C1D1E1F"), (.busy, "79"),
        (.fileStatus(OSDPFileStatus(.unknownContents, maximum: 128)), "7A 01 0000 FEFF 8000"),
        (.manufacturer(OSDPManufacturerData(vendor: [1, 2, 3], data: [])), "90 010203"),
        (.other(.formattedCard, [0, 0, 2, 0x31, 0x32]), "51 00 00 02 3132"), (.other(.biometric, [0, 0]), "57 00 00"),
        (.other(.biometricMatch, [0, 0, 9]), "58 00 00 09"), (.other(.extendedIdentity, [1]), "59 01"),
        (.other(.pivData, [1]), "80 01"), (.other(.generalAuthenticate, []), "81"),
        (.other(.challengeAuthenticate, [1]), "82 01"), (.other(.manufacturerStatus, [2]), "83 02"),
        (.other(.manufacturerError, [3]), "84 03"), (.other(.extendedRead, [1, 1]), "B1 01 01"),
    ]

    @Test func commandsAreWrittenAndRead() throws {
        #expect(Set(OSDPMessageTests.commands.map(\.0.code)).count == OSDPCommand.Code.allCases.count)
        for (value, text) in OSDPMessageTests.commands {
            let expected = octets(text)
            #expect([value.code.rawValue] + value.data == expected)
            #expect(try command(value.code.rawValue, value.data) == value)
        }
    }

    @Test func repliesAreWrittenAndRead() throws {
        #expect(Set(OSDPMessageTests.replies.map(\.0.code)).count == OSDPReply.Code.allCases.count)
        for (value, text) in OSDPMessageTests.replies {
            let expected = octets(text)
            #expect([value.code.rawValue] + value.data == expected)
            #expect(try reply(value.code.rawValue, value.data) == value)
        }
    }

    /// Every shortening, and an octet too many, are refused or are another message of the same code.
    @Test func lengths() {
        for (value, _) in OSDPMessageTests.commands {
            let code = value.code.rawValue
            for count in 0..<value.data.count {
                let data = Array(value.data[..<count])
                let read = try? command(code, data)
                // The octet that some panels leave out.
                let isShort = count == 0 && (value == .identify || value == .capabilities)
                #expect(read == nil || read?.data == data || isShort, "\(value) cut to \(count)")
            }
            let longer = value.data + [0]
            let read = try? command(code, longer)
            #expect(read == nil || read?.data == longer, "\(value) with an octet more")
        }
        #expect(throws: OSDPFault.size(0x60)) { try command(0x60, [0]) }
        #expect(throws: OSDPFault.size(0x68)) { try command(0x68, []) }
        #expect(throws: OSDPFault.code(0x6C)) { try command(0x6C, []) }
        #expect(throws: OSDPFault.code(0x52)) { try reply(0x52, []) }
    }

    @Test(arguments: [
        (UInt8(0x61), "01"), (0x62, "02"), (0x68, "00 07 00 00"), (0x69, "00 00 03 02 03 02 01 02 01 01 01 00 03 00"),
        (0x69, "00 00 02 02 03 08 01 02 01 01 01 00 03 00"), (0x6A, "00 03 05 01 03"), (0x6B, "00 05 09 01 02 01 48"),
        // A control character is no text.
        (0x6B, "00 03 09 01 02 01 1B"), (0x75, "00 10 0102030405060708090A0B0C0D0E0F10"), (0x75, "01 0F 01"),
    ])
    func valuesWithoutAMeaning(_ code: UInt8, _ data: String) {
        #expect(throws: OSDPFault.value(code)) { try command(code, octets(data)) }
    }
}
