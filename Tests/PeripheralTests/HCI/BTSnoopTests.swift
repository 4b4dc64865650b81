// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Testing

/// The capture format, octet for octet.
@Suite struct BTSnoopTests {
    static let header: [UInt8] = [
        0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00, 0, 0, 0, 1, 0, 0, 0x03, 0xEA,
    ]
    /// HCI_Reset, sent at 2026-11-21 12:00:00.000001 UTC.
    static let reset: [UInt8] = [
        0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 0, 0x00, 0xE3, 0x3E, 0x7B, 0x28, 0xD0, 0xF0, 0x01,
        0x01, 0x03, 0x0C, 0x00,
    ]

    private func read(_ file: [UInt8]) throws -> [BTSnoopRecord] {
        var reader = try BTSnoopReader(file.span)
        var records: [BTSnoopRecord] = []
        while let record = try reader.next(file.span) { records.append(record) }
        return records
    }

    private func record(_ packet: [UInt8], _ direction: BTSnoop.Direction, _ time: Int64 = 0) -> [UInt8] {
        var octets: [UInt8] = []
        BTSnoop.appendRecord(packet.span, direction, microseconds: time, to: &octets)
        return octets
    }

    @Test func headerIsVersion1WithH4() {
        var octets: [UInt8] = []
        BTSnoop.appendFileHeader(to: &octets)
        #expect(octets == BTSnoopTests.header)
    }

    @Test func recordOfACommand() {
        #expect(record([0x01, 0x03, 0x0C, 0x00], .sent, 1_795_262_400_000_001) == BTSnoopTests.reset)
    }

    @Test func flagsSayDirectionAndWhetherItIsData() {
        #expect(record([0x01, 0x03, 0x0C, 0x00], .sent)[8..<12] == [0, 0, 0, 2])
        #expect(record([0x04, 0x10, 0x01, 0x00], .received)[8..<12] == [0, 0, 0, 3])
        #expect(record([0x02, 0x40, 0x00, 0x00, 0x00], .sent)[8..<12] == [0, 0, 0, 0])
        #expect(record([0x02, 0x40, 0x00, 0x00, 0x00], .received)[8..<12] == [0, 0, 0, 1])
        #expect(record([], .sent)[8..<12] == [0, 0, 0, 0])
    }

    @Test func timeBeginsIn1970AndMayBeBefore() {
        #expect(record([0x04], .received, 0)[16..<24] == [0x00, 0xDC, 0xDD, 0xB3, 0x0F, 0x2F, 0x80, 0x00])
        #expect(record([0x04], .received, -1)[16..<24] == [0x00, 0xDC, 0xDD, 0xB3, 0x0F, 0x2F, 0x7F, 0xFF])
    }

    @Test func whatIsWrittenIsRead() throws {
        let event = record([0x04, 0x10, 0x01, 0x2A], .received, 7)
        let file = BTSnoopTests.header + BTSnoopTests.reset + event
        let records = try read(file)
        #expect(records.map(\.direction) == [.sent, .received])
        #expect(records.map(\.microseconds) == [1_795_262_400_000_001, 7])
        #expect(records.map(\.originalCount) == [4, 4])
        #expect(records.map { Array(file[$0.packet]) } == [[0x01, 0x03, 0x0C, 0x00], [0x04, 0x10, 0x01, 0x2A]])
    }

    @Test func captureWithoutRecordsIsEmpty() throws {
        #expect(try read(BTSnoopTests.header) == [])
    }

    @Test func cutAtEveryOctet() {
        let whole = BTSnoopTests.header + BTSnoopTests.reset
        for count in 0..<16 {
            #expect(throws: BTSnoopError.notACapture) { try read(Array(whole.prefix(count))) }
        }
        for count in 17..<whole.count {
            #expect(throws: BTSnoopError.truncated(offset: 16)) { try read(Array(whole.prefix(count))) }
        }
        #expect(throws: BTSnoopError.truncated(offset: 44)) { try read(whole + [0]) }
    }

    @Test func otherFilesAreRefused() {
        for position in 0..<8 {
            var file = BTSnoopTests.header
            file[position] ^= 0x20
            #expect(throws: BTSnoopError.notACapture) { try read(file) }
        }
        var file = BTSnoopTests.header
        file[11] = 2
        #expect(throws: BTSnoopError.version(2)) { try read(file) }
        file[11] = 1
        file[15] = 0xE9
        #expect(throws: BTSnoopError.datalink(1001)) { try read(file) }
    }

    @Test func lengthsThatNoPacketHas() {
        // Included 0, included above original, and original above the longest packet.
        for (original, included) in [
            ([0, 0, 0, 4], [0, 0, 0, 0]), ([0, 0, 0, 3], [0, 0, 0, 4]), ([0, 1, 0, 5], [0, 0, 0, 4]),
        ] {
            var record = BTSnoopTests.reset
            record.replaceSubrange(0..<8, with: (original + included).map { UInt8($0) })
            #expect(throws: BTSnoopError.length(offset: 16)) { try read(BTSnoopTests.header + record) }
        }
    }

    @Test func packetCutByACaptureLimitIsKept() throws {
        var record = BTSnoopTests.reset
        record[3] = 0x20
        #expect(try read(BTSnoopTests.header + record).map(\.originalCount) == [32])
    }

    @Test func otherFlagsAndDropsArePassedOver() throws {
        var record = BTSnoopTests.reset
        record.replaceSubrange(8..<16, with: [0xFF, 0xFF, 0xFF, 0xFD, 0, 0, 0, 9])
        #expect(try read(BTSnoopTests.header + record).map(\.direction) == [.received])
    }
}
