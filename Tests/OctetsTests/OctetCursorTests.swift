// SPDX-License-Identifier: Apache-2.0

import Octets
import Testing

@Suite struct OctetCursorTests {
    let octets: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0xFF]

    @Test func readsLittleEndianNumbers() throws {
        let bytes = octets.span
        var cursor = OctetCursor(bytes)
        #expect(try cursor.u8(bytes) == 0x01)
        #expect(try cursor.u16(bytes) == 0x0302)
        #expect(try cursor.u24(bytes) == 0x06_0504)
        #expect(try cursor.consume(2, of: bytes) == 6..<8)
        #expect(try cursor.i8(bytes) == -1)
        try cursor.finish()
    }

    @Test func readsWideAndBigEndianNumbers() throws {
        let bytes = octets.span
        var wide = OctetCursor(bytes)
        #expect(try wide.u64(bytes) == 0x0807_0605_0403_0201)
        var narrow = OctetCursor(bytes)
        #expect(try narrow.u32(bytes) == 0x0403_0201)
        #expect(try narrow.u16BigEndian(bytes) == 0x0506)
    }

    @Test func everyReadThrowsWhenOctetsAreMissing() {
        let short: [UInt8] = [0x01]
        let bytes = short.span
        #expect(throws: OctetError.truncated(offset: 0, needed: 1)) {
            var cursor = OctetCursor(short.span)
            return try cursor.u16(short.span)
        }
        var cursor = OctetCursor(bytes)
        #expect(throws: OctetError.self) { try cursor.consume(-1, of: short.span) }
        #expect(throws: OctetError.self) { try cursor.consume(.max, of: short.span) }
        #expect(cursor.position == 0)
    }

    @Test func trailingOctetsAreAnError() throws {
        let bytes = octets.span
        var cursor = OctetCursor(bytes)
        _ = try cursor.u64(bytes)
        #expect(throws: OctetError.trailing(offset: 8, count: 1)) { try cursor.finish() }
        #expect(cursor.rest() == 8..<9)
        try cursor.finish()
    }

    @Test func aRangeBeyondTheOctetsIsCut() throws {
        let bytes = octets.span
        var cursor = OctetCursor(bytes, in: 7..<100)
        #expect(cursor.remaining == 2)
        #expect(try cursor.u16(bytes) == 0xFF08)
        #expect(OctetCursor(bytes, in: 100..<200).remaining == 0)
    }

    @Test func fewerOctetsThanAtTheStartDoNotTrap() {
        var cursor = OctetCursor(octets.span)
        let fewer: [UInt8] = [0x01]
        #expect(throws: OctetError.self) { try cursor.u16(fewer.span) }
    }

    @Test func writesWhatItReads() throws {
        var written: [UInt8] = []
        written.append(littleEndian: UInt16(0x0102))
        written.append(littleEndian: UInt32(0x0304_0506))
        written.append(littleEndian: UInt64(0x0102_0304_0506_0708))
        written.append(littleEndian24: 0x01_0203)
        written.append(bigEndian: 0x0102)
        written.append(octets.span.extracting(0..<2))
        #expect(
            written == [
                0x02, 0x01, 0x06, 0x05, 0x04, 0x03, 0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, 0x03, 0x02, 0x01,
                0x01, 0x02, 0x01, 0x02,
            ])
    }
}
