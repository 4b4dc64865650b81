// SPDX-License-Identifier: Apache-2.0

import Protobuf
import Testing

@Suite("Reading the wire format")
struct ProtobufReaderTests {
    private func varint(_ octets: [UInt8]) throws(ProtobufError) -> (value: UInt64, position: Int) {
        var reader = ProtobufReader(octets.span)
        let value = try reader.varint(octets.span)
        return (value, reader.position)
    }

    private static let most = [UInt8](repeating: 0xFF, count: 9) + [0x01]

    @Test("Numbers of one to ten octets, each cut at every length")
    func varints() throws {
        let numbers: [(octets: [UInt8], value: UInt64)] = [
            ([0x00], 0), ([0x01], 1), ([0x7F], 127), ([0x80, 0x01], 128), ([0xAC, 0x02], 300),
            ([0xFF, 0xFF, 0xFF, 0xFF, 0x0F], 0xFFFF_FFFF), (ProtobufReaderTests.most, .max),
            // More octets than needed: the sender may have reserved room.
            ([0x80, 0x00], 0), ([0x81, 0x80, 0x80, 0x00], 1),
            ([UInt8](repeating: 0x80, count: 9) + [0x00], 0),
        ]
        for (octets, value) in numbers {
            let read = try varint(octets + [0xFF])
            #expect(read.value == value)
            #expect(read.position == octets.count)
            for length in octets.indices {
                #expect(throws: ProtobufError.truncated(offset: 0)) { try varint(Array(octets[..<length])) }
            }
        }
    }

    @Test("Numbers of eleven octets, and with bits beyond 64, are malformed")
    func malformedVarints() {
        let tooLong = [UInt8](repeating: 0x80, count: 10) + [0x00]
        for last in [0x02, 0x03, 0x7F, 0x81] as [UInt8] {
            let octets = [UInt8](repeating: 0xFF, count: 9) + [last]
            #expect(throws: ProtobufError.malformedVarint(offset: 0)) { try varint(octets) }
        }
        #expect(throws: ProtobufError.malformedVarint(offset: 0)) { try varint(tooLong) }
    }

    private func tag(_ octets: [UInt8]) throws(ProtobufError) -> ProtobufTag? {
        var reader = ProtobufReader(octets.span)
        return try reader.next(octets.span)
    }

    @Test("Tags: every wire type, the smallest and the largest field; none at the end")
    func tags() throws {
        #expect(try tag([]) == nil)
        #expect(try tag([0x08]) == ProtobufTag(field: 1, wireType: .varint))
        #expect(try tag([0x09]) == ProtobufTag(field: 1, wireType: .fixed64))
        #expect(try tag([0x0A]) == ProtobufTag(field: 1, wireType: .lengthDelimited))
        #expect(try tag([0x0D]) == ProtobufTag(field: 1, wireType: .fixed32))
        #expect(
            try tag([0xF8, 0xFF, 0xFF, 0xFF, 0x0F]) == ProtobufTag(field: ProtobufTag.maxField, wireType: .varint))
        for code in [0x0B, 0x0C, 0x0E, 0x0F] as [UInt8] {
            #expect(throws: ProtobufError.unsupportedWireType(field: 1)) { try tag([code]) }
        }
        for octets in [[0x00], [0x05], [0x80, 0x80, 0x80, 0x80, 0x10], ProtobufReaderTests.most] as [[UInt8]] {
            #expect(throws: ProtobufError.invalidTag(offset: 0)) { try tag(octets) }
        }
        #expect(throws: ProtobufError.truncated(offset: 0)) { try tag([0x88]) }
    }

    @Test(
        "Values are passed over by their wire type, and cut ones are not",
        arguments: [
            (ProtobufTag.WireType.varint, [0x80, 0x80, 0x01] as [UInt8]),
            (.fixed64, [1, 2, 3, 4, 5, 6, 7, 8]), (.fixed32, [1, 2, 3, 4]), (.lengthDelimited, [0x02, 0xFF, 0xFF]),
            (.lengthDelimited, [0x00]),
        ])
    func skipping(wireType: ProtobufTag.WireType, octets: [UInt8]) throws {
        let tag = ProtobufTag(field: 9, wireType: wireType)
        let longer = octets + [0xEE]
        var reader = ProtobufReader(longer.span)
        try reader.skip(longer.span, tag)
        #expect(reader.position == octets.count)
        for length in octets.indices {
            let cut = Array(octets[..<length])
            #expect(throws: ProtobufError.self) {
                var reader = ProtobufReader(cut.span)
                try reader.skip(cut.span, tag)
            }
        }
    }

    private func delimited(_ octets: [UInt8]) throws(ProtobufError) -> Range<Int> {
        var reader = ProtobufReader(octets.span)
        return try reader.delimited(octets.span)
    }

    @Test("Lengths beyond the end, beyond Int and at the end")
    func lengths() throws {
        #expect(try delimited([0x02, 7, 8, 9]) == 1..<3)
        #expect(try delimited([0x00]) == 1..<1)
        for octets in [
            [0x04, 7, 8, 9], [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], ProtobufReaderTests.most,
            [UInt8](repeating: 0xFF, count: 8) + [0x7F], [],
        ] as [[UInt8]] {
            #expect(throws: ProtobufError.truncated(offset: 0)) { try delimited(octets) }
        }
    }

    @Test("A reader of a range sees nothing behind it, and no range makes it trap")
    func ranges() throws {
        let octets: [UInt8] = [0x08, 0x96, 0x01, 0x10, 0x05]
        for range in [0..<2, 0..<1] {
            #expect(throws: ProtobufError.truncated(offset: 1)) {
                var reader = ProtobufReader(octets.span, in: range)
                let tag = try #require(try reader.next(octets.span))
                _ = try UInt32(reading: &reader, octets.span, tag)
            }
        }
        for range in [-5..<2, 5..<9, 7..<9, -9 ..< -4, 2..<100] {
            var reader = ProtobufReader(octets.span, in: range)
            while let tag = try? reader.next(octets.span), (try? reader.skip(octets.span, tag)) != nil {}
            #expect((0...octets.count).contains(reader.position))
            #expect(reader.position <= reader.end)
        }
        // Fewer octets than at the start.
        let shorter: [UInt8] = [0x08]
        var reader = ProtobufReader(octets.span)
        let tag = try #require(try reader.next(shorter.span))
        #expect(throws: ProtobufError.truncated(offset: 1)) { try UInt32(reading: &reader, shorter.span, tag) }
    }

    @Test("A uint32 is not cut, an int32 is, and a bool is any number but 0")
    func scalars() throws {
        func read<Value: ProtobufValue>(
            _: Value.Type, _ octets: [UInt8], _ wireType: ProtobufTag.WireType = .varint
        ) throws(ProtobufError) -> Value {
            var reader = ProtobufReader(octets.span)
            return try Value(reading: &reader, octets.span, ProtobufTag(field: 4, wireType: wireType))
        }
        let largest: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0x0F]
        let beyond: [UInt8] = [0x80, 0x80, 0x80, 0x80, 0x10]
        #expect(try read(UInt32.self, largest) == .max)
        #expect(throws: ProtobufError.outOfRange(field: 4)) { try read(UInt32.self, beyond) }
        for octets in [largest, ProtobufReaderTests.most] { #expect(try read(Int32.self, octets) == -1) }
        for octets in [[2], beyond, ProtobufReaderTests.most] as [[UInt8]] { #expect(try read(Bool.self, octets)) }
        #expect(throws: ProtobufError.wrongWireType(field: 4)) { try read(Bool.self, [0], .fixed32) }
        #expect(throws: ProtobufError.wrongWireType(field: 4)) { try read(BoundedBytes<4>.self, [0]) }
    }

    @Test("Repeated numbers: packed, single, mixed, none, cut, too many, too large")
    func repeated() throws {
        func read(_ octets: [UInt8], limit: Int = 4) throws(ProtobufError) -> [UInt32] {
            var values: [UInt32] = []
            var reader = ProtobufReader(octets.span)
            while let tag = try reader.next(octets.span) {
                try reader.numbers(octets.span, tag, into: &values, limit: limit)
            }
            return values
        }
        #expect(try read([0x08, 1, 0x0A, 3, 2, 0xAC, 0x02, 0x0A, 0, 0x08, 4]) == [1, 2, 300, 4])
        #expect(throws: ProtobufError.tooMany(field: 1)) { try read([0x0A, 5, 1, 2, 3, 4, 5]) }
        #expect(throws: ProtobufError.tooMany(field: 1)) { try read([0x08, 1, 0x08, 2], limit: 1) }
        #expect(throws: ProtobufError.truncated(offset: 3)) { try read([0x0A, 2, 1, 0x80, 0x01]) }
        #expect(throws: ProtobufError.outOfRange(field: 1)) { try read([0x0A, 5, 0x80, 0x80, 0x80, 0x80, 0x10]) }
        #expect(throws: ProtobufError.wrongWireType(field: 1)) { try read([0x0D, 0, 0, 0, 0]) }
    }

    @Test("A fault is described in words, not as a Swift value")
    func descriptions() {
        let faults: [ProtobufError] = [
            .truncated(offset: 3), .malformedVarint(offset: 3), .invalidTag(offset: 3), .unsupportedWireType(field: 4),
            .wrongWireType(field: 4), .outOfRange(field: 4), .missingRequired(field: 4), .tooLong(field: 4),
            .wrongLength(field: 4), .tooMany(field: 4), .trailing(bytes: 2),
        ]
        #expect(faults.allSatisfy { !"\($0)".contains("(") })
        #expect("\(ProtobufError.missingRequired(field: 4))" == "field 4 is missing")
    }
}
