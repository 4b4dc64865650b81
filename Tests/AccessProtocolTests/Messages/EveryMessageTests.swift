// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Protobuf
import Testing

@Suite("Every message: another implementation's octets, cut, spoilt and extended")
struct EveryMessageTests {
    private let samples: [MessageSample]

    init() throws {
        samples = try MessageSample.all()
    }

    /// The ranges of the fields of the message that `octets` are.
    private func fields(_ octets: [UInt8]) throws -> [(number: UInt32, range: Range<Int>)] {
        var reader = ProtobufReader(octets.span)
        var fields: [(UInt32, Range<Int>)] = []
        var start = 0
        while let tag = try reader.next(octets.span) {
            try reader.skip(octets.span, tag)
            fields.append((tag.field, start..<reader.position))
            start = reader.position
        }
        return fields
    }

    /// The error of decoding `octets` as `sample`'s kind, or nil.
    private func error(_ sample: MessageSample, _ octets: [UInt8]) -> ProtobufError? {
        thrown { () throws(ProtobufError) in _ = try sample.decode(octets) }
    }

    @Test("Each is written octet for octet, its count known before, and read back")
    func literal() throws {
        #expect(samples.count == 37)
        for sample in samples {
            let encoded = sample.encode(false)
            #expect(encoded.octets == sample.octets, "\(sample.name)")
            #expect(encoded.foretold == sample.octets.count, "\(sample.name)")
            #expect(try sample.decode(sample.octets), "\(sample.name)")
        }
    }

    @Test("After its length: octets behind it are an error, and so is a length that does not fit")
    func delimited() throws {
        for sample in samples {
            let encoded = sample.encode(true)
            #expect(encoded.octets.suffix(sample.octets.count) == sample.octets[...], "\(sample.name)")
            #expect(encoded.foretold == encoded.octets.count, "\(sample.name)")
            #expect(try sample.decodeDelimited(encoded.octets), "\(sample.name)")
            #expect(throws: ProtobufError.trailing(bytes: 2), "\(sample.name)") {
                try sample.decodeDelimited(encoded.octets + [0, 0])
            }
            #expect(throws: ProtobufError.truncated(offset: 0), "\(sample.name)") {
                try sample.decodeDelimited(Array(encoded.octets.dropLast()))
            }
        }
    }

    @Test("Cut at every length: an error, or between two fields and nothing required behind; never the whole")
    func truncated() throws {
        for sample in samples {
            let ends = try fields(sample.octets)
            var wrong: [Int] = []
            for length in 0..<sample.octets.count {
                let outcome = error(sample, Array(sample.octets[..<length]))
                let present = Set(ends.filter { $0.range.upperBound <= length }.map(\.number))
                let whole = length == 0 || ends.contains { $0.range.upperBound == length }
                let expected: Bool =
                    switch outcome {
                    case nil: whole && present.isSuperset(of: sample.required)
                    case .missingRequired(let field): whole && sample.required.contains(field)
                    case .truncated: !whole
                    default: false
                    }
                if !expected { wrong.append(length) }
            }
            #expect(wrong == [], "\(sample.name)")
        }
    }

    @Test("Without one field: an error for each required one, and for no other")
    func missing() throws {
        for sample in samples {
            let ends = try fields(sample.octets)
            #expect(Set(ends.map(\.number)).isSuperset(of: sample.required), "\(sample.name)")
            for (number, _) in ends {
                let rest = ends.filter { $0.number != number }.flatMap { sample.octets[$0.range] }
                let expected: ProtobufError? =
                    sample.required.contains(number) ? .missingRequired(field: number) : nil
                #expect(error(sample, rest) == expected, "\(sample.name) without \(number)")
            }
        }
    }

    @Test("Unknown fields of every wire type are passed over, before and after; groups and field 0 are not")
    func unknown() throws {
        // Field 1000: varint, fixed64, octets, fixed32.
        let strangers = [
            "c03e 8001", "c13e 0102030405060708", "c23e 03 616263", "c53e 01020304", "f8ffffff0f 00",
        ].map(octets)
        for sample in samples {
            for stranger in strangers {
                #expect(try sample.decode(stranger + sample.octets), "\(sample.name)")
                #expect(try sample.decode(sample.octets + stranger), "\(sample.name)")
                #expect(error(sample, sample.octets + stranger.dropLast()) != nil, "\(sample.name)")
            }
            let end = sample.octets.count
            #expect(error(sample, sample.octets + octets("c33e c43e")) == .unsupportedWireType(field: 1000))
            #expect(error(sample, sample.octets + octets("c63e")) == .unsupportedWireType(field: 1000))
            #expect(error(sample, sample.octets + [0]) == .invalidTag(offset: end))
            #expect(error(sample, sample.octets + octets("8080808010 00")) == .invalidTag(offset: end))
        }
    }

    @Test("A known field with another wire type is an error")
    func wireTypes() throws {
        for sample in samples {
            for number in Set(try fields(sample.octets).map(\.number)) {
                var octets = sample.octets
                ProtobufWriter.append(to: &octets) { writer in
                    writer.put(ProtobufTag(field: number, wireType: .fixed32))
                    for _ in 0..<4 { writer.put(octet: 0) }
                }
                #expect(error(sample, octets) == .wrongWireType(field: number), "\(sample.name).\(number)")
            }
        }
    }

    @Test("Of a field that comes twice the last counts")
    func twice() throws {
        let first = octets("08e70f100118012000280030")
        let twice = first + [0] + octets("08ee0f")
        let timestamp = try LocalTimestamp(decoding: twice.span)
        #expect(timestamp == LocalTimestamp(year: 2030, month: 1, date: 1, hours: 0, minutes: 0, seconds: 0))
    }

    @Test("100 000 seeded inputs, random and spoilt: an error or a message, never a trap")
    func random() throws {
        var numbers = SplitMix64(seed: 2)
        var accepted = 0
        for round in 0..<100_000 {
            let sample = samples[round % samples.count]
            var octets: [UInt8]
            if round % 4 == 0 {
                octets = (0..<Int.random(in: 0..<64, using: &numbers)).map { _ in
                    UInt8.random(in: .min ... .max, using: &numbers)
                }
            } else {
                octets = sample.octets
                for _ in 0..<Int.random(in: 1...3, using: &numbers) where !octets.isEmpty {
                    octets[Int.random(in: octets.indices, using: &numbers)] = UInt8.random(
                        in: .min ... .max, using: &numbers)
                }
            }
            if error(sample, octets) == nil { accepted += 1 }
        }
        // Both outcomes must occur; otherwise the inputs prove nothing.
        #expect((1000..<90_000).contains(accepted))
    }
}
