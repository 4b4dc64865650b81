// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// The host's picture of the controller is compared with the controller's, and restored within 30 s: after a restart
/// with or without a word, and after a lost event.
@Suite struct SupervisionTests {
    /// A controller and the number of advertising sets on it.
    struct Kind: CustomTestStringConvertible {
        var testDescription: String
        var controller: ScriptedController
        var sets: Int

        init(
            _ name: String, _ controller: ScriptedController, sets: Int, _ change: (inout ScriptedController) -> Void
        ) {
            (testDescription, self.controller, self.sets) = (name, controller, sets)
            change(&self.controller)
        }

        static let all: [Kind] = [false, true].flatMap { hasSetting in
            func kind(_ name: String, _ controller: ScriptedController, sets: Int) -> Kind {
                Kind("\(name)\(hasSetting ? ", with a setting to read" : "")", controller, sets: sets) {
                    if hasSetting { SupervisionTests.addSetting(&$0) }
                    $0.sets = 2
                }
            }
            return [
                kind("extended, one set", .extended, sets: 1), kind("extended, two sets", .extended, sets: 2),
                kind("extended, more sets than places", .extended, sets: 3), kind("legacy, one set", .legacy, sets: 1),
                kind("legacy, three sets", .legacy, sets: 3),
            ]
        }
    }

    /// LE Read and Write Suggested Default Data Length are listed (Core 5.4, Vol 4, Part E, 6.27).
    private static func addSetting(_ controller: inout ScriptedController) {
        controller.supported[33] |= 0x80
        controller.supported[34] |= 0x01
    }

    private func rig(
        _ controller: ScriptedController, sets: Int = 1, configuration: HostConfiguration = .init()
    ) throws -> Rig {
        let sets = (0..<sets).map { Sample.set(UInt8($0 + 1)) }
        let rig = try Rig(controller, sets: sets, configuration: configuration)
        rig.controller.handles = []
        rig.start()
        _ = (rig.takeCommands(), rig.takeEvents(), rig.takeAdvertising())
        return rig
    }

    private func resets(_ rig: Rig) -> Int { rig.takeOpcodes().count { $0 == 0x0C03 } }

    private static let masks: [UInt16: [UInt8]] = [
        0x0C01: octets("9080000200800020"), 0x2001: octets("550a020000000000"),
    ]

    /// The controller advertises, and tells the host of links.
    private func expectRestored(_ rig: Rig, _ kind: Kind, _ when: String) {
        #expect(rig.controller.masks == SupervisionTests.masks, "\(when)")
        #expect(!rig.controller.onAir.isEmpty, "\(when)")
        #expect(rig.host.advertisingStatus.onAir.count == kind.sets, "\(when)")
    }

    // MARK: - Restarts

    /// At any time after the start, before and after the first round; nothing of the host waits for it.
    @Test(arguments: Kind.all)
    func silentRestart(_ kind: Kind) throws {
        for milliseconds in [1, 400, 1001, 5000, 9990, 25_000] as [Double] {
            let rig = try rig(kind.controller, sets: kind.sets)
            rig.run(to: milliseconds)
            rig.controller.restart()
            _ = rig.takeOpcodes()
            rig.run(to: milliseconds + 30_000)
            expectRestored(rig, kind, "after \(milliseconds) ms")
            // The addresses and the data are the host's again.
            let opcodes = rig.takeOpcodes()
            #expect(opcodes.contains(kind.controller.supported[36] == 0 ? 0x2008 : 0x2037), "after \(milliseconds) ms")
        }
    }

    /// It is a failure of the controller, told with its links.
    @Test func aRestartIsAFailure() throws {
        var controller = ScriptedController.extended
        SupervisionTests.addSetting(&controller)
        let rig = try rig(controller)
        rig.run(to: 5000)
        let link = try rig.link()
        rig.controller.restart()
        rig.run(to: 11_000)
        #expect(
            rig.takeEvents().prefix(2) == [
                .disconnected(link, reason: .hardwareFailure),
                .controllerFailed(.stateLost("its settings are those of a restart")),
            ])
        #expect(rig.takeAdvertising() == [AdvertisingStatus(), AdvertisingStatus(onAir: [1])])
    }

    /// Command Complete without an opcode, although the host waits for nothing (4.4); boot events of vendors.
    @Test(arguments: [
        "040e03010000", "040f0400010000", "04ff03010001", "04ff0702000102030405", "04ff0101",
    ])
    func bootEvent(_ event: String) throws {
        for kind in Kind.all {
            for milliseconds in [1, 5000, 70_000] as [Double] {
                let rig = try rig(kind.controller, sets: kind.sets)
                rig.run(to: milliseconds)
                rig.controller.restart()
                _ = rig.takeOpcodes()
                rig.send(octets(event))
                rig.run(to: milliseconds + 900)
                #expect(resets(rig) == 1, "\(kind.testDescription) after \(milliseconds) ms")
                expectRestored(rig, kind, "\(kind.testDescription) after \(milliseconds) ms")
            }
        }
    }

    /// The same octets from a controller that has not restarted: it is asked, and nothing happens.
    @Test func bootEventsWithoutARestart() throws {
        let rig = try rig(.extended)
        rig.join()
        rig.run(to: 5000)
        for second in 6..<600 {
            rig.run(to: Double(second) * 1000)
            rig.send(octets("040e03010000"))
            rig.send(octets("04ff03010001"))
        }
        #expect(resets(rig) == 0)
    }

    /// One that reports its start after each reset, late and without an answer that shows anything.
    @Test func bootEventAfterEachReset() throws {
        let rig = try rig(.extended)
        var count = 0
        for second in 1..<600 {
            rig.run(to: Double(second) * 1000)
            for opcode in rig.takeOpcodes() where opcode == 0x0C03 { count += 1 }
            rig.send(octets("040e03010000"))
        }
        #expect(count <= 3)
        #expect(!rig.controller.onAir.isEmpty)
    }

    /// The number of commands that are accepted rises from 0: that is what the event is for (4.4).
    @Test func flowControlIsNoBootEvent() throws {
        let rig = try rig(.extended)
        rig.controller.credits = 0
        rig.act { $0.setAdvertising(enabled: false, at: $1) }
        rig.controller.credits = 1
        rig.send(octets("040e03010000"))
        rig.act { $0.setAdvertising(enabled: true, at: $1) }
        #expect(rig.takeOpcodes() == [0x2039, 0x2039])
    }

    /// Nothing was on the air and nothing was verified: before it is again, everything is set again.
    @Test(arguments: [ScriptedController.extended, .legacy])
    func restartWhileNothingIsClaimed(_ controller: ScriptedController) throws {
        let rig = try rig(controller)
        rig.act { $0.setAdvertising(enabled: false, at: $1) }
        #expect(rig.nextDeadline == nil)
        rig.run(to: 60_000)
        rig.controller.restart()
        rig.act { $0.setAdvertising(enabled: true, at: $1) }
        rig.run(to: 61_000)
        #expect(rig.controller.masks == SupervisionTests.masks)
        let isLegacy = controller.supported[36] == 0
        #expect(rig.takeOpcodes().contains(isLegacy ? 0x2005 : 0x2036))
        #expect(rig.host.advertisingStatus.onAir == [1])
    }

    /// It answers nothing any more: a question shows that as well.
    @Test(arguments: Kind.all)
    func aHungController(_ kind: Kind) throws {
        let rig = try rig(kind.controller, sets: kind.sets)
        rig.run(to: 5000)
        rig.isAnswering = false
        rig.run(to: 30_000)
        #expect(rig.events.contains { if case .controllerFailed(.commandTimeout) = $0 { true } else { false } })
        #expect(rig.host.advertisingStatus.onAir == [])
    }

    // MARK: - Questions

    /// One command each 10 s, and one for each set and each link that says nothing.
    @Test func theQuestionsOfARound() throws {
        var controller = ScriptedController.extended
        SupervisionTests.addSetting(&controller)
        let rig = try rig(controller, sets: 2)
        rig.run(to: 999)
        #expect(rig.takeCommands() == [])
        let round = [
            "232000", "010c08" + "9080000200800020", "012008" + "550a020000000000", "352007" + "01" + "0144332211c0",
            "352007" + "02" + "0244332211c0",
        ]
        rig.run(to: 1000)
        #expect(rig.takeCommands() == round)
        rig.run(to: 10_999)
        #expect(rig.takeCommands() == [])
        rig.run(to: 11_000)
        #expect(rig.takeCommands() == round)
        rig.join()
        _ = rig.takeCommands()
        rig.run(to: 21_000)
        // The link is new: the question about it is tried.
        #expect(Set(rig.takeCommands()) == Set(round + ["051402" + "4000"]))
        rig.att(0x40, [0x0A, 0x03, 0x00])
        rig.run(to: 31_100)
        #expect(rig.takeCommands().contains("051402" + "4000") == false)
        rig.run(to: 61_000)
        #expect(rig.takeCommands().count { $0 == "051402" + "4000" } >= 2)
        #expect(rig.takeEvents().count == 1)
    }

    /// A controller that accepts everything at any time, as Bumble's: no answer shows anything, so nothing is reset,
    /// and the state is set again.
    @Test(arguments: [ScriptedController.extended, .legacy])
    func aControllerThatAcceptsEverything(_ controller: ScriptedController) throws {
        let rig = try rig(controller)
        let isLegacy = controller.supported[36] == 0
        func accept() {
            rig.controller.answers = [:]
            for opcode in [0x2005, 0x2006, 0x2035, 0x2036, 0x2039] as [UInt16] {
                rig.controller.answers[opcode] = Array(repeating: [0x00], count: 100)
            }
        }
        for second in 1...600 {
            accept()
            rig.run(to: Double(second) * 1000)
        }
        #expect(resets(rig) == 0)
        #expect(rig.host.advertisingStatus.onAir == [1])
        rig.controller.restart()
        for second in 601...630 {
            accept()
            rig.run(to: Double(second) * 1000)
        }
        #expect(rig.controller.masks == SupervisionTests.masks)
        #expect(!rig.controller.onAir.isEmpty)
        if isLegacy { #expect(rig.takeOpcodes().contains(0x2008)) }
    }

    /// A question that is refused, or never answered, is no reason to reset.
    @Test(arguments: [0x01, 0x11, 0x12, 0x1F, nil] as [UInt8?])
    func questionsThatShowNothing(status: UInt8?) throws {
        for var controller in [ScriptedController.extended, .legacy] {
            SupervisionTests.addSetting(&controller)
            let rig = try rig(controller)
            let opcodes: [UInt16] = [0x2005, 0x2006, 0x2023, 0x2035, 0x1405]
            if let status {
                for opcode in opcodes { rig.controller.refused[opcode] = status }
            } else {
                // What also configures must be answered.
                guard controller.supported[36] != 0 else { continue }
                rig.controller.silent = Set(opcodes)
            }
            rig.join()
            rig.run(to: 300_000)
            #expect(resets(rig) == 0)
            #expect(rig.takeEvents().count == 1)
        }
    }

    /// An answer that comes and goes whatever the state resets the controller three times at most, in ten minutes.
    @Test func anAnswerThatIsNotToBeBelieved() throws {
        let rig = try rig(.extended)
        var count = 0
        for second in 1...600 {
            rig.run(to: Double(second) * 1000)
            count += resets(rig)
            // Disallowed in one round, accepted in the next.
            if second % 20 == 15 { rig.controller.answers = [0x2035: [[0x00]]] }
        }
        #expect((1...3).contains(count))
        #expect(rig.host.advertisingStatus.onAir == [1])
    }

    // MARK: - Lost events

    /// A central has connected, and neither event has arrived: advertising has stopped.
    @Test(arguments: [ScriptedController.extended, .legacy])
    func lostConnection(_ controller: ScriptedController) throws {
        for milliseconds in [400, 5000] as [Double] {
            let rig = try rig(controller)
            rig.run(to: milliseconds)
            rig.controller.onAir = []
            rig.run(to: milliseconds + 12_100)
            #expect(!rig.controller.onAir.isEmpty)
            if milliseconds > 1000 {
                #expect(rig.takeEvents().first == .controllerFailed(.stateLost("advertising set 1 is off")))
            }
        }
    }

    /// The same answer, and the event of the connection comes within a second.
    @Test func connectionThatComesAfterTheAnswer() throws {
        for controller in [ScriptedController.extended, .legacy] {
            let rig = try rig(controller)
            rig.run(to: 10_999)
            rig.controller.onAir = []
            rig.run(to: 11_000)
            // Until it is explained, it is not claimed to be on.
            #expect(rig.takeAdvertising() == [AdvertisingStatus()])
            rig.run(to: 11_900)
            rig.join()
            rig.run(to: 60_000)
            #expect(resets(rig) == 0)
            #expect(rig.takeAdvertising() == [AdvertisingStatus(onAir: [1])])
        }
    }

    /// With several sets, each is asked about.
    @Test func lostConnectionToOneOfTheSets() throws {
        let rig = try rig(.extended, sets: 3)
        rig.run(to: 5000)
        rig.controller.onAir.remove(2)
        rig.run(to: 20_000)
        #expect(rig.takeEvents().first == .controllerFailed(.stateLost("advertising set 2 is off")))
        #expect(rig.controller.onAir == [1, 2, 3])
    }

    /// The phone of an unreported connection sends data. The controller is asked by ending it (7.1.6).
    @Test func dataOfAnUnreportedLink() throws {
        let rig = try rig(.extended)
        rig.run(to: 3000)
        rig.controller.handles = [0x47]
        _ = rig.takeCommands()
        rig.att(0x47, [0x02, 0x05, 0x02])
        rig.run(to: 3999)
        #expect(rig.takeCommands() == [])
        rig.run(to: 4000)
        #expect(rig.takeCommands().prefix(2) == ["060403" + "4700" + "13", "030c00"])
        #expect(
            rig.takeEvents().first
                == .controllerFailed(.stateLost("it has a link, handle 0x0047, that it did not report")))
    }

    /// Every event that names a handle is a sign as well.
    @Test(arguments: [
        "043e0a" + "03004700180000009001", "043e0d" + "05470001020304050607080910", "040804" + "00470001",
        "043003" + "004700", "041305" + "0147000100", "043e06" + "0c0047000101", "043e06" + "120001470000",
    ])
    func eventOfAnUnreportedLink(_ event: String) throws {
        let rig = try rig(.extended)
        rig.run(to: 3000)
        rig.controller.handles = [0x47]
        rig.send(octets(event))
        rig.run(to: 4000)
        #expect(resets(rig) == 1)
    }

    /// The last data of a connection that has ended, late: the controller does not know the handle.
    @Test func dataOfALinkThatWas() throws {
        let rig = try rig(.extended)
        rig.run(to: 3000)
        rig.att(0x47, [0x02, 0x05, 0x02])
        rig.run(to: 9000)
        #expect(rig.takeCommands().filter { $0.hasPrefix("0604") } == ["060403" + "4700" + "13"])
        #expect(rig.takeEvents() == [])
        // Within a second after the end, nothing is asked.
        rig.join()
        rig.disconnected(0x40)
        rig.att(0x40, [0x02, 0x05, 0x02])
        rig.run(to: 60_000)
        #expect(!rig.takeCommands().contains { $0.hasPrefix("0604") })
    }

    /// A connection whose event is late by less than a second is served.
    @Test func connectionThatComesAfterItsData() throws {
        let rig = try rig(.extended)
        rig.run(to: 3000)
        rig.controller.handles = [0x40]
        rig.att(0x40, [0x02, 0x05, 0x02])
        rig.run(to: 3500)
        rig.join()
        rig.run(to: 9000)
        #expect(rig.takeEvents().count == 1 && resets(rig) == 0)
    }

    /// The link of a phone that has left, without the event.
    @Test(arguments: ["051402" + "4000", "1d0402" + "4000"])
    func lostDisconnection(question: String) throws {
        var controller = ScriptedController.extended
        if !question.hasPrefix("0514") { controller.supported[15] = 0 }
        // Read Remote Version Information.
        if question.hasPrefix("1d04") { controller.supported[2] = 0x80 }
        let rig = try rig(controller)
        let link = try rig.link()
        rig.run(to: 5000)
        rig.controller.handles = []
        rig.run(to: 33_000)
        #expect(rig.takeCommands().contains(question))
        let events = rig.takeEvents()
        #expect(
            events.prefix(2) == [
                .disconnected(link, reason: .hardwareFailure),
                .controllerFailed(.stateLost("link 1 is unknown to it")),
            ])
    }

    /// The same within a second after its beginning: no command has succeeded, and none knows the handle.
    @Test func lostDisconnectionBeforeTheFirstQuestion() throws {
        var controller = ScriptedController.extended
        controller.supported[2] = 0x80
        let rig = try rig(controller)
        let link = try rig.link()
        rig.controller.handles = []
        rig.run(to: 20_000)
        #expect(Set(rig.takeCommands()).isSuperset(of: ["051402" + "4000", "1d0402" + "4000"]))
        #expect(
            rig.takeEvents().prefix(2) == [
                .disconnected(link, reason: .hardwareFailure),
                .controllerFailed(.stateLost("link 1 is unknown to it")),
            ])
    }

    /// A controller that says so of every handle: traffic, or nothing, shows that the link lives.
    @Test func aControllerThatKnowsNoHandle() throws {
        let rig = try rig(.extended)
        rig.controller.refused = [0x1405: 0x02]
        let link = try rig.link()
        rig.run(to: 300_000)
        #expect(resets(rig) == 0)
        #expect(rig.readRSSI(link))
    }

    /// The event of the end comes after the answer.
    @Test func disconnectionThatComesAfterTheAnswer() throws {
        let rig = try rig(.extended)
        let link = try rig.link()
        rig.run(to: 10_000)
        rig.controller.handles = []
        rig.run(to: 11_500)
        rig.disconnected(0x40, reason: 0x08)
        rig.run(to: 60_000)
        #expect(rig.takeEvents() == [.disconnected(link, reason: .connectionTimeout)] && resets(rig) == 0)
    }

    /// The host ends a link that the controller does not have, and no event follows.
    @Test func aLinkThatIsGoneWhenItIsEnded() throws {
        let rig = try rig(.extended)
        let link = try rig.link()
        rig.run(to: 5000)
        rig.controller.handles = []
        rig.act { $0.disconnect(link, reason: .remoteUserTerminated, at: $1) }
        _ = rig.takeOpcodes()
        rig.run(to: 6000)
        #expect(resets(rig) == 1)
        #expect(rig.takeEvents().first == .disconnected(link, reason: .hardwareFailure))
    }

    /// The handle of a link is used again: the event of its end was lost, and others may be.
    @Test func aHandleThatIsUsedAgain() throws {
        let rig = try rig(.legacy)
        rig.run(to: 5000)
        rig.join()
        _ = rig.takeCommands()
        rig.run(to: 6000)
        rig.join()
        rig.run(to: 6001)
        #expect(rig.takeCommands().contains("052006" + "0144332211c0"))
        #expect(rig.host.advertisingStatus.onAir == [1])
    }
}
