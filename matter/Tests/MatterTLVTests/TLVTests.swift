// SPDX-License-Identifier: Apache-2.0

import Testing

import MatterTLV

struct TLVTests {
    @Test
    func aStatusResponse() throws {
        var writer = TLVWriter()
        writer.structure(as: .anonymous) { response in
            response.unsigned(0 as UInt8, as: 0)
            response.unsigned(12 as UInt8, as: 255)
        }
        #expect(writer.octets == [0x15, 0x24, 0x00, 0x00, 0x24, 0xFF, 0x0C, 0x18])
        let fields = try TLVElement(writer.octets).structure()
        #expect(try fields.required(0).unsigned(UInt8.self) == 0)
        #expect(try fields.required(255).unsigned(UInt8.self) == 12)
    }

    @Test
    func aCommandPath() throws {
        var writer = TLVWriter()
        writer.list(as: 0) { path in
            path.unsigned(0 as UInt8, as: 0)
            path.unsigned(0x3E as UInt8, as: 1)
            path.unsigned(6 as UInt8, as: 2)
        }
        #expect(writer.octets == [0x37, 0x00, 0x24, 0x00, 0x00, 0x24, 0x01, 0x3E, 0x24, 0x02, 0x06, 0x18])
        let path = try TLVElement(writer.octets)
        #expect(path.tag == 0)
        #expect(try path.list()[2]?.unsigned(UInt32.self) == 6)
    }

    @Test(
        arguments: [
            (0x7F, [0x00, 0x7F]), (-128, [0x00, 0x80]), (128, [0x01, 0x80, 0x00]), (-32_768, [0x01, 0x00, 0x80]),
            (32_768, [0x02, 0x00, 0x80, 0x00, 0x00]),
            (-2_147_483_649, [0x03, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF]),
        ] as [(Int64, [UInt8])])
    func signedNumbersHaveTheShortestWidth(value: Int64, octets: [UInt8]) throws {
        var writer = TLVWriter()
        writer.signed(value, as: .anonymous)
        #expect(writer.octets == octets)
        #expect(try TLVElement(octets).signed(Int64.self) == value)
    }

    @Test(
        arguments: [
            (0xFF, [0x04, 0xFF]), (0x100, [0x05, 0x00, 0x01]), (0x1_0000, [0x06, 0x00, 0x00, 0x01, 0x00]),
            (0x1_0000_0000, [0x07, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00]),
        ] as [(UInt64, [UInt8])])
    func unsignedNumbersHaveTheShortestWidth(value: UInt64, octets: [UInt8]) throws {
        var writer = TLVWriter()
        writer.unsigned(value, as: .anonymous)
        #expect(writer.octets == octets)
        #expect(try TLVElement(octets).unsigned(UInt64.self) == value)
    }

    @Test
    func aNumberOfAnyWidthIsReadIfItFits() throws {
        #expect(try TLVElement([0x06, 0x05, 0x00, 0x00, 0x00]).unsigned(UInt8.self) == 5)
        #expect(throws: TLVError.outOfRange(.anonymous)) { try TLVElement([0x05, 0x00, 0x01]).unsigned(UInt8.self) }
        #expect(throws: TLVError.wrongType(.anonymous)) { try TLVElement([0x00, 0x05]).unsigned(UInt8.self) }
    }

    @Test(
        arguments: [
            ([], .truncated(offset: 0)),
            ([0x15], .truncated(offset: 1)),
            ([0x15, 0x24, 0x00], .truncated(offset: 1)),
            ([0x15, 0x18, 0x00], .trailing(count: 1)),
            ([0x19], .unknownType(offset: 0)),
            ([0x18], .unexpectedEnd(offset: 0)),
            ([0x15, 0x38], .unexpectedEnd(offset: 1)),
            ([0x0C, 0x01, 0xFF], .invalidText(offset: 0)),
            ([0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .truncated(offset: 0)),
            ([0x15, 0x04, 0x00, 0x18], .misplacedTag(offset: 1)),
            ([0x16, 0x24, 0x00, 0x00, 0x18], .misplacedTag(offset: 1)),
        ] as [([UInt8], TLVError)])
    func damagedOctetsAreRefused(octets: [UInt8], error: TLVError) {
        #expect(throws: error) { try TLVElement(octets) }
    }

    @Test
    func nestingHasALimit() throws {
        let deep = TLVElement.deepestNesting
        _ = try TLVElement([UInt8](repeating: 0x16, count: deep) + [UInt8](repeating: 0x18, count: deep))
        #expect(throws: TLVError.tooDeep(offset: deep + 1)) {
            try TLVElement([UInt8](repeating: 0x16, count: deep + 1) + [UInt8](repeating: 0x18, count: deep + 1))
        }
    }

    @Test
    func aRepeatedTagIsRefused() throws {
        let element = try TLVElement([0x15, 0x24, 0x07, 0x00, 0x24, 0x07, 0x01, 0x18])
        #expect(throws: TLVError.duplicate(7)) { try element.structure() }
    }

    @Test
    func unknownMembersAreSkipped() throws {
        // A fully qualified tag, an array in an array, then context tag 1.
        let octets: [UInt8] = [
            0x15, 0xC4, 0xF1, 0xFF, 0x01, 0x00, 0x02, 0x00, 0x09, 0x36, 0x05, 0x16, 0x04, 0x01, 0x18, 0x18, 0x29, 0x01,
            0x18,
        ]
        let fields = try TLVElement(octets).structure()
        #expect(try fields.required(1).bool())
        #expect(throws: TLVError.missing(2)) { try fields.required(2) }
    }

    @Test
    func aCopyHasAnotherTag() throws {
        let element = try TLVElement([0x36, 0x05, 0x04, 0x01, 0x10, 0x02, 0xAA, 0xBB, 0x18])
        var writer = TLVWriter()
        writer.element(element, as: 2)
        #expect(writer.octets == [0x36, 0x02, 0x04, 0x01, 0x10, 0x02, 0xAA, 0xBB, 0x18])
        #expect(try Array(element.array().map(\.encoding)) == [[0x04, 0x01], [0x10, 0x02, 0xAA, 0xBB]])
    }

    @Test
    func aStringHasALimit() throws {
        let element = try TLVElement([0x10, 0x03, 0x01, 0x02, 0x03])
        #expect(try element.octets(exactly: 3) == [1, 2, 3])
        #expect(throws: TLVError.outOfRange(.anonymous)) { try element.octets(upTo: 2) }
        #expect(throws: TLVError.outOfRange(.anonymous)) { try element.octets(exactly: 4) }
    }
}
