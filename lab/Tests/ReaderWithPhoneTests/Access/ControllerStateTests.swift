// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// The reader's state comes from the controller's answers: advertising, and the readings that gates need.
@Suite struct ControllerStateTests {
    private func bench(_ modes: [AdvertisingMode] = [.onTouch, .access, .classic], links: Int = 3) throws -> ReaderBench
    {
        try ReaderBench { configuration in
            configuration.modes = configuration.modes.filter { modes.contains($0.mode) }
            configuration.maximumLinks = links
        }
    }

    /// A link of a gated mode whose readings are these, to the end of its window.
    private func visit(_ bench: inout ReaderBench, _ generation: UInt32, _ reading: RSSIReading?) {
        let link = bench.connect(0, generation: generation, set: 0, phone: UInt64(generation) + 100)
        for _ in 0..<10 {
            bench.run(.milliseconds(50))
            bench.port.outstanding = []
            if let reading { bench.event(.rssi(link, reading)) }
        }
        bench.event(.disconnected(link, reason: .localHostTerminated))
    }

    // MARK: - Readings

    /// Status 0 with 0 or 127, an error, or no answer, for ever: from the third link on the gated modes let nobody in,
    /// until there is a reading.
    @Test(arguments: [RSSIReading.none, .failed(.unspecifiedError), .failed(.unknownConnection), nil])
    func readingsThatAreNeverUsable(_ reading: RSSIReading?) throws {
        var bench = try bench()
        bench.event(.advertising(AdvertisingStatus(onAir: [0, 1, 2])))
        for generation in 0..<2 as Range<UInt32> { visit(&bench, generation, reading) }
        #expect(bench.reader.isRSSIUnusable == false)
        #expect(bench.reader.state(ofSet: 0) == .onAir)
        visit(&bench, 2, reading)
        #expect(bench.reader.isRSSIUnusable == true)
        let notices = bench.takeNotices()
        #expect(notices.count { if case .rssiUnusable = $0 { true } else { false } } == 1)
        #expect(notices.contains(.rssiUnusable(reading ?? .none)))
        #expect(bench.reader.state(ofSet: 0) == .withoutRSSI)
        #expect(bench.reader.state(ofSet: 1) == .withoutRSSI)
        #expect(bench.reader.state(ofSet: 2) == .onAir)
        // Further links are measured, and a controller that starts again is not believed because of that.
        visit(&bench, 3, reading)
        bench.event(.ready(ReaderBench.controller))
        #expect(bench.reader.isRSSIUnusable == true)
        #expect(!bench.takeNotices().contains { if case .rssiUnusable = $0 { true } else { false } })
        let link = bench.connect(0, generation: 9, set: 0)
        bench.event(.rssi(link, .value(-90)))
        #expect(bench.takeNotices().contains(.rssiUsable))
        #expect(bench.reader.isRSSIUnusable == false)
        #expect(bench.reader.state(ofSet: 0) == .onAir)
    }

    /// Phones that are far away, or leave early, say nothing about the controller.
    @Test func farPhonesAreNoFaultOfTheController() throws {
        var bench = try bench()
        for generation in 0..<6 as Range<UInt32> {
            let link = bench.connect(0, generation: generation, set: 0, phone: UInt64(generation))
            bench.event(.rssi(link, generation.isMultiple(of: 2) ? .value(-90) : .none))
            bench.run(.milliseconds(generation.isMultiple(of: 2) ? 500 : 100))
            bench.event(.disconnected(link, reason: .remoteUserTerminated))
        }
        #expect(bench.reader.isRSSIUnusable == false)
    }

    /// Another controller may be better.
    @Test func aLostTransportForgetsTheReadings() throws {
        var bench = try bench()
        for generation in 0..<3 as Range<UInt32> { visit(&bench, generation, RSSIReading.none) }
        #expect(bench.reader.isRSSIUnusable == true)
        bench.event(.controllerFailed(.hardwareError(code: 1)))
        #expect(bench.reader.isRSSIUnusable == true)
        bench.event(.controllerFailed(.transportLost))
        #expect(bench.reader.isRSSIUnusable == false)
    }

    // MARK: - Advertising

    private func refusal(_ set: UInt8, again: Bool, _ status: HCIStatus = .invalidParameters) -> AdvertisingRefusal {
        AdvertisingRefusal(set: set, opcode: 0x2036, status: status, isRepeated: again)
    }

    /// The request is no notice; the answer is.
    @Test func advertisingIsToldWhenItIsConfirmed() throws {
        var bench = try bench(links: 1)
        #expect(bench.port.takeRequests().contains(.advertise(true)))
        #expect(!bench.takeNotices().contains { if case .advertising = $0 { true } else { false } })
        bench.event(.advertising(AdvertisingStatus(onAir: [0, 1, 2])))
        #expect(bench.takeNotices() == [.advertising(.on)])
        // A change of the sets that are on the air is none of the whole.
        bench.event(.advertising(AdvertisingStatus(onAir: [0])))
        #expect(bench.takeNotices() == [])
        _ = bench.connect(0, generation: 0)
        #expect(bench.port.takeRequests().contains(.advertise(false)))
        #expect(!bench.takeNotices().contains(.advertising(.slotsTaken)))
        bench.event(.advertising(AdvertisingStatus()))
        #expect(bench.takeNotices() == [.advertising(.slotsTaken)])
    }

    /// The set of another device on the radio is not the reader's.
    @Test func setsOfOtherDevicesDoNotCount() throws {
        var bench = try bench()
        _ = bench.takeNotices()
        bench.event(.advertising(AdvertisingStatus(onAir: [16])))
        #expect(bench.takeNotices() == [])
        #expect(bench.reader.state(ofSet: 0) == .offAir)
    }

    @Test func aRefusalIsToldFromTheSecondOn() throws {
        var bench = try bench()
        _ = bench.takeNotices()
        bench.event(.advertising(AdvertisingStatus(refusals: [refusal(0, again: false)])))
        #expect(bench.takeNotices() == [])
        #expect(bench.reader.refusedModes.map(\.mode) == [])
        #expect(bench.reader.state(ofSet: 0) == .refused)
        bench.event(.advertising(AdvertisingStatus(refusals: [refusal(0, again: true), refusal(1, again: true)])))
        #expect(bench.takeNotices() == [.advertisingRefused([.onTouch, .access], refusal(0, again: true))])
        #expect(bench.reader.refusedModes.map(\.mode) == [.onTouch, .access])
        bench.event(.advertising(AdvertisingStatus(onAir: [1], refusals: [refusal(0, again: true)])))
        #expect(bench.takeNotices() == [.advertising(.on)])
        #expect(bench.reader.refusedModes.map(\.mode) == [.onTouch])
        bench.event(.advertising(AdvertisingStatus(onAir: [0, 1])))
        #expect(bench.takeNotices() == [])
        #expect(bench.reader.refusedModes.map(\.mode) == [])
    }

    @Test func theNoticesInWords() {
        let link = "\(ReaderNotice.advertisingRefused([.onTouch, .access], refusal(0, again: true)))"
        #expect(
            link
                == "not on the air: on-touch, access; LE Set Extended Advertising Parameters (0x2036) refused with 0x12, "
                + "Invalid HCI Command Parameters")
        #expect(
            "\(ReaderNotice.rssiUnusable(.failed(HCIStatus(rawValue: 0x01))))"
                == "the controller's RSSI readings are not usable, 0x01, Unknown HCI Command: links of gated modes are "
                + "refused")
        #expect("\(ReaderNotice.advertising(.off))" == "advertising off: not confirmed by the controller")
    }
}
