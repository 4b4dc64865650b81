// SPDX-License-Identifier: Apache-2.0

import CardPolling
import TestSupport
import Testing
import Timekeeping

@testable import Contactless

/// The poll loop with the line of a PN532 (UM0701-02, 6.2.1), here with a model of the chip.
@Suite struct PN532PollerTests {
    private static var settings: PollSettings {
        var settings = PollSettings()
        settings.role = .poll
        return settings
    }

    /// Runs the loop with the chip for this time in steps of a millisecond; returns what is neither a command nor an
    /// octet of the chip. Questions are answered by `order`.
    private func run(
        _ poller: inout PN532Poller, _ chip: inout PN532Chip, from start: Instant, _ milliseconds: Int,
        order: (PollQuestion) -> CardOrder? = { _ in nil }
    ) -> [PN532Poller.Output] {
        var found: [PN532Poller.Output] = []
        for millisecond in 0..<milliseconds {
            let now = start + .milliseconds(millisecond)
            chip.advance(to: now)
            for case .host(let octets) in chip.takeOutputs() { poller.receive(octets.span) }
            while let output = poller.next(at: now) {
                switch output {
                case .command(_, let frame): chip.receive(frame.span, at: now)
                case .question(let question):
                    found.append(output)
                    if let order = order(question) { poller.receive(order: order) }
                default: found.append(output)
                }
                for case .host(let octets) in chip.takeOutputs() { poller.receive(octets.span) }
            }
        }
        return found
    }

    @Test func theFirstCommandIsThatOfTheLoopInAFrame() {
        var poller = PN532Poller(PN532PollerTests.settings)
        #expect(poller.nextDeadline == nil && poller.next(at: .origin) == nil)
        poller.start(at: .origin)
        #expect(poller.next(at: .origin) == .command([0x02], frame: octets("0000ff02fed4022a00")))
        #expect(poller.next(at: .origin) == nil && poller.nextDeadline == .origin + .milliseconds(500))
    }

    @Test func aSilentChipEndsTheLoop() {
        var poller = PN532Poller(PN532PollerTests.settings)
        poller.start(at: .origin)
        _ = poller.next(at: .origin)
        #expect(poller.next(at: .origin + .milliseconds(499)) == nil)
        #expect(poller.next(at: .origin + .milliseconds(500)) == .failed("no answer from the chip"))
        #expect(poller.next(at: .origin + .seconds(9)) == nil && poller.nextDeadline == nil)
    }

    @Test func aCardIsAQuestionThatTheReaderAnswers() throws {
        var poller = PN532Poller(PN532PollerTests.settings)
        var chip = PN532Chip()
        poller.start(at: .origin)
        #expect(chip.field.names.isEmpty && run(&poller, &chip, from: .origin, 300).isEmpty)
        // An order that nothing asks for is not kept.
        poller.receive(order: .release)
        _ = chip.enter("card", CardActivation(random: (1, 2, 3)))
        let found = run(&poller, &chip, from: .origin + .milliseconds(300), 1300)
        guard case .question(.card(let card))? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(card.takesAPDUs && !poller.awaitsOrder)
        // A reader without an order loses the card after its second.
        #expect(found.dropFirst().first == .event(.cardLost(.noOrder)))
    }

    @Test func anOrderIsTransmitted() {
        var poller = PN532Poller(PN532PollerTests.settings)
        var chip = PN532Chip()
        poller.start(at: .origin)
        _ = chip.enter("card", CardActivation(random: (1, 2, 3)))
        let found = run(&poller, &chip, from: .origin, 1800) { _ in .transmit([0x00, 0xA4, 0x04, 0x00]) }
        // The card is silent: the chip's own time-out of 1.6 s ends the exchange.
        #expect(found.dropFirst().first == .event(.cardLost(.left)), "\(found)")
    }
}
