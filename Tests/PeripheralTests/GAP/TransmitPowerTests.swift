// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// The transmit power of a link's central (Core 5.4, Vol 4, Part E, 7.7.65.33, 7.8.118, 7.8.121).
@Suite struct TransmitPowerTests {
    /// LE Set Event Mask (7.8.1) with Transmit Power Reporting, bit 32.
    private static let mask = "012008" + "550a020001000000"
    private static let enable = "7a2004" + "40000001"
    private static let read = "772003" + "400001"

    private func running(_ controller: ScriptedController = .powerControl, links: Int = 1) throws -> (Rig, [LinkID]) {
        try Rig.linked(controller, links: links)
    }

    private func power(_ link: LinkID, _ dBm: Int8?) -> [HostEvent] { [.transmitPower(link, dBm: dBm)] }

    private func ask(_ rig: Rig, _ link: LinkID) {
        rig.act { $0.readTransmitPower(link, at: $1) }
    }

    @Test func theFirstRequestUnmasksTheEventAndReadsThePower() throws {
        let (rig, ids) = try running(links: 2)
        ask(rig, ids[0])
        #expect(rig.takeCommands() == [Self.mask, Self.enable, Self.read] && rig.takeEvents() == [])
        rig.send(ControllerPacket.power(0x40, -20))
        #expect(rig.takeEvents() == power(ids[0], -20))
        // A value that is known is not read again; the mask holds for the next link.
        ask(rig, ids[0])
        ask(rig, ids[1])
        #expect(rig.takeCommands() == ["7a2004" + "41000001", "772003" + "410001"])
    }

    /// Nothing differs before the request: not the commands of the start, nor their octets.
    @Test func aHostThatIsNotAskedSendsNothing() throws {
        var started: [[String]] = []
        for controller in [ScriptedController.extended, .powerControl] {
            let rig = try Rig(controller, sets: [Sample.set(1)]).started()
            let link = try rig.link()
            _ = rig.readRSSI(link)
            rig.send([0x04, 0x3E, 0x06, 0x0C, 0x00, 0x40, 0x00, 0x02, 0x02])
            rig.settle()
            #expect(rig.takeEvents() == [.rssi(link, .value(-50))])
            started.append(rig.takeCommands())
        }
        #expect(started[0] == started[1])
        #expect(started[0].contains("012008" + "550a020000000000"))
        #expect(!started[0].contains { $0.hasPrefix("7720") || $0.hasPrefix("7a20") })
    }

    /// The supported commands, and the feature.
    @Test func aControllerWithoutItIsNeverAsked() throws {
        for change in [
            { $0.features[4] = 0 }, { $0.supported[44] = 0x80 }, { $0.supported[44] = 0x10 },
        ] as [(inout ScriptedController) -> Void] {
            var controller = ScriptedController.powerControl
            change(&controller)
            let rig = try Rig(controller, sets: [Sample.set(1)]).started()
            let described = rig.events.compactMap { event in
                if case .ready(let description) = event { description.tellsTransmitPower } else { nil as Bool? }
            }
            #expect(described == [false])
            let link = try rig.link()
            _ = rig.takeCommands()
            ask(rig, link)
            #expect(rig.takeCommands() == [] && rig.takeEvents() == [])
        }
    }

    @Test func whichValuesCount() throws {
        for level in Int8.min...Int8.max {
            let (rig, ids) = try running()
            ask(rig, ids[0])
            rig.send(ControllerPacket.power(0x40, level))
            let isPower = level >= -127 && level <= 20
            #expect(rig.takeEvents() == (isPower ? power(ids[0], level) : []), "\(level)")
        }
    }

    @Test func changesAreToldOnce() throws {
        let (rig, ids) = try running()
        ask(rig, ids[0])
        rig.send(ControllerPacket.power(0x40, 4))
        _ = rig.takeEvents()
        rig.send(ControllerPacket.power(0x40, 8, reason: 1))
        rig.send(ControllerPacket.power(0x40, 8, reason: 1))
        #expect(rig.takeEvents() == power(ids[0], 8))
        // Not managed any more.
        rig.send(ControllerPacket.power(0x40, 126, reason: 1))
        #expect(rig.takeEvents() == power(ids[0], nil))
    }

    /// A report that nothing asked for, a second answer, the local power, another PHY, a reserved reason, no link.
    @Test func reportsOutOfOrderTellNothing() throws {
        let (rig, ids) = try running(links: 2)
        for reason in UInt8(0)...3 { rig.send(ControllerPacket.power(0x40, 4, reason: reason)) }
        #expect(rig.takeEvents() == [])
        ask(rig, ids[0])
        rig.send(ControllerPacket.power(0x41, 4))
        rig.send(ControllerPacket.power(0x41, 4, reason: 1))
        rig.send(ControllerPacket.power(0x99, 4))
        rig.send(ControllerPacket.power(0x40, 4, reason: 0))
        rig.send(ControllerPacket.power(0x40, 4, reason: 3))
        rig.send(ControllerPacket.power(0x40, 4, reason: 1, phy: 2))
        rig.send(ControllerPacket.power(0x40, 4, reason: 1, status: 0x1F))
        #expect(rig.takeEvents() == [])
        rig.send(ControllerPacket.power(0x40, 6))
        rig.send(ControllerPacket.power(0x40, 9))
        #expect(rig.takeEvents() == power(ids[0], 6))
    }

    /// 0x1A, from either command or from the report: the central lacks it, and is not asked again. Other failures may
    /// pass.
    @Test func failures() throws {
        for status in [0x1A, 0x0C, 0x3A] as [UInt8] {
            for place in 0..<3 {
                let (rig, ids) = try running()
                switch place {
                case 0: rig.controller.answers[0x207A] = [[status, 0x40, 0x00]]
                case 1: rig.controller.answers[0x2077] = [[status]]
                default: break
                }
                ask(rig, ids[0])
                if place == 2 { rig.send(ControllerPacket.power(0x40, 4, status: status)) }
                #expect(rig.takeEvents() == [])
                _ = rig.takeCommands()
                ask(rig, ids[0])
                let isAskedAgain = status != 0x1A
                #expect(rig.takeCommands() == (isAskedAgain ? [Self.enable, Self.read] : []), "\(status), \(place)")
                rig.send(ControllerPacket.power(0x40, 4))
                #expect(rig.takeEvents() == (isAskedAgain ? power(ids[0], 4) : []))
            }
        }
    }

    /// Each PHY has its power: the present one is no longer known, and can be asked for.
    @Test func aChangeOfThePHYWithdrawsThePower() throws {
        let (rig, ids) = try running()
        ask(rig, ids[0])
        rig.send(ControllerPacket.power(0x40, 4))
        _ = (rig.takeEvents(), rig.takeCommands())
        rig.send([0x04, 0x3E, 0x06, 0x0C, 0x00, 0x40, 0x00, 0x01, 0x02])
        #expect(rig.takeEvents() == power(ids[0], nil))
        rig.send(ControllerPacket.power(0x40, 4, reason: 1))
        ask(rig, ids[0])
        #expect(rig.takeCommands() == [Self.enable, "772003" + "400002"] && rig.takeEvents() == [])
        // The answer for the PHY before.
        rig.send(ControllerPacket.power(0x40, 4))
        #expect(rig.takeEvents() == [])
        ask(rig, ids[0])
        rig.send(ControllerPacket.power(0x40, 8, phy: 2))
        #expect(rig.takeEvents() == power(ids[0], 8))
        // The Coded PHY has no value.
        rig.send([0x04, 0x3E, 0x06, 0x0C, 0x00, 0x40, 0x00, 0x03, 0x03])
        _ = rig.takeCommands()
        ask(rig, ids[0])
        rig.send(ControllerPacket.power(0x40, 8, reason: 1, phy: 3))
        #expect(rig.takeCommands() == [] && rig.takeEvents() == power(ids[0], nil))
    }

    /// On the Coded PHY nothing is told, however the read and the change cross.
    @Test func theCodedPHYHasNoPower() throws {
        for changesBeforeTheRead in [true, false] {
            let (rig, ids) = try running()
            let coded: [UInt8] = [0x04, 0x3E, 0x06, 0x0C, 0x00, 0x40, 0x00, 0x03, 0x03]
            if changesBeforeTheRead { rig.controller.silent = [0x207A] }
            ask(rig, ids[0])
            rig.send(coded)
            if changesBeforeTheRead { rig.send([0x04, 0x0E, 0x06, 0x01, 0x7A, 0x20, 0x00, 0x40, 0x00]) }
            #expect(rig.takeCommands().contains(Self.read) == !changesBeforeTheRead)
            rig.send(ControllerPacket.power(0x40, 8, phy: 3))
            rig.send(ControllerPacket.power(0x40, 8, reason: 1, phy: 3))
            #expect(rig.takeEvents() == [])
        }
    }

    @Test func aRefusedMaskAndSilenceEndTheQuestions() throws {
        for opcode in [0x2001, 0x207A, 0x2077] as [UInt16] {
            let (rig, ids) = try running(links: 2)
            rig.controller.silent = [opcode]
            ask(rig, ids[0])
            rig.run(to: 600)
            _ = rig.takeCommands()
            ask(rig, ids[0])
            ask(rig, ids[1])
            #expect(rig.takeCommands() == [] && rig.takeEvents() == [.transmitPowerUnavailable])
        }
        let (rig, ids) = try running()
        rig.controller.refused[0x2001] = 0x12
        ask(rig, ids[0])
        #expect(rig.takeCommands() == [Self.mask] && rig.takeEvents() == [.transmitPowerUnavailable])
        ask(rig, ids[0])
        #expect(rig.takeCommands() == [] && rig.takeEvents() == [])
    }

    /// A reset masks the event again; a link's end and a reused handle begin anew.
    @Test func theNextControllerAndTheNextLinkBeginAnew() throws {
        let (rig, ids) = try running()
        ask(rig, ids[0])
        rig.disconnected(0x40)
        rig.send(ControllerPacket.power(0x40, 4))
        rig.join()
        rig.send(ControllerPacket.power(0x40, 4))
        let events = rig.takeEvents()
        #expect(!events.contains { if case .transmitPower = $0 { true } else { false } })
        _ = rig.takeCommands()
        ask(rig, try #require(events.compactMap(\.connectedLink).first))
        #expect(rig.takeCommands() == [Self.enable, Self.read])
        rig.send([0x04, 0x10, 0x01, 0x42])
        rig.run(to: 20_000)
        let link = try rig.link()
        _ = rig.takeCommands()
        ask(rig, link)
        #expect(rig.takeCommands() == [Self.mask, Self.enable, Self.read])
    }
}
