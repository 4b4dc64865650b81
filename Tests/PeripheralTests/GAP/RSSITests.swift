// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// Read RSSI (Core 5.4, Vol 4, Part E, 7.5.4).
@Suite struct RSSITests {
    private func running(_ controller: ScriptedController = .extended, links: Int = 1) throws -> (Rig, [LinkID]) {
        try Rig.linked(controller, links: links)
    }

    @Test func whichValuesCount() throws {
        let (rig, ids) = try running()
        for value in Int8.min...Int8.max {
            rig.controller.rssi = value
            #expect(rig.readRSSI(ids[0]))
            rig.settle()
            let expected: RSSIReading = value >= -126 && value <= -1 ? .value(value) : .none
            #expect(rig.takeEvents() == [.rssi(ids[0], expected)])
        }
        #expect(rig.takeCommands().first == "051402" + "4000")
    }

    @Test func refusals() throws {
        let (rig, ids) = try running()
        // Alone, and with the handle and a value that means nothing; and a success that is too short.
        rig.controller.answers = [0x1405: [[0x01], [0x02, 0x40, 0x00, 0xC4], [0x00, 0x40, 0x00], [0x00], []]]
        for status in [.unknownCommand, .unknownConnection, .unspecifiedError, .unspecifiedError, .unspecifiedError]
            as [HCIStatus]
        {
            #expect(rig.readRSSI(ids[0]))
            rig.settle()
            #expect(rig.takeEvents() == [.rssi(ids[0], .failed(status))])
        }
    }

    @Test func refusedByCommandStatus() throws {
        let (rig, ids) = try running()
        rig.isAnswering = false
        #expect(rig.readRSSI(ids[0]))
        rig.send([0x04, 0x0F, 0x04, 0x01, 0x01, 0x05, 0x14])
        #expect(rig.takeEvents() == [.rssi(ids[0], .failed(.unknownCommand))])
    }

    @Test func oneOutstandingForEachLink() throws {
        let (rig, ids) = try running(links: 2)
        rig.isAnswering = false
        #expect(rig.readRSSI(ids[0]))
        #expect(!rig.readRSSI(ids[0]))
        #expect(rig.readRSSI(ids[1]))
        #expect(!rig.readRSSI(ids[1]))
        rig.settle()
        #expect(rig.takeCommands() == ["0514024000"])
    }

    @Test func linksTakeTurns() throws {
        let (rig, ids) = try running(links: 3)
        for link in ids { _ = rig.readRSSI(link) }
        rig.settle()
        // Each link requests again after its answer: all links get their turn.
        #expect(rig.takeCommands() == ["0514024000", "0514024100", "0514024200"])
        rig.isAnswering = false
        _ = rig.readRSSI(ids[1])
        for link in [ids[0], ids[2]] { _ = rig.readRSSI(link) }
        for handle in [0x41, 0x42, 0x40] as [UInt8] {
            rig.send([0x04, 0x0E, 0x07, 0x01, 0x05, 0x14, 0x00, handle, 0x00, 0xC4])
        }
        #expect(rig.takeCommands() == ["0514024100", "0514024200", "0514024000"])
    }

    @Test func everyOtherCommandGoesFirst() throws {
        let (rig, ids) = try running(links: 2)
        rig.isAnswering = false
        _ = rig.readRSSI(ids[0])
        rig.settle()
        _ = rig.readRSSI(ids[1])
        rig.host.setAdvertising(enabled: false, at: rig.now)
        rig.host.disconnect(ids[0], reason: .remoteUserTerminated, at: rig.now)
        rig.isAnswering = true
        rig.send([0x04, 0x0E, 0x07, 0x01, 0x05, 0x14, 0x00, 0x40, 0x00, 0xC4])
        #expect(rig.takeCommands() == ["0514024000", "060403400013", "3920020000", "0514024100"])
        // The first link's value came when it was of no use any more.
        #expect(rig.takeEvents() == [.rssi(ids[1], .value(-50))])
    }

    @Test func linkThatEndsMeanwhile() throws {
        let (rig, ids) = try running()
        rig.isAnswering = false
        _ = rig.readRSSI(ids[0])
        rig.settle()
        rig.disconnected(0x40)
        rig.join()
        _ = rig.takeEvents()
        // The answer was asked for by the link before.
        rig.send([0x04, 0x0E, 0x07, 0x01, 0x05, 0x14, 0x00, 0x40, 0x00, 0xC4])
        #expect(rig.takeEvents() == [])
    }

    @Test func withoutAnAnswer() throws {
        let (rig, ids) = try running(links: 2)
        rig.controller.silent = [0x1405]
        _ = rig.readRSSI(ids[0])
        rig.settle()
        rig.run(to: 2000)
        #expect(rig.takeEvents() == [.rssi(ids[0], .failed(.unspecifiedError))])
        _ = rig.readRSSI(ids[1])
        rig.settle()
        // The first one's answer, too late, is not the second one's.
        rig.send([0x04, 0x0E, 0x07, 0x01, 0x05, 0x14, 0x00, 0x40, 0x00, 0xC4])
        #expect(rig.takeEvents() == [])
        rig.send([0x04, 0x0E, 0x07, 0x01, 0x05, 0x14, 0x00, 0x41, 0x00, 0xC5])
        #expect(rig.takeEvents() == [.rssi(ids[1], .value(-59))])
    }

    /// 4.4: the next command needs the credit that the answer brings, however late; only without an answer it is sent
    /// after the time for one.
    @Test(arguments: [700, nil] as [Double?])
    func nextCommandWaitsForALateAnswer(late: Double?) throws {
        let (rig, ids) = try running()
        rig.controller.silent = [0x1405]
        _ = rig.readRSSI(ids[0])
        rig.settle()
        rig.host.setAdvertising(enabled: false, at: rig.now)
        _ = rig.takeCommands()
        let sent = rig.now
        rig.run(to: 699)
        #expect(rig.takeEvents() == [.rssi(ids[0], .failed(.unspecifiedError))])
        #expect(rig.takeCommands() == [])
        if let late {
            rig.run(to: late)
            rig.send([0x04, 0x0E, 0x07, 0x01, 0x05, 0x14, 0x00, 0x40, 0x00, 0xC4])
            #expect(rig.takeEvents() == [])
        } else {
            rig.run(to: 1999)
            #expect(rig.takeCommands() == [])
            rig.run(to: 2001)
            #expect(rig.now > sent + .seconds(2))
        }
        #expect(rig.takeCommands() == ["3920020000"])
    }

    /// Each unanswered command delays all others for its time-out.
    @Test func controllerThatNeverAnswersIsNotAskedForEver() throws {
        let (rig, ids) = try running()
        rig.controller.silent = [0x1405]
        for attempt in 1...3 {
            _ = rig.readRSSI(ids[0])
            rig.settle()
            rig.run(to: Double(attempt) * 2000)
        }
        _ = (rig.takeCommands(), rig.takeEvents())
        #expect(rig.readRSSI(ids[0]))
        rig.settle()
        #expect(rig.takeCommands() == [] && rig.takeEvents() == [.rssi(ids[0], .failed(.unknownCommand))])
    }

    @Test func controllerWithoutRSSI() throws {
        var controller = ScriptedController.extended
        controller.supported[15] = 0
        let (rig, ids) = try running(controller)
        #expect(rig.readRSSI(ids[0]))
        rig.settle()
        #expect(rig.takeCommands() == [] && rig.takeEvents() == [.rssi(ids[0], .failed(.unknownCommand))])
    }
}
