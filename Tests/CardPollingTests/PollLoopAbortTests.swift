// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CardPolling

/// Commands that a card prolongs, as by S(WTX) without end (ISO/IEC 14443-4, 7.3): the next command ends them
/// (PN532 user manual UM0701-02, 6.2.2.2), and only a chip without an answer to that one has failed.
@Suite struct PollLoopAbortTests {
    private static let version = "32 01 06 07"
    private static let select: [UInt8] = [0x00, 0xA4, 0x04, 0x00]
    private static let exchange = "40 01 00 A4 04 00"

    /// A chip with a card whose answer is awaited.
    private func exchanging() -> PolledChip {
        var chip = PolledChip()
        chip.setUp()
        chip.command("4A 01 00", Listed.card)
        chip.ask(.card(.random), .transmit(Self.select))
        return chip
    }

    @Test func aCardThatProlongsItsAnswerIsDroppedAndTheChipPolls() {
        var chip = exchanging()
        chip.result(of: Self.exchange, .noResponse, after: 2500)
        #expect(chip.events.isEmpty)
        chip.command("02", Self.version)
        #expect(chip.events == [.cardLost(.answer)])
        chip.reset(10)
        // It stays, and is not served again; then the next card is.
        chip.command("4A 01 00", Listed.card)
        chip.reset(96)
        for _ in 0..<6 where chip.loop.isClearing {
            chip.emptyRound()
            if chip.loop.isClearing { chip.reset(88) }
        }
        chip.pause(90)
        chip.command("4A 01 00", Listed.card)
        chip.ask(.card(.random), .release)
        #expect(chip.loop.counts.cards == 2 && chip.loop.counts.lost == 1)
    }

    /// Ten seconds of such a card are one loss, and no failure of the chip.
    @Test func aCardThatStaysIsOneLoss() {
        var chip = exchanging()
        chip.result(of: Self.exchange, .noResponse, after: 2500)
        chip.command("02", Self.version)
        chip.reset(10)
        while chip.now < .seconds(10) {
            chip.command("4A 01 00", Listed.card)
            chip.reset(96)
        }
        #expect(chip.events == [.cardLost(.answer)])
    }

    /// Each exchange may last 2.5 s, and all of them 3 s.
    @Test func theTransactionsEndEndsAnExchange() {
        var chip = exchanging()
        #expect(chip.step == .command(octets(Self.exchange), milliseconds: 2500))
        chip.command(Self.exchange, "00 90 00", after: 1600)
        chip.ask(.response([0x90, 0x00]), .transmit(Self.select))
        #expect(chip.step == .command(octets(Self.exchange), milliseconds: 1400))
        chip.result(of: Self.exchange, .noResponse, after: 1400)
        chip.command("02", Self.version)
        #expect(chip.events == [.cardLost(.slow)])
        chip.reset(10)
    }

    @Test(arguments: [PollResult.noResponse, .failed]) func aChipThatDoesNotEndTheExchangeHasFailed(
        _ result: PollResult
    ) {
        var chip = exchanging()
        chip.result(of: Self.exchange, .noResponse, after: 2500)
        chip.result(of: "02", result, after: 500)
        if result == .failed { chip.result(of: "02", result) }
        let reason = result == .failed ? "no valid answer from the chip" : "no answer from the chip"
        #expect(chip.step == .fail(reason) && chip.events == [.cardLost(.chip)])
    }

    /// The late response crosses the new command: as a response of another length, or as one of another command.
    @Test(arguments: [PollResult.response([0x00, 0x90, 0x00]), .failed])
    func aLateResponseIsPassedOverOnce(_ late: PollResult) {
        var chip = exchanging()
        chip.result(of: Self.exchange, .noResponse, after: 2500)
        chip.result(of: "02", late)
        chip.command("02", Self.version)
        #expect(chip.events == [.cardLost(.answer)])
        chip.reset(10)
    }

    /// An activation that a card prolongs, as by the waiting time that it asks for (ISO/IEC 14443-3, 7.9.4.3).
    @Test(arguments: ["4A 01 00", "4A 01 03 00"]) func aProlongedActivationIsTriedOnceMore(_ request: String) {
        var chip = PolledChip()
        chip.setUp()
        for _ in 0..<2 {
            if request != "4A 01 00" { chip.command("4A 01 00", "00") }
            chip.result(of: request, .noResponse, after: 500)
            chip.command("02", Self.version)
            chip.reset(10)
        }
        #expect(chip.events == [.cardLost(.activation), .cardLost(.activation)] && chip.loop.isClearing)
        chip.emptyRound()
    }

    /// A chip without a working transmitter answers each query, and no request.
    @Test func aChipThatCompletesNoRequestHasFailed() {
        var chip = PolledChip()
        chip.setUp()
        for request in 1...PollLoop.abortedRequestLimit {
            chip.result(of: "4A 01 00", .noResponse, after: 500)
            chip.command("02", Self.version)
            if request < PollLoop.abortedRequestLimit { chip.reset(10) }
        }
        #expect(chip.step == .fail("the chip completes no request for cards"))
        #expect(chip.now < .seconds(5))
    }

    @Test func aReleaseThatACardProlongsIsTheResetOfTheField() {
        for order in [CardOrder.release, .tryNext] {
            var chip = PolledChip()
            chip.setUp()
            chip.command("4A 01 00", Listed.card)
            chip.ask(.card(.random), order)
            chip.result(of: "44 01", .noResponse, after: 500)
            chip.command("02", Self.version)
            chip.reset(10)
            #expect(chip.loop.isClearing && chip.events.isEmpty)
        }
    }

    /// No card has a part in the setup and in the field's state.
    @Test func anyOtherCommandWithoutAResponseIsTheChips() {
        var chip = PolledChip()
        chip.setUp()
        chip.command("4A 01 00", Listed.classic)
        chip.command("44 01", "00")
        chip.command("4A 01 00", "00")
        chip.command("4A 01 03 00", "00")
        chip.result(of: "32 01 00", .noResponse, after: 500)
        #expect(chip.step == .fail("no answer from the chip"))
    }
}
