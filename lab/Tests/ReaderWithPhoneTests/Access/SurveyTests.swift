// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Phone
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// Site surveys and traces: links are measured, and a survey opens nothing.
@Suite struct SurveyTests {
    private func at(_ milliseconds: Int) -> Instant { .origin + .milliseconds(milliseconds) }

    private func readings(_ bench: borrowing ReaderBench, of link: LinkID) -> Int {
        bench.port.requests.count { $0 == .readRSSI(link) }
    }

    /// Lets time pass until `milliseconds`, and answers each reading at once.
    private func pass(_ bench: inout ReaderBench, until milliseconds: Int, _ link: LinkID, _ dBm: Int8) {
        for millisecond in 1...milliseconds {
            let before = readings(bench, of: link)
            bench.pass(until: millisecond)
            guard readings(bench, of: link) > before else { continue }
            bench.port.outstanding = []
            bench.event(.rssi(link, .value(dBm)))
        }
    }

    /// A phone of the strongest signal with a good token, in every mode, the one without a gate too.
    @Test(arguments: [UInt8(0), 1, 2]) func aSurveyServesNobody(set: UInt8) throws {
        var bench = try ReaderBench()
        bench.reader.survey(until: at(10_000))
        let link = bench.connect(0, generation: 1, set: set)
        #expect(try bench.exchange(link, token: ReaderBench.token(.open)) == .send)
        pass(&bench, until: 3000, link, -1)
        let notices = bench.takeNotices()
        // At the pace of the gate, from 25 to 2975 ms.
        #expect(notices.count { $0 == .traced(link, dBm: -1) } == 119)
        #expect(notices.contains(.refused(.link(link), .surveyed)))
        #expect(!notices.contains { if case .near = $0 { true } else { false } })
        #expect(bench.port.notified.isEmpty && bench.reader.doorActions.isEmpty)
        #expect(bench.reader.doorStatus.openings == 0)
    }

    @Test func itEndsTheLinksWithItself() throws {
        var bench = try ReaderBench()
        bench.reader.survey(until: at(1000))
        let link = bench.connect(0, generation: 1)
        bench.pass(until: 1000)
        #expect(bench.takeNotices().contains(.refused(.link(link), .surveyed)))
        bench.event(.disconnected(link, reason: .remoteUserTerminated))
        // The next is served as ever.
        let next = bench.connect(0, generation: 2, set: 1)
        bench.measure(next, -45)
        #expect(bench.takeNotices().contains(.near(next, median: -45)))
        #expect(try bench.exchange(next, token: ReaderBench.token(.open)) == .completed([]))
    }

    @Test func aLinkFromBeforeIsServedOn() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 1)
        bench.measure(link, -45)
        bench.reader.survey(until: at(10_000))
        #expect(try bench.exchange(link, token: ReaderBench.token(.open)) == .completed([]))
        bench.pass(until: 1000)
        #expect(readings(bench, of: link) == 0)
    }

    /// Phones that were surveyed are not backed off from, however often they come.
    @Test func itIsNotHeldAgainstAPhone() throws {
        var bench = try ReaderBench({ $0.maximumLinks = 1 })
        bench.reader.survey(until: at(60_000))
        for generation in 1...8 {
            let link = bench.connect(0, generation: UInt32(generation))
            bench.pass(until: generation * 3000)
            bench.event(.disconnected(link, reason: .remoteUserTerminated))
        }
        #expect(bench.takeNotices().count { if case .refused(_, .surveyed) = $0 { true } else { false } } == 8)
    }

    @Test func withoutRSSIThereIsNone() throws {
        var blind = ReaderBench.controller
        blind.readsRSSI = false
        var bench = try ReaderBench(controller: blind)
        bench.reader.survey(until: at(1000))
        // Of the mode without a gate.
        let link = bench.connect(0, generation: 1, set: 2)
        #expect(bench.takeNotices().contains(.refused(.link(link), .rssiUnavailable)))
    }

    // MARK: Traces

    @Test func aTraceGoesOnAfterTheGate() throws {
        var bench = try ReaderBench()
        bench.reader.tracesRSSI = true
        let link = bench.connect(0, generation: 1, set: 1)
        pass(&bench, until: 1010, link, -45)
        let notices = bench.takeNotices()
        // The gate's at 25, 50 and 75 ms, and from then on.
        #expect(notices.count { $0 == .measured(link, dBm: -45) } == 3)
        #expect(notices.count { $0 == .traced(link, dBm: -45) } == 37)
        #expect(try bench.exchange(link, token: ReaderBench.token(.open)) == .completed([]))
    }

    /// Off by default: an open link is not read.
    @Test func withoutATraceNothingIsReadAfterTheGate() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 1, set: 1)
        bench.measure(link, -45)
        _ = bench.takeNotices()
        bench.pass(until: 1000)
        #expect(readings(bench, of: link) == 0)
        bench.event(.rssi(link, .value(-46)))
        #expect(bench.takeNotices().isEmpty)
    }
}
