// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Phone
import Protobuf
import Proximity
import Reader
import Testing
import Timekeeping

@testable import ReaderTestSupport

/// The pool and the gate around the session.
@Suite struct AccessReaderTests {
    let busy = LinkEndReason.noRoom
    let bye = LinkEndReason.refused

    @Test func advertisesFromReadyUntilTheSlotsAreTaken() throws {
        var bench = try ReaderBench()
        #expect(bench.port.takeRequests() == [.advertise(true)])
        for slot in 0..<2 { _ = bench.connect(slot, generation: UInt32(slot)) }
        #expect(bench.port.takeRequests() == [])
        let third = bench.connect(2, generation: 2)
        #expect(bench.port.takeRequests() == [.advertise(false)])
        bench.event(.disconnected(third, reason: .remoteUserTerminated))
        #expect(bench.port.takeRequests() == [.advertise(true)])
    }

    @Test func aLinkThatCrossedWithTheEndOfAdvertisingIsSurplus() throws {
        var bench = try ReaderBench()
        for slot in 0..<3 { _ = bench.connect(slot, generation: UInt32(slot)) }
        _ = bench.port.takeRequests()
        let surplus = bench.connect(3, generation: 3)
        #expect(bench.port.takeRequests() == [.disconnect(surplus, busy)])
        #expect(bench.reader.servedLinks == 3)
        bench.event(.disconnected(surplus, reason: .localHostTerminated))
        #expect(bench.port.takeRequests() == [])
    }

    @Test func aClosingLinkHoldsNoSlot() throws {
        var bench = try ReaderBench()
        let far = bench.connect(0, generation: 0, set: 1)
        for slot in 1..<3 { _ = bench.connect(slot, generation: UInt32(slot)) }
        _ = bench.port.takeRequests()
        bench.measure(far, -90)
        #expect(bench.port.takeRequests() == [.disconnect(far, bye), .advertise(true)])
        _ = bench.connect(3, generation: 3)
        #expect(bench.port.takeRequests() == [.advertise(false)])
    }

    @Test func theModeDecidesOverTheGate() throws {
        var bench = try ReaderBench()
        _ = bench.port.takeRequests()
        let classic = bench.connect(0, generation: 0, set: 2)
        bench.write(classic, [0, 0, 0, 0, 0, 0])
        #expect(bench.takeNotices().last == .messageRefused(.link(classic), .decode, told: false))
        let touch = bench.connect(1, generation: 1, set: 0)
        bench.write(touch, [0, 0, 0, 0, 0, 0])
        #expect(bench.takeNotices().last == .connected(touch, .onTouch, peer: .randomStatic(from: 100)))
        bench.measure(touch, -50)
        #expect(
            bench.takeNotices().suffix(2) == [
                .near(touch, median: -50), .messageRefused(.link(touch), .decode, told: false),
            ])
    }

    @Test func anUnknownModeCountsAsTheStrictest() throws {
        var bench = try ReaderBench {
            $0.modes[0].gate?.threshold = -40
            $0.modes[1].gate?.threshold = -70
        }
        let link = bench.connect(0, generation: 0, set: nil)
        bench.measure(link, -41)
        #expect(!bench.notices.contains(.near(link, median: -41)))
        bench.measure(link, -40)
        #expect(bench.notices.contains(.near(link, median: -40)))
    }

    @Test func rssiIsReadAt25MillisecondsAndSkippedWhileOneIsOutstanding() throws {
        var bench = try ReaderBench()
        _ = bench.port.takeRequests()
        let link = bench.connect(0, generation: 0, set: 1)
        bench.pass(until: 24)
        #expect(bench.port.takeRequests() == [])
        bench.pass(until: 100)
        #expect(bench.port.takeRequests() == [.readRSSI(link)])
        bench.port.outstanding = []
        bench.pass(until: 125)
        #expect(bench.port.takeRequests() == [.readRSSI(link)])
    }

    @Test func theWindowsEndRefusesAndOnlyReadingsCount() throws {
        var bench = try ReaderBench()
        _ = bench.port.takeRequests()
        let link = bench.connect(0, generation: 0, set: 1)
        for _ in 0..<9 {
            bench.event(.rssi(link, .none))
            bench.event(.rssi(link, .failed(.unknownConnection)))
        }
        bench.pass(until: 399)
        #expect(!bench.port.requests.contains(.disconnect(link, bye)))
        bench.pass(until: 400)
        #expect(bench.port.takeRequests().contains(.disconnect(link, bye)))
        #expect(bench.takeNotices().contains(.refused(.link(link), .tooFar(median: nil))))
        bench.measure(link, -20)
        #expect(!bench.takeNotices().contains(.near(link, median: -20)))
    }

    /// A process that was held up sees the readings before its timers.
    @Test func aReadingAfterTheWindowOpensNothing() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0, set: 1)
        for _ in 0..<2 { bench.event(.rssi(link, .value(-40))) }
        bench.now = .origin + .milliseconds(400)
        bench.event(.rssi(link, .value(-40)))
        #expect(bench.takeNotices().last == .refused(.link(link), .tooFar(median: nil)))
        #expect(bench.port.requests.contains(.disconnect(link, bye)))
    }

    @Test func withoutRSSIGatedModesAreRefusedAndSaidSo() throws {
        var withoutRSSI = ReaderBench.controller
        withoutRSSI.readsRSSI = false
        var bench = try ReaderBench(controller: withoutRSSI)
        #expect(bench.takeNotices().contains(.rssiUnavailable))
        let gated = bench.connect(0, generation: 0, set: 1)
        #expect(bench.takeNotices().contains(.refused(.link(gated), .rssiUnavailable)))
        let open = bench.connect(1, generation: 1, set: 2)
        #expect(!bench.takeNotices().contains(.refused(.link(open), .rssiUnavailable)))
    }

    @Test func tooMuchBeforeTheGateOpensEndsTheLink() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0, set: 1)
        for _ in 0..<5 { bench.write(link, [UInt8](repeating: 1, count: 500)) }
        #expect(bench.takeNotices().contains(.refused(.link(link), .earlyDataExceeded)))
        bench.measure(link, -20)
        #expect(bench.port.notified.isEmpty)
    }

    @Test func threeSecondsWithoutACompletedExchangeEndTheLink() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0)
        for second in 0..<30 {
            bench.pass(until: second * 100)
            bench.write(link, [0])
        }
        bench.pass(until: 3000)
        #expect(bench.takeNotices().contains(.refused(.link(link), .idle)))
    }

    @Test func aRepeatedlyRefusedAddressMayNotTakeTheLastSlot() throws {
        var bench = try ReaderBench { $0.maximumLinks = 2 }
        for attempt in 0..<3 {
            let far = bench.connect(0, generation: UInt32(attempt), set: 1, phone: 7)
            bench.measure(far, -90)
            bench.event(.disconnected(far, reason: .localHostTerminated))
        }
        let alone = bench.connect(0, generation: 10, set: 1, phone: 7)
        #expect(bench.takeNotices().last == .connected(alone, .access, peer: .randomStatic(from: 7)))
        bench.event(.disconnected(alone, reason: .remoteUserTerminated))
        _ = bench.connect(0, generation: 11, set: 1, phone: 8)
        let crowding = bench.connect(1, generation: 12, set: 1, phone: 7)
        #expect(bench.takeNotices().last == .refused(.link(crowding), .backingOff))
        #expect(bench.port.requests.last == .disconnect(crowding, busy))
        bench.event(.disconnected(crowding, reason: .localHostTerminated))
        let other = bench.connect(1, generation: 13, set: 1, phone: 9)
        #expect(bench.takeNotices().contains(.connected(other, .access, peer: .randomStatic(from: 9))))
    }

    @Test func controllerFailureKeepsTheDoorAndAdvertisesAgain() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0)
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        #expect(bench.reader.doorActions.contains(.setLock(energised: true)))
        bench.reader.doorActions = []
        bench.event(.disconnected(link, reason: .hardwareFailure))
        bench.event(.controllerFailed(.transportLost))
        bench.pass(until: 5000)
        #expect(bench.reader.doorActions.contains(.setLock(energised: false)))
        _ = bench.port.takeRequests()
        bench.event(.ready(ReaderBench.controller))
        #expect(bench.port.takeRequests() == [.advertise(true)])
    }

    @Test func shuttingDownEndsLinksAndServesNobody() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0)
        _ = bench.port.takeRequests()
        bench.reader.shutDown(port: &bench.port, at: bench.now)
        #expect(bench.port.takeRequests() == [.advertise(false), .disconnect(link, .shutDown)])
        let late = bench.connect(1, generation: 1)
        #expect(bench.port.takeRequests() == [.disconnect(late, busy)])
    }
}
