// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf
import Testing
import Timekeeping

@testable import Phone

/// The reading of an event log in windows.
@Suite struct EventReadingTests {
    private static func event(_ number: UInt32) -> Event {
        // One a minute from 2026-11-22 00:00 on.
        let time = CivilTime(epochSeconds: 1_795_305_600 + Int64(number) * 60)
        return Event(sequenceId: number, eventTime: LocalTimestamp(time), eventId: .system, eventInfo: 1)
    }

    private static func status(_ newest: UInt32) -> ReaderAnswer {
        let settings = SystemSettings(
            blacklistMaxEntriesCount: 0, blacklistEntriesCount: 0, eventLogMaxEntriesCount: 100,
            eventLogEntriesCount: newest, eventLogSequenceId: newest, eventLogIndex: 0, systemLogMaxEntriesCount: 0,
            systemLogEntriesCount: 0, systemLogSequenceId: 0, systemLogIndex: 0, timeWasSet: true, isBatteryLow: false)
        return .status(
            SystemStatus(
                configId: .init(), deviceId: .init(), serialNumber: .init(), hardwareType: .wallReader,
                batteryLevel: .onPower, applicationVersion: 1,
                localTime: LocalTimestamp(CivilTime(year: 2026, month: 1, day: 1)),
                settings: settings))
    }

    /// A reader whose log has `kept`, and whose answers have `fit` events at most: what was read, and how often it was
    /// asked.
    private static func read(
        _ reading: EventReading, newest: UInt32, kept: ClosedRange<UInt32>? = nil, fit: Int = 40
    ) throws -> (numbers: [UInt32], requests: Int) {
        var reading = reading
        var requests = 0
        while let request = reading.request {
            requests += 1
            try #require(requests < 200)
            guard case .command(let command, let payload) = request else { break }
            if command == .status {
                reading.receive(status(newest))
                continue
            }
            #expect(command == .eventQuery)
            guard case .octets(let data) = payload else { break }
            let query = try EventLogQuery(decodingDelimited: data.span)
            guard case .sequenceId(let first) = query.start else { break }
            #expect(query.maxCount <= 40)
            let last = kept?.upperBound ?? newest
            let from = max(first, kept?.lowerBound ?? 1)
            let found = from <= last ? Array((from...last).prefix(min(fit, Int(query.maxCount)))) : []
            reading.receive(.events(found.map(event)))
        }
        return (reading.events.map(\.sequenceId), requests)
    }

    @Test func theNewestAreReadOldestFirst() throws {
        #expect(try Self.read(EventReading(last: 3), newest: 90) == ([88, 89, 90], 2))
        #expect(try Self.read(EventReading(last: 100), newest: 90).numbers == Array(1...90))
        #expect(try Self.read(EventReading(last: 50), newest: 90) == (Array(41...90), 3))
    }

    /// 1792 octets may hold fewer than 40.
    @Test func anAnswerThatHoldsFewIsGoneOnWith() throws {
        let read = try Self.read(EventReading(last: 50), newest: 90, fit: 7)
        #expect(read.numbers == Array(41...90))
    }

    @Test func nothingIsReadOfAnEmptyLogOrWhatIsGone() throws {
        #expect(try Self.read(EventReading(last: 5), newest: 0) == ([], 1))
        #expect(try Self.read(EventReading(last: 500), newest: 90, kept: 60...90).numbers == Array(60...90))
    }

    @Test func onlyWhatIsNotOlderIsRead() throws {
        let since = CivilTime(epochSeconds: 1_795_305_600 + 85 * 60)
        let read = try Self.read(EventReading(last: 1000, since: since), newest: 200)
        #expect(read.numbers == Array(85...200))
        #expect(read.requests <= 5)
        #expect(try Self.read(EventReading(last: 2, since: since), newest: 200).numbers == [199, 200])
    }

    /// A reader may answer anything.
    @Test func otherEventsThanAskedForDoNotKeepThePhoneAsking() {
        var reading = EventReading(last: 10)
        reading.receive(Self.status(.max))
        for _ in 0..<3 { reading.receive(.events([Self.event(1), Self.event(2)])) }
        #expect(reading.request == nil && reading.events.isEmpty)
        var other = EventReading(last: 10)
        other.receive(.done)
        #expect(other.request == nil)
        var high = EventReading(last: 10)
        high.receive(Self.status(.max))
        high.receive(.events([Self.event(.max)]))
        #expect(high.events.map(\.sequenceId) == [.max])
    }
}
