// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Testing
import Timekeeping

@testable import Phone

/// Statistics of visits, and CBOR of answers.
@Suite struct VisitValueTests {
    private static func row(_ count: Int) -> VisitStatistics.Row? {
        var statistics = VisitStatistics()
        for number in 1...count {
            statistics.take(.step(.services, sinceStart: .zero, took: .milliseconds(number)))
        }
        return statistics.rows.first
    }

    @Test func percentilesAreThereWhereTheNumberBearsThem() {
        let few = Self.row(9)
        #expect(few?.median == .milliseconds(5) && few?.minimum == .milliseconds(1) && few?.maximum == .milliseconds(9))
        #expect(few?.p90 == nil && few?.p99 == nil)
        #expect(Self.row(10)?.p90 == .milliseconds(9) && Self.row(99)?.p99 == nil)
        #expect(Self.row(100)?.p99 == .milliseconds(99) && Self.row(1)?.median == .milliseconds(1))
    }

    @Test func visitsAreCountedByTheirEnd() {
        var statistics = VisitStatistics()
        statistics.take(.ended(nil, sinceStart: .milliseconds(7)))
        statistics.take(.ended(VisitFailure(.silence, at: .token), sinceStart: .seconds(1)))
        #expect(statistics.doneCount == 1 && statistics.failedCount == 1)
        #expect(statistics.rows.map(\.step) == [nil] && statistics.rows.first?.maximum == .milliseconds(7))
        #expect(VisitStatistics().rows.isEmpty)
    }

    /// What the reader's encoder writes (RFC 8949, 4.2.1).
    @Test func valuesAreReadAsTheyWereWritten() throws {
        let value = CBORValue.map([
            .text("id"): .text("wa0y1YwS"), .text("links"): .map([.text("max"): .integer(3)]),
            .text("dBm"): .integer(-60), .text("large"): .integer(.max), .text("small"): .integer(.min),
            .text("list"): .array([.boolean(true), .boolean(false), .null, .octets([1, 2, 255])]),
        ])
        var octets: [UInt8] = []
        try value.encode(limit: 1000, into: &octets)
        #expect(try CBORValue(decoding: octets.span) == value)
        for count in 0..<octets.count {
            let cut = Array(octets.prefix(count))
            #expect(throws: CBORValue.DecodingFault()) { try CBORValue(decoding: cut.span) }
        }
        octets.append(0)
        #expect(throws: CBORValue.DecodingFault()) { try CBORValue(decoding: octets.span) }
    }

    /// Tags, floating point, indefinite lengths, a key twice, a count without elements, nesting, text that is none.
    @Test(arguments: [
        [0xC1, 0x00], [0xF9, 0x00, 0x00], [0x9F, 0x01, 0xFF], [0xA2, 0x01, 0x02, 0x01, 0x03],
        [0x9B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x1B, 0xFF, 0, 0, 0, 0, 0, 0, 0], [0x61, 0xFF],
        [UInt8](repeating: 0x81, count: 20) + [0x00], [0x1C], [0xF6, 0xF6],
    ])
    func otherItemsAreRefused(octets: [UInt8]) {
        #expect(throws: CBORValue.DecodingFault()) { try CBORValue(decoding: octets.span) }
    }
}
