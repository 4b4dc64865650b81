// SPDX-License-Identifier: Apache-2.0

import EventStore
import Fleet
import Reader
import Testing
import Timekeeping

@testable import readerd

/// Whatever the events are, their batch fits into the length that is asked for, and each message of a link into the
/// least packet of a broker.
@Suite struct LinkBatchTests {
    private static let device = "7761307931597753"
    /// A signature of the greatest length.
    private static let signature = [UInt8](repeating: 0x30, count: 72)

    private static func slice(_ event: AuditEvent, count: Int) throws -> (LogSlice, LogID) {
        let log = [UInt8](repeating: 7, count: 16)
        let first = AuditQuery.lastSequence - 100
        let records = (0..<UInt64(count)).map { index in
            StoredRecord(
                sequence: first + index, kind: event.kind,
                octets: AuditRecord(sequence: first + index, event: event).octets,
                chain: ChainValue([UInt8](repeating: 9, count: 32)))
        }
        let slice = LogSlice(log: log, last: first + UInt64(count) - 1, first: 1, records: records)
        return (slice, try #require(LogID(log)))
    }

    private static func text(_ batch: EventBatch) -> String { EventBatch.text(batch.body, signature: signature) }

    /// Texts whose characters take six octets each in JSON, and numbers of the most digits.
    private static var longest: AuditEvent {
        let escape = String(repeating: "\u{1}", count: 64)
        let time = AuditTime(
            epochSeconds: 253_402_300_799, utcOffsetMinutes: -720, quality: .synchronised,
            uptimeMilliseconds: Int64.max)
        var event = AuditEvent(
            .clockStepRefused, at: time, info: .min, channel: .control, credential: escape, command: escape,
            actor: escape, detail: escape)
        (event.mark, event.link, event.mode, event.dBm) = (.max, .max, .accessIBeacon, -127)
        return event
    }

    @Test(arguments: [3936, 5000, 8032, 16_384]) func aBatchFits(limit: Int) throws {
        let time = AuditTime(epochSeconds: 1_800_000_000, utcOffsetMinutes: 60, quality: .system, uptimeMilliseconds: 9)
        for event in [Self.longest, AuditEvent(.start, at: time)] {
            let (slice, log) = try Self.slice(event, count: 50)
            let batch = try #require(EventBatch(slice, log, Self.device, limit: limit))
            #expect(batch.gap != nil, "with a gap, which is the longest")
            #expect((1...50).contains(batch.events.count))
            #expect(Self.text(batch).utf8.count <= limit)
            #expect(batch.events.count == 50 || Self.text(batch).utf8.count > limit - 2048, "and is not much shorter")
        }
    }

    /// A record that somebody has altered, of any length.
    @Test func aDamagedRecordIsCut() throws {
        let (slice, log) = try Self.slice(Self.longest, count: 1)
        var damaged = slice
        let record = try #require(slice.records.first)
        damaged.records = [
            StoredRecord(
                sequence: record.sequence, kind: .start, octets: [UInt8](repeating: 0xFF, count: 100_000), chain: nil)
        ]
        let batch = try #require(EventBatch(damaged, log, Self.device, limit: 3936))
        #expect(Self.text(batch).utf8.count <= 3936)
        #expect(batch.events.first?.contains(#""kind":"damaged""#) == true)
    }

    /// The names that leave by MQTT are those of the tables in docs/operate/events.md.
    @Test func namesAreOfTheTables() {
        #expect(AuditTime.Quality.allCases.map(\.name) == ["unset", "system", "synchronised", "phone"])
        let kinds = HomeAssistant.kinds.compactMap(AuditKind.init(name:)).map(\.name)
        #expect(kinds == HomeAssistant.kinds)
    }

    /// The state with every fault at once, and every desired version.
    @Test func aStateFits() {
        let faults = FaultCode.allCases.map { $0.rawValue.utf8.count + 3 }.reduce(0, +)
        #expect(faults + 700 <= FleetLimits.leastPacket - FleetLimits.packetOverhead)
    }
}
