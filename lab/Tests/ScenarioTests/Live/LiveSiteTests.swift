// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Testing
import Timekeeping
import VirtualRadio

@testable import Scenario

/// A scenario at controllers behind transports: played here at virtual ones, on virtual time.
@Suite struct LiveSiteTests {
    /// Plays a scenario; the levels that the site orders are those of the air.
    private func run(_ scenario: SiteScenario, obeying: Bool = true) throws -> (run: SiteRun, receptions: [Reception]) {
        let site = try LiveSite(scenario, seed: 1)
        let air = Air(seed: 1)
        let controllers = site.names.indices.map { party in
            air.addController(.modern, address: BluetoothAddress(kind: .public, value: 0xC0_0000_0001 + UInt64(party)))
        }
        let readers = site.names.count - site.phoneCount
        var receptions: [Reception] = []
        var now = Instant.origin
        site.advance(to: now)
        while site.run == nil {
            while let reception = site.nextReception() {
                receptions.append(reception)
                guard obeying else { continue }
                let (reader, phone) = (controllers[reception.reader], controllers[readers + reception.phone])
                for (from, to) in [(reader, phone), (phone, reader)] {
                    air.setRSSI(from: from, to: to, dBm: reception.dBm)
                    air.setLoss(from: from, to: to, share: Double(reception.lossPercent) / 100)
                }
            }
            var moves = false
            for (party, controller) in controllers.enumerated() {
                let hasMoved = controller.exchange(
                    pop: { packet in
                        guard let next = site.nextPacket(of: party) else { return false }
                        packet = next
                        return true
                    },
                    receive: { site.receive($0.withUnsafeBufferPointer(Array.init), for: party) })
                moves = moves || hasMoved
            }
            if !moves {
                now = try #require(Instant.earlier(air.nextDeadline, site.nextDeadline))
                air.advance(to: now)
            }
            site.advance(to: now)
        }
        return (try #require(site.run), receptions)
    }

    private func library(_ name: String) throws -> SiteScenario {
        try SiteScenario(json: Array(try #require(ScenarioLibrary.entry(name)).json.utf8))
    }

    /// Scenarios without fading, which both airs play alike: phones, the door's inputs, an operator, and faults.
    @Test(arguments: [
        "two-at-once", "full-pool", "revoked", "power-cut", "dead-controller", "lost-clock", "forced", "fire",
        "interference", "tampered", "visitor",
    ])
    func itGivesWhatTheVirtualSiteGives(_ name: String) throws {
        let scenario = try library(name)
        let (live, virtual) = (try run(scenario).run, try SiteRun(scenario, seed: 1))
        #expect(live.failures == [] && live.broken == [])
        #expect(live.phones.map(\.result) == virtual.phones.map(\.result))
        #expect(live.phones.map(\.status) == virtual.phones.map(\.status))
        #expect(live.openings == virtual.openings)
    }

    /// Distances are the model's means, a step each 100 ms, and walls are in them.
    @Test func placesBecomeLevels() throws {
        let receptions = try run(library("next-room")).receptions
        let office = receptions.filter { $0.reader == 0 }.map(\.dBm)
        let store = receptions.filter { $0.reader == 1 }.map(\.dBm)
        // 50 + 20 lg 6.08 and 20 lg 1.04; 20 lg 6.71 and 3.01, behind 25 dB.
        #expect(office.first == -66 && office.last == -50)
        #expect(store.first == -92 && store.last == -85)
        #expect(office == office.sorted() && office.count == 17)
    }

    /// Out of range is a loss of all packets, since an air may have no sensitivity.
    @Test func belowTheSensitivityNothingIsReceived() throws {
        var scenario = SiteScenario()
        scenario.end = .seconds(3)
        scenario.phones = [
            .init(name: "far", walk: DistanceWalk([.init(.zero, -94), .init(.seconds(2), -97)]))
        ]
        let (run, receptions) = try run(scenario)
        #expect(receptions.map(\.dBm) == [-94, -95, -96, -97])
        #expect(receptions.map(\.lossPercent) == [0, 0, 100, 100])
        #expect(run.phones[0].result == .unseen)
    }

    /// Without the orders that set levels, a phone that is far away opens: the result tells it.
    @Test func anAirThatKeepsItsLevelsGivesAnotherResult() throws {
        var scenario = SiteScenario()
        scenario.end = .seconds(6)
        var phone = SiteScenario.Phone(name: "far", walk: .standing(from: .milliseconds(500), -75))
        phone.expected.results = [.refused]
        scenario.phones = [phone]
        #expect(try run(scenario).run.isAsExpected)
        let other = try run(scenario, obeying: false).run
        #expect(!other.isAsExpected && other.phones[0].result == .opened && other.broken == [.phones])
    }
}
