// SPDX-License-Identifier: Apache-2.0

import CardFormats
import TestSupport
import Testing
import Timekeeping

@testable import OSDP

/// The time of octets, orders and reports: 20 ms of silence end a frame, and what cannot be answered within 200 ms is
/// not executed.
struct OSDPLateTests {
    private let on = OSDPCommand.outputs([OSDPOutputOrder(output: 0, control: .on)])

    private func frame(_ command: OSDPCommand, to address: UInt8 = 5, sequence: UInt8 = 0) -> [UInt8] {
        OSDPFrame(
            address: address, isReply: false, sequence: sequence, check: .crc, code: command.code.rawValue,
            data: command.data
        ).octets
    }

    private func reply(_ address: UInt8) -> [UInt8] {
        OSDPFrame(address: address, isReply: true, sequence: 0, check: .crc, code: 0x40).octets
    }

    private static let cut = Array(
        OSDPFrame(
            address: 5, isReply: false, sequence: 0, check: .crc, code: 0x69,
            data: OSDPLightOrder(setsPermanent: true, permanentBlinking: .init(onColor: .red)).encoded
        ).octets.prefix(8))

    private static let beginnings = [[0x53], octets("53 12 40 00"), octets("53 12 A0 05"), octets("53 05 08 00"), cut]

    /// The beginning of a frame, 30 ms, and a command: it is answered at once and never again.
    @Test(arguments: beginnings) func theBeginningOfAFrameIsForgottenAfterThePause(_ beginning: [UInt8]) throws {
        var panel = TestPanel()
        #expect(panel.put(beginning).isEmpty)
        panel.wait(.milliseconds(30))
        let answer = try panel.reply(panel.put(frame(on)))
        #expect(answer == .acknowledged && panel.device.outputStates == [true, false])
        panel.wait(.milliseconds(200))
        #expect(panel.put(frame(.poll, to: 1)).isEmpty)
        panel.wait(.milliseconds(30))
        #expect(panel.put(reply(1)).isEmpty)
    }

    /// The loop looks at the line at the end of the pause: nothing is held after it.
    @Test func thePauseHasADeadline() {
        var panel = TestPanel()
        panel.put([0x53])
        #expect(panel.device.deadline == panel.now + .milliseconds(20))
        panel.wait(.milliseconds(20))
        #expect(panel.device.deadline == nil)
    }

    /// A pause within an order: its rest is noise.
    @Test func anOrderWithAPauseInItIsNoOrder() {
        var panel = TestPanel()
        let octets = frame(on)
        for cut in 1..<octets.count {
            #expect(panel.put(Array(octets[..<cut])).isEmpty)
            panel.wait(.milliseconds(21))
            #expect(panel.put(Array(octets[cut...])).isEmpty)
            panel.wait(.milliseconds(21))
        }
        #expect(panel.device.outputStates == [false, false])
    }

    /// Octets that the loop did not look at in the meantime may have come without a pause.
    @Test func octetsOfUnknownTimesAreOneFrame() throws {
        var panel = TestPanel()
        let octets = frame(on)
        panel.put(Array(octets[..<4]))
        panel.now = panel.now + .milliseconds(35)
        #expect(try panel.reply(panel.put(Array(octets[4...]), age: .milliseconds(35))) == .acknowledged)
        // With a sure pause they are two pieces of noise.
        panel.put(Array(octets[..<4]))
        panel.now = panel.now + .milliseconds(35)
        #expect(panel.put(Array(octets[4...]), age: .milliseconds(10)).isEmpty)
    }

    @Test func aLateOrderIsNeitherAnsweredNorExecuted() throws {
        var panel = TestPanel(key: TestPanel.key)
        #expect(try panel.secure(TestPanel.key))
        panel.wait(.milliseconds(500))
        var session = try #require(panel.session)
        let sealed = try session.seal(
            OSDPFrame(
                address: 5, isReply: false, sequence: panel.sequence, check: .crc, code: on.code.rawValue, data: on.data
            ))
        #expect(panel.put(sealed.octets, age: .milliseconds(201)).isEmpty)
        #expect(panel.device.outputStates == [false, false] && panel.device.lastTrusted == .origin)
        panel.wait(.milliseconds(20))
        // The panel repeats it: as though it came for the first time.
        panel.session = session
        #expect(try panel.reply(panel.put(sealed.octets, age: .milliseconds(200))) == .acknowledged)
        #expect(panel.device.outputStates == [true, false])
    }

    /// All that piled up belongs together: nothing of it is executed, until the line is silent.
    @Test func whatFollowsLateOctetsIsDroppedUntilAPause() throws {
        var panel = TestPanel()
        #expect(panel.put(frame(on) + frame(on), age: .seconds(5)).isEmpty)
        for _ in 0..<5 {
            panel.wait(.milliseconds(19))
            #expect(panel.put(frame(on)).isEmpty)
        }
        #expect(panel.device.outputStates == [false, false])
        panel.wait(.milliseconds(20))
        #expect(try panel.reply(panel.put(frame(on))) == .acknowledged)
    }

    /// A line that is never silent is not lost for good.
    @Test func aLineWithoutPausesIsHeardAgain() throws {
        var panel = TestPanel()
        #expect(panel.put([0x53], age: .seconds(5)).isEmpty)
        var turns = 0
        while panel.put(frame(on)).isEmpty, turns < 100 {
            panel.wait(.milliseconds(10))
            turns += 1
        }
        #expect(turns == 20)
    }

    /// Orders of every kind.
    @Test func noLateOrderHasAnEffect() throws {
        let orders: [OSDPCommand] = OSDPMessageTests.commands.map(\.0)
        for order in orders {
            var panel = TestPanel(key: TestPanel.key) { $0.fileLimit = 1 << 20 }
            panel.device.openInstallation(until: panel.now + .seconds(60))
            #expect(try panel.secure(TestPanel.key))
            panel.effects = []
            let sealed = try #require(
                try panel.session?.seal(
                    OSDPFrame(
                        address: 5, isReply: false, sequence: panel.sequence, check: .crc, code: order.code.rawValue,
                        data: order.data)))
            #expect(panel.put(sealed.octets, age: .milliseconds(250)).isEmpty, "\(order)")
            #expect(panel.effects == [.notice(.late(.milliseconds(250)))], "\(order)")
            #expect(panel.device.line == OSDPLine(address: 5, speed: 9600) && panel.device.isSecure)
        }
    }

    /// A panel that has gone on is not answered, whatever it said before.
    @Test func onlyTheLastMessageIsAnswered() throws {
        var panel = TestPanel()
        let off = frame(.outputs([OSDPOutputOrder(output: 1, control: .on)]))
        #expect(try panel.reply(panel.put(frame(on) + off)) == .acknowledged)
        #expect(panel.device.outputStates == [false, true])
        for rest in [frame(.poll, to: 1), reply(1), [0x53], Array(frame(.poll, to: 1).prefix(6))] {
            #expect(panel.put(frame(on) + rest).isEmpty)
            panel.wait(.milliseconds(20))
        }
        #expect(panel.device.outputStates == [false, true])
        // Noise and marks of a line that turns are no message.
        #expect(try panel.reply(panel.put(frame(on) + [0x00, 0xFF])) == .acknowledged)
        #expect(panel.device.outputStates == [true, true])
    }

    /// A command within a false start is found when that is over, which is too late: octets came after it.
    @Test(arguments: [UInt8(0x00), 0xFF]) func aCommandBehindAFalseStartIsNotAnsweredLater(_ filler: UInt8) {
        var panel = TestPanel()
        #expect(panel.put(octets("53 12 40 00") + frame(on)).isEmpty)
        for _ in 0..<60 {
            panel.wait(.milliseconds(15))
            #expect(panel.put([filler]).isEmpty)
        }
        #expect(panel.device.outputStates == [false, false])
    }

    /// A frame with a right check and a wrong header is answered in its time, too.
    @Test func aLateFrameWithAWrongHeaderIsNotRefused() throws {
        let content = octets("53 05 08 00 14 60")
        let frame = content + OSDPCheck.crc.octets(after: content)
        var panel = TestPanel()
        #expect(panel.put(frame, age: .milliseconds(201)).isEmpty)
        panel.wait(.milliseconds(20))
        #expect(try panel.reply(panel.put(frame)) == .refused(.length))
        #expect(panel.put(frame + self.frame(.poll, to: 1)).isEmpty)
    }

    /// A panel that waits 70 ms for a reply, two other devices, and the beginning of the longest frame.
    @Test func aBusyLineIsNotLostForLong() {
        var panel = TestPanel()
        var answers: [Int] = []
        panel.put(octets("53 12 A0 05"))
        for turn in 0..<9 {
            let address = [UInt8(5), 1, 2][turn % 3]
            // 9600 bit/s: the loop reads each octet as it comes.
            var sent: [UInt8] = []
            for octet in frame(.poll, to: address) {
                sent += panel.put([octet])
                panel.wait(.milliseconds(1))
            }
            if !sent.isEmpty { answers.append(turn) }
            if address == 5 {
                panel.wait(.milliseconds(70))
            } else {
                panel.wait(.milliseconds(3))
                #expect(panel.put(reply(address)).isEmpty)
                panel.wait(.milliseconds(3))
            }
        }
        // The first is lost with the false start; no answer comes in the time of another device.
        #expect(answers == [3, 6])
    }

    /// The time for an answer goes with it to the driver.
    @Test func anAnswerHasItsEnd() throws {
        var panel = TestPanel()
        panel.wait(.milliseconds(300))
        var ends: [Instant] = []
        panel.perform { device, now, random, effects in
            let poll = self.frame(.poll)
            device.receive(poll.span, at: now, age: .milliseconds(60), random: &random, effects: &effects)
            for case .transmit(_, let end) in effects { ends.append(end) }
        }
        #expect(ends == [panel.now + .milliseconds(140)])
    }
}

/// Keys that are stored slowly, and reports that the panel did not fetch in time.
struct OSDPLateReportTests {
    private func keySet(_ panel: inout TestPanel) throws -> [UInt8] {
        #expect(try panel.secure(TestPanel.key))
        #expect(try panel.send(.setKey(TestPanel.otherKey)) == nil)
        return panel.sent
    }

    private func stored(_ panel: inout TestPanel) -> [UInt8] {
        panel.perform { device, now, _, effects in device.keyStored(true, at: now, effects: &effects) }
    }

    /// The reply of a slow disk waits until the panel repeats the command: none comes in the time of another device.
    @Test func aKeyThatIsStoredSlowlyIsAcknowledgedWhenThePanelAsksAgain() throws {
        var panel = TestPanel(key: TestPanel.key)
        let command = try keySet(&panel)
        panel.wait(.milliseconds(201))
        #expect(stored(&panel).isEmpty, "an answer that nobody waits for")
        #expect(panel.device.hasKey && panel.notices.contains(.keyChanged))
        #expect(try panel.reply(panel.put(command)) == .acknowledged)
    }

    /// The repetition has its own time for the answer.
    @Test func aRepetitionIsAnsweredOnceTheKeyIsStored() throws {
        var panel = TestPanel(key: TestPanel.key)
        let command = try keySet(&panel)
        panel.wait(.milliseconds(900))
        #expect(panel.put(command).isEmpty)
        panel.wait(.milliseconds(200))
        let octets = stored(&panel)
        #expect(try panel.reply(octets) == .acknowledged)
    }

    /// 7.24: another command is told to wait, and ends the time for the answer to the first.
    @Test func anotherCommandMeanwhileGetsBusyAndNoLaterAnswer() throws {
        var panel = TestPanel(key: TestPanel.key)
        let command = try keySet(&panel)
        panel.wait(.milliseconds(50))
        let poll = OSDPFrame(address: 5, isReply: false, sequence: 0, check: .crc, code: 0x60).octets
        let busy = panel.put(poll)
        #expect(Array(busy.dropLast(2)) == [0xFF, 0x53, 0x85, 0x08, 0x00, 0x04, 0x79])
        #expect(stored(&panel).isEmpty)
        #expect(try panel.reply(panel.put(command)) == .acknowledged)
    }

    @Test func aKeyThatIsStoredInTimeIsAcknowledgedAtOnce() throws {
        var panel = TestPanel(key: TestPanel.key)
        _ = try keySet(&panel)
        panel.wait(.milliseconds(100))
        let octets = stored(&panel)
        #expect(try panel.reply(octets) == .acknowledged)
        panel.wait(.milliseconds(100))
        #expect(panel.device.isSecure)
    }

    private func card(_ number: UInt64) throws -> OSDPCardData {
        try CardFormat.bits26.card(facility: 1, number: number)
    }

    private func present(_ card: OSDPCardData, of time: Instant? = nil, _ panel: inout TestPanel) -> Bool {
        var isQueued = false
        panel.perform { device, now, _, effects in
            isQueued = device.present(card, of: time, at: now, effects: &effects)
        }
        return isQueued
    }

    /// A reply with a card is repeated while the card is fresh.
    @Test func aRepeatedCommandGetsNoOldCard() throws {
        var panel = TestPanel()
        try panel.send(.poll)
        let card = try card(1)
        #expect(present(card, &panel))
        panel.wait(.milliseconds(4500))
        #expect(try panel.send(.poll) == .card(card))
        panel.wait(.milliseconds(400))
        #expect(try panel.reply(panel.put(panel.sent)) == .card(card))
        panel.wait(.milliseconds(100))
        #expect(try panel.reply(panel.put(panel.sent)) == .refused(.sequence))
        panel.sequence = 0
        #expect(try panel.send(.poll) == .acknowledged)
        #expect(panel.notices.suffix(2) == [.eventsDropped(1), .cardDropped(card)])
    }

    /// A state is not repeated as new after the same time.
    @Test func aRepeatedCommandGetsNoOldState() throws {
        var panel = TestPanel()
        try panel.send(.poll)
        #expect(try panel.send(.inputStatus) == .inputStatus([.inactive, .inactive]))
        panel.wait(.seconds(4))
        #expect(try panel.reply(panel.put(panel.sent)) == .inputStatus([.inactive, .inactive]))
        panel.wait(.seconds(1))
        #expect(try panel.reply(panel.put(panel.sent)) == .refused(.sequence))
    }

    /// The panel begins again after the card's time: it may not have it, and does not get it.
    @Test func aReportIsNotMadeAgainAfterItsTime() throws {
        var panel = TestPanel()
        try panel.send(.poll)
        let card = try card(1)
        #expect(present(card, &panel))
        #expect(try panel.send(.poll) == .card(card))
        panel.wait(.seconds(5))
        panel.sequence = 0
        #expect(try panel.send(.poll) == .acknowledged)
        #expect(panel.notices.contains(.cardDropped(card)))
    }

    /// A card is as old as its request, however long its record took.
    @Test func theTimeOfACardIsThatOfItsRequest() throws {
        var panel = TestPanel()
        panel.wait(.seconds(6))
        let (old, young) = (try card(1), try card(2))
        try panel.send(.poll)
        #expect(!present(old, of: panel.now + .seconds(-5), &panel))
        #expect(present(old, of: panel.now + .milliseconds(-4900), &panel) && present(young, &panel))
        panel.wait(.milliseconds(100))
        #expect(try panel.send(.poll) == .card(young))
        #expect(try panel.send(.poll) == .acknowledged)
        #expect(panel.notices.contains(.cardDropped(old)) && panel.notices.last == .cardReported(young))
    }

    /// A stranger's next command does not show that the panel has a card.
    @Test func onlyThePanelConfirmsAReport() throws {
        var panel = TestPanel(key: TestPanel.key)
        #expect(try panel.secure(TestPanel.key))
        let card = try card(1)
        #expect(present(card, &panel))
        #expect(try panel.send(.poll) == .card(card))
        #expect(try panel.send(.identify, inClear: true) == .identity(TestPanel.identity))
        #expect(!panel.notices.contains(.cardReported(card)))
        panel.sequence = 0
        #expect(try panel.secure(TestPanel.key))
        #expect(try panel.send(.poll) == .card(card))
        #expect(try panel.send(.poll) == .acknowledged)
        #expect(panel.notices.last == .cardReported(card))
    }
}
