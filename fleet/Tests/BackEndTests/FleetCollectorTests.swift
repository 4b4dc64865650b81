// SPDX-License-Identifier: Apache-2.0

import Crypto
import Fleet
import FoundationEssentials
import Reader
import TestSupport
import Testing

@testable import BackEnd

/// The back end's half of the delivery.
@Suite struct FleetCollectorTests {
    private static let device = "7761307931597753"
    private static let topic = "acc/v1/7761307931597753/up/ev"

    /// A collector of the demo site, with a database of its own.
    private final class Bench {
        let directory: TemporaryDirectory
        let collector: FleetCollector
        let database: FleetDatabase

        init() throws {
            directory = try TemporaryDirectory()
            database = try FleetDatabase(.file(directory.path + "/fleet.db"))
            var site = SiteFile(id: 1)
            let key = try ReaderIdentity.demo().terminalKey.publicKey
            site.readers = [
                SiteFile.Reader(
                    name: "demo", deviceID: "wa0y1YwS", terminalPublicKey: Data(key.der()).base64EncodedString(),
                    signatureKey: "")
            ]
            collector = try FleetCollector(FleetSite(site, path: "site.json"), database)
        }

        func receive(_ text: String, topic: String = FleetCollectorTests.topic) throws -> FleetCollector.Outcome {
            try collector.store(Array(text.utf8), topic: topic, at: 1_800_000_000)
        }
    }

    private static func log(_ octet: UInt8 = 7) throws -> LogID {
        try #require(LogID([UInt8](repeating: octet, count: 16)))
    }

    private static func event(_ number: UInt64) -> String { #"{"sequence":\#(number),"kind":"granted"}"# }

    private static func batch(
        _ range: ClosedRange<UInt64>, gap: ClosedRange<UInt64>? = nil, log: UInt8 = 7,
        device: String = FleetCollectorTests.device, chain: String = "",
        event: (UInt64) -> String = FleetCollectorTests.event
    ) throws -> String {
        let begin = gap.map { $0.upperBound + 1 } ?? range.lowerBound
        let batch = EventBatch(
            device: device, log: try FleetCollectorTests.log(log), first: range.lowerBound, last: range.upperBound,
            gap: gap, chain: chain, events: begin > range.upperBound ? [] : (begin...range.upperBound).map(event))
        var signature: [UInt8] = []
        let octets = EventBatch.signedOctets(batch.body)
        try ReaderIdentity.demo().terminalKey.sign(octets.span, into: &signature)
        return EventBatch.text(batch.body, signature: signature)
    }

    private static func stored(
        _ range: ClosedRange<UInt64>, lost: ClosedRange<UInt64>? = nil
    ) throws -> FleetCollector.Outcome {
        .stored(
            name: "demo", events: range.map(event), lost: lost,
            mark: DeliveryMark(log: try log(), upTo: range.upperBound))
    }

    private static func known(_ upTo: UInt64) throws -> FleetCollector.Outcome {
        .known(DeliveryMark(log: try log(), upTo: upTo))
    }

    @Test func metricsHaveTheStatesThatAreKnown() throws {
        let bench = try Bench()
        let labels = #"{device="7761307931597753",reader="demo""#
        let unknown = FleetMetric.text(try bench.database.readers())
        #expect(unknown.contains("\nreaderd_fleet_events_total\(labels)} 0\n"))
        #expect(!unknown.contains("readerd_fleet_link_up{") && !unknown.contains("readerd_fleet_door_open{"))

        _ = try bench.receive(FleetCollectorTests.batch(1...6, gap: 1...4))
        _ = try bench.receive("1", topic: "acc/v1/7761307931597753/up/online")
        _ = try bench.receive(
            #"{"lock":"LOCKED","open":true,"tampered":false,"sequence":9,"faults":["disk-failed","a\"b"]}"#,
            topic: "acc/v1/7761307931597753/up/state")
        _ = try bench.receive(
            #"{"installed_version":"0.1.0"}"#, topic: "acc/v1/7761307931597753/up/firmware")
        let lines = FleetMetric.text(try bench.database.readers()).split(separator: "\n").filter { $0.first != "#" }
        #expect(
            lines == [
                "readerd_fleet_link_up\(labels)} 1",
                "readerd_fleet_firmware_info\(labels),version=\"0.1.0\"} 1",
                "readerd_fleet_unlocked\(labels)} 0",
                "readerd_fleet_door_open\(labels)} 1",
                "readerd_fleet_tampered\(labels)} 0",
                "readerd_fleet_log_sequence\(labels)} 9",
                "readerd_fleet_stored_sequence\(labels)} 6",
                "readerd_fleet_events_total\(labels)} 2",
                "readerd_fleet_events_lost_total\(labels)} 4",
                "readerd_fleet_conflicts_total\(labels)} 0",
                "readerd_fleet_fault\(labels),code=\"disk-failed\"} 1",
            ])
    }

    @Test func eachEventIsStoredOnce() throws {
        let bench = try Bench()
        #expect(try bench.receive(FleetCollectorTests.batch(1...5)) == FleetCollectorTests.stored(1...5))
        // Again, out of order, overlapping: only what follows the mark is new.
        #expect(try bench.receive(FleetCollectorTests.batch(1...5)) == FleetCollectorTests.known(5))
        #expect(try bench.receive(FleetCollectorTests.batch(9...12)) == FleetCollectorTests.known(5))
        #expect(try bench.receive(FleetCollectorTests.batch(4...8)) == FleetCollectorTests.stored(6...8))
        #expect(try bench.receive(FleetCollectorTests.batch(2...6)) == FleetCollectorTests.known(8))
        let reader = try #require(bench.database.readers().first)
        #expect((reader.events, reader.lost) == (8, 0))
        // Another log begins anew.
        guard case .stored(_, let events, nil, _) = try bench.receive(FleetCollectorTests.batch(1...2, log: 8)) else {
            Issue.record("not stored")
            return
        }
        #expect(events.count == 2)
    }

    /// A log that was altered, or set back to an older copy, gives its numbers to other events.
    @Test func whatIsStoredWithOtherContentsIsAConflict() throws {
        let bench = try Bench()
        _ = try bench.receive(FleetCollectorTests.batch(1...5, chain: "aa"))
        let other = { (number: UInt64) in
            number == 4 ? #"{"sequence":4,"kind":"denied"}"# : FleetCollectorTests.event(number)
        }
        let mark = DeliveryMark(log: try FleetCollectorTests.log(), upTo: 5)
        #expect(
            try bench.receive(FleetCollectorTests.batch(3...8, event: other))
                == .conflict(name: "demo", sequence: 4, mark: mark))
        #expect(
            try bench.receive(FleetCollectorTests.batch(1...5, chain: "bb"))
                == .conflict(name: "demo", sequence: 5, mark: mark))
        // Nothing of them is stored, and each number counts once.
        _ = try bench.receive(FleetCollectorTests.batch(3...8, event: other))
        let reader = try #require(bench.database.readers().first)
        #expect((reader.events, reader.conflicts) == (5, 2))
        #expect(FleetMetric.text([reader]).contains("readerd_fleet_conflicts_total{device="))
        // A record that has been damaged since is none, nor is one that has left the log.
        let damaged = { (number: UInt64) in
            number == 2 ? #"{"sequence":2,"kind":"damaged","record":"00"}"# : FleetCollectorTests.event(number)
        }
        #expect(try bench.receive(FleetCollectorTests.batch(1...5, chain: "aa", event: damaged)) == .known(mark))
        #expect(
            try bench.receive(FleetCollectorTests.batch(1...6, gap: 1...5))
                == FleetCollectorTests.stored(6...6, lost: 1...5))
    }

    @Test func gapsAreCountedOnce() throws {
        let bench = try Bench()
        #expect(
            try bench.receive(FleetCollectorTests.batch(1...12, gap: 1...10))
                == FleetCollectorTests.stored(11...12, lost: 1...10))
        #expect(try bench.receive(FleetCollectorTests.batch(1...12, gap: 1...10)) == FleetCollectorTests.known(12))
        #expect(
            try bench.receive(FleetCollectorTests.batch(11...30, gap: 11...29))
                == FleetCollectorTests.stored(30...30, lost: 11...29))
        // Of the second gap 11 and 12 had arrived.
        #expect(try bench.database.readers().first?.lost == 10 + 17)
    }

    @Test func whatIsNotSignedByItsReaderIsRefused() throws {
        let bench = try Bench()
        let good = try FleetCollectorTests.batch(1...2)
        let broken = [
            good.replacing("granted", with: "denied!"), good.replacing(#""to":2"#, with: #""to":3"#),
            try FleetCollectorTests.batch(1...2, device: "6161616161616161"), "{}", "",
        ]
        for text in broken {
            guard case .refused = try bench.receive(text) else {
                Issue.record("taken: \(text)")
                continue
            }
        }
        guard case .refused(let reason) = try bench.receive(good, topic: "acc/v1/6161616161616161/up/ev") else {
            Issue.record("a reader of no site is taken")
            return
        }
        #expect(reason.contains("there is no such reader at this site"))
        #expect(try bench.database.readers().first?.events == 0)
    }

    @Test func presenceAndStateAreNoted() throws {
        let bench = try Bench()
        #expect(try bench.database.readers().first?.isOnline == nil)
        #expect(try bench.receive("1", topic: "acc/v1/7761307931597753/up/online") == .noted)
        #expect(try bench.receive(#"{"open":true}"#, topic: "acc/v1/7761307931597753/up/state") == .noted)
        let reader = try #require(bench.database.readers().first)
        #expect((reader.isOnline, reader.state) == (true, #"{"open":true}"#))
        #expect(try bench.receive("", topic: "acc/v1/7761307931597753/up/online") == .noted)
        #expect(try bench.database.readers().first?.isOnline == false)
    }

    @Test func theFirmwareIsNotedIfItsVersionCanBeShown() throws {
        let bench = try Bench()
        let topic = "acc/v1/7761307931597753/up/firmware"
        #expect(
            try bench.receive(#"{"installed_version":"0.1.0","latest_version":"0.2.0"}"#, topic: topic) == .noted)
        #expect(try bench.database.readers().first?.firmware == "0.1.0")
        for other in [
            "", "{}", #"{"installed_version":1}"#, #"{"installed_version":""}"#, #"{"installed_version":"\u001b[2J"}"#,
        ] {
            guard case .refused = try bench.receive(other, topic: topic) else {
                Issue.record("taken: \(other)")
                continue
            }
        }
        #expect(try bench.database.readers().first?.firmware == "0.1.0")
    }

    /// The look at a fleet reads one row for each reader, and none of its events.
    @Test func aLookCountsNothing() throws {
        let bench = try Bench()
        _ = try bench.receive(FleetCollectorTests.batch(1...12, gap: 1...10))
        let plan = try bench.database.engine.rows("EXPLAIN QUERY PLAN " + FleetDatabase.overview, []) { $0.text(3) }
        #expect(plan == ["SCAN reader"])
        let counted = try bench.database.engine.rows(
            "SELECT (SELECT count(*) FROM event), (SELECT sum(last - first + 1) FROM gap)", []
        ) { [$0.number(0), $0.number(1)] }
        let reader = try #require(bench.database.readers().first)
        #expect(counted == [[Int64(reader.events), Int64(reader.lost)]])
        #expect(reader.last == FleetCollectorTests.event(12))
    }

    /// The numbers of a database of an earlier collector are counted once.
    @Test func anEarlierDatabaseIsCountedOnce() throws {
        let bench = try Bench()
        _ = try bench.receive(FleetCollectorTests.batch(1...12, gap: 1...10))
        let expected = try bench.database.readers()
        for column in ["firmware", "last", "events", "lost", "conflicts"] {
            try bench.database.engine.execute("ALTER TABLE reader DROP COLUMN \(column)")
        }
        let place = DatabasePlace.file(bench.directory.path + "/fleet.db")
        #expect(throws: DatabaseFault.self) { try FleetDatabase(reading: place) }
        #expect(try FleetDatabase(place).readers() == expected)
        #expect(try FleetDatabase(reading: place).readers() == expected)
        #expect(try FleetDatabase(place).readers() == expected)
    }

    @Test func aDatabaseOfAnotherProgramIsRefused() throws {
        let directory = try TemporaryDirectory()
        try directory.write("other.db", "this is no database at all, but long enough to be looked at as one")
        #expect {
            try FleetDatabase(.file(directory.path + "/other.db"))
        } throws: {
            ($0 as? DatabaseFault)?.text == "damaged; is it a database of readerlab fleet?"
        }
    }
}
