// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Octets
@testable import Peripheral
import Testing

/// Core 5.4, Vol 3, Part F, 3.3 and 3.4.
@Suite struct ATTRequestTests {
    private func parse(_ pdu: String) throws -> ATTRequest { try ATTRequest(octets(pdu).span) }

    static let range = HandleRange(first: 0x0102, last: 0x0304)
    static let uuid = BluetoothUUID(high: 0x5892_0001_0BB5_4F7D, low: 0xADA1_988C_7FEC_44E4)

    /// PDUs of one possible length each.
    static let fixed: [(String, ATTRequest)] = [
        ("02 0502", .exchangeMTU(client: 517)),
        ("04 0201 0403", .findInformation(range)),
        ("0a 0201", .read(0x0102)),
        ("0c 0201 0403", .readBlob(0x0102, offset: 0x0304)),
        ("18 01", .executeWrite(flags: 1)),
        ("1e", .confirmation),
    ]

    /// PDUs that end with a value, and the shortest length they may have.
    static let open: [(String, Int, ATTRequest)] = [
        ("06 0201 0403 0028 aabb", 7, .findByTypeValue(range, type: BluetoothUUID(0x2800), value: 7..<9)),
        ("12 0201 aabb", 3, .write(0x0102, value: 3..<5)),
        ("52 0201 aabb", 3, .writeCommand(0x0102, value: 3..<5)),
        ("16 0201 0403 aabb", 5, .prepareWrite(0x0102, offset: 0x0304, value: 5..<7)),
    ]

    @Test func fixedPDUs() throws {
        for (pdu, request) in ATTRequestTests.fixed {
            #expect(try parse(pdu) == request)
            let whole = octets(pdu)
            for count in 0..<whole.count {
                #expect(throws: OctetError.self) { try ATTRequest(Array(whole[..<count]).span) }
            }
            #expect(throws: OctetError.trailing(offset: whole.count, count: 1)) { try ATTRequest((whole + [0]).span) }
        }
    }

    @Test func openPDUs() throws {
        for (pdu, minimum, request) in ATTRequestTests.open {
            #expect(try parse(pdu) == request)
            let whole = octets(pdu)
            for count in 0..<minimum {
                #expect(throws: OctetError.self) { try ATTRequest(Array(whole[..<count]).span) }
            }
            for count in minimum..<whole.count { _ = try ATTRequest(Array(whole[..<count]).span) }
        }
    }

    @Test func typesHaveTwoOrSixteenOctets() throws {
        let long = "e444ec7f8c98a1ad7d4fb50b01009258"
        #expect(try parse("08 0201 0403 0328") == .readByType(ATTRequestTests.range, type: .characteristic))
        #expect(try parse("08 0201 0403" + long) == .readByType(ATTRequestTests.range, type: ATTRequestTests.uuid))
        #expect(try parse("10 0201 0403 0028") == .readByGroupType(ATTRequestTests.range, type: .primaryService))
        // The 128-bit form of a 16-bit UUID is the same UUID (Part F, 3.2.1).
        let based = "fb349b5f8000008000100000 00280000"
        #expect(try parse("10 0201 0403" + based) == .readByGroupType(ATTRequestTests.range, type: .primaryService))
        for count in 0...18 where count != 2 && count != 16 {
            for opcode in ["08", "10"] {
                #expect(throws: OctetError.self) { try parse(opcode + "0201 0403" + "00".times(count)) }
            }
        }
    }

    @Test func handleListsHaveTwoHandlesOrMore() throws {
        for (opcode, expected) in [
            ("0e", ATTRequest.readMultiple(handles: 1..<7)), ("20", .readMultipleVariable(handles: 1..<7)),
        ] {
            #expect(try parse(opcode + "0100 0200 0300") == expected)
            for list in ["", "01", "0100", "0100 02", "0100 0200 03"] {
                #expect(throws: OctetError.self) { try parse(opcode + list) }
            }
        }
    }

    @Test func everyOtherOpcodeIsUnsupportedOrIgnored() throws {
        let known: Set<UInt8> = [2, 4, 6, 8, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x1E, 0x20, 0x52]
        let answers: Set<UInt8> = [1, 3, 5, 7, 9, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x21, 0x23]
        for opcode: UInt8 in 0...255 where !known.contains(opcode) {
            let ignored = opcode & 0x40 != 0 || answers.contains(opcode)
            #expect(try ATTRequest([opcode, 1, 2, 3].span) == (ignored ? .ignored : .unsupported), "opcode \(opcode)")
        }
    }

    /// 3.4: each request is written as it is read; values and lists come from other octets.
    @Test func writing() throws {
        let others = [
            "08 0201 0403 0328", "08 0201 0403 e444ec7f8c98a1ad7d4fb50b01009258", "10 0201 0403 0028",
            "0e 0100 0200", "20 0100 0200 0300",
        ]
        for pdu in ATTRequestTests.fixed.map(\.0) + ATTRequestTests.open.map(\.0) + others {
            let source = octets(pdu)
            let request = try ATTRequest(source.span)
            var written: [UInt8] = []
            request.append(to: &written, source.span)
            #expect(written == source)
        }
        var none: [UInt8] = []
        ATTRequest.unsupported.append(to: &none)
        ATTRequest.ignored.append(to: &none)
        #expect(none.isEmpty)
    }
}
