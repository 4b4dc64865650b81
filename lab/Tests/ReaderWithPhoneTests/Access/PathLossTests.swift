// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Proximity
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// The reader with a limit of the path loss.
@Suite struct PathLossTests {
    private func bench(limit: Int? = 60, tells: Bool = true) throws -> ReaderBench {
        var controller = ReaderBench.controller
        controller.tellsTransmitPower = tells
        var bench = try ReaderBench({ $0.modes[1].gate?.maximumPathLoss = limit }, controller: controller)
        _ = (bench.takeNotices(), bench.port.takeRequests())
        return bench
    }

    @Test func withoutALimitThePowerIsNotAskedFor() throws {
        var bench = try bench(limit: nil)
        let link = bench.connect(0, generation: 0, set: 1)
        bench.pass(until: 100)
        bench.measure(link, -45)
        #expect(!bench.port.requests.contains(.readTransmitPower(link)))
        #expect(bench.takeNotices().contains(.near(link, median: -45)))
    }

    /// It is asked for from the start and with each reading, until it is told.
    @Test func thePowerOpensWithTheReadings() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 0, set: 1)
        #expect(bench.port.takeRequests() == [.readTransmitPower(link)])
        bench.pass(until: 25)
        #expect(bench.port.takeRequests() == [.readRSSI(link), .readTransmitPower(link)])
        bench.measure(link, -45)
        #expect(!bench.takeNotices().contains(.near(link, median: -45)))
        bench.event(.transmitPower(link, dBm: 10))
        bench.port.outstanding = []
        bench.pass(until: 50)
        #expect(bench.port.takeRequests() == [.readRSSI(link)])
        bench.measure(link, -45)
        let notices = bench.takeNotices()
        #expect(notices.contains(.measured(link, dBm: -45, pathLoss: 55)))
        #expect(notices.contains(.near(link, median: -45)))
    }

    @Test func aPhoneWithRaisedPowerIsRefused() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 0, set: 1)
        bench.event(.transmitPower(link, dBm: 20))
        for _ in 0..<4 { bench.measure(link, -41) }
        bench.pass(until: 400)
        #expect(bench.takeNotices().contains(.refused(.link(link), .pathLoss(median: 61))))
        #expect(bench.port.requests.contains(.disconnect(link, .refused)))
    }

    /// Never told, withdrawn before the last reading, and told for another link.
    @Test(arguments: [[], [10, nil]] as [[Int8?]])
    func aPhoneWithoutAPowerIsRefused(_ told: [Int8?]) throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 0, set: 1)
        bench.event(.transmitPower(LinkID(slot: 1, generation: 9), dBm: 0))
        for dBm in told {
            bench.event(.transmitPower(link, dBm: dBm))
            for _ in 0..<2 { bench.event(.rssi(link, .value(-45))) }
        }
        bench.measure(link, -45)
        bench.pass(until: 400)
        let notices = bench.takeNotices()
        #expect(notices.contains(.refused(.link(link), .powerUnknown)))
        #expect(!notices.contains(.near(link, median: -45)))
    }

    /// A mode without a limit is served; the fault is there while the limit is.
    @Test func withoutPowerControlLimitedModesAreRefused() throws {
        var bench = try bench(tells: false)
        #expect(bench.reader.lacksTransmitPower == true)
        let limited = bench.connect(0, generation: 0, set: 1)
        #expect(bench.takeNotices().contains(.refused(.link(limited), .powerUnavailable)))
        #expect(!bench.port.takeRequests().contains(.readTransmitPower(limited)))
        let open = bench.connect(1, generation: 1, set: 0)
        bench.measure(open, -45)
        #expect(bench.takeNotices().contains(.near(open, median: -45)))
        var configuration = bench.reader.configuration
        configuration.modes[1].gate?.maximumPathLoss = nil
        bench.reader.reconfigure(configuration, door: DoorConfiguration())
        #expect(bench.reader.lacksTransmitPower == false)
    }

    /// From the failure on, until the next controller.
    @Test func aControllerThatFailsAtPowersIsOneWithoutThem() throws {
        var bench = try bench()
        #expect(bench.reader.lacksTransmitPower == false)
        bench.event(.transmitPowerUnavailable)
        #expect(bench.reader.lacksTransmitPower == true)
        let link = bench.connect(0, generation: 0, set: 1)
        #expect(bench.takeNotices().contains(.refused(.link(link), .powerUnavailable)))
        var next = ReaderBench.controller
        next.tellsTransmitPower = true
        bench.event(.ready(next))
        #expect(bench.reader.lacksTransmitPower == false)
    }

    /// A set that the controller does not tell has the strictest gate of all modes, with their lowest limit.
    @Test func anUnknownModeHasTheLowestLimit() throws {
        var configuration = AccessConfiguration(modes: [
            .init(mode: .onTouch, address: .randomStatic(from: 1), gate: .init()),
            .init(mode: .access, address: .randomStatic(from: 2), gate: .init()),
            .init(mode: .classic, address: .randomStatic(from: 3), gate: nil),
        ])
        #expect(configuration.gate(forSet: nil)?.maximumPathLoss == nil && !configuration.limitsPathLoss)
        configuration.modes[0].gate?.threshold = -40
        configuration.modes[0].gate?.maximumPathLoss = 70
        configuration.modes[1].gate?.maximumPathLoss = 60
        #expect(configuration.gate(forSet: nil)?.threshold == -40)
        #expect(configuration.gate(forSet: nil)?.maximumPathLoss == 60 && configuration.limitsPathLoss)
    }

    /// A survey measures, and asks for no power.
    @Test func aSurveyDoesNotAsk() throws {
        var bench = try bench(tells: false)
        bench.reader.survey(until: .origin + .seconds(60))
        let link = bench.connect(0, generation: 0, set: 1)
        bench.pass(until: 100)
        #expect(!bench.port.requests.contains(.readTransmitPower(link)))
        #expect(!bench.takeNotices().contains(.refused(.link(link), .powerUnavailable)))
    }
}
