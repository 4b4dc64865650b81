// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CardPolling

/// Cards in the field: transactions, several cards, loss and removal.
@Suite struct PollLoopCardTests {
    private let select = octets("00 A4 04 00 05 F0 72 65 61 64 00")

    /// A chip with a card in the field that is served.
    private func served(_ settings: PollSettings = .polling) -> PolledChip {
        var chip = PolledChip(settings)
        chip.setUp()
        chip.command("4A 01 00", Listed.card)
        return chip
    }

    @Test func aTransaction() {
        var chip = served()
        chip.ask(.card(.random), .transmit(select))
        chip.command("40 01 00 A4 04 00 05 F0 72 65 61 64 00", "00 6F 00 90 00", after: 30)
        chip.ask(.response(octets("6F 00 90 00")), .transmit([0x80, 0x12, 0, 0, 0]))
        chip.command("40 01 80 12 00 00 00", "00 90 00")
        chip.ask(.response([0x90, 0x00]), .release)
        chip.command("44 01", "00")
        chip.reset(10)
        #expect(chip.loop.counts.cards == 1 && chip.loop.counts.lost == 0 && chip.events.isEmpty)
    }

    @Test func aCardOfTypeB() {
        var chip = PolledChip()
        chip.setUp()
        chip.command("4A 01 00", "00")
        chip.command("4A 01 03 00", Listed.typeB)
        let card = FoundCard(
            technology: .b, identifierCount: 4, hasRandomIdentifier: false, sak: nil,
            answer: octets("50 11 22 33 44 00 00 00 00 00 81 81"), takesAPDUs: true)
        chip.ask(.card(card), .release)
        chip.command("44 01", "00")
    }

    /// Two consecutive rounds without a card, at least 400 ms after the last with one. The identifier is not compared:
    /// a phone shows another one in each round.
    @Test func aCardThatStaysIsServedOnce() {
        var chip = served()
        chip.ask(.card(.random), .release)
        chip.command("44 01", "00")
        chip.reset(10)
        for identifier in 0..<5 {
            chip.command("4A 01 00", "01 01 00 04 20 04 08 01 02 0\(identifier) 05 78 80 70 02")
            chip.reset(96)
        }
        // One round without a card, and it is seen again: the time starts again.
        chip.emptyRound()
        chip.reset(88)
        chip.command("4A 01 00", Listed.card)
        let seen = chip.now
        chip.reset(96)
        for _ in 0..<3 {
            chip.emptyRound()
            #expect(chip.loop.isClearing && chip.now - seen < .milliseconds(400))
            chip.reset(88)
        }
        #expect(chip.loop.counts.cards == 1)
        chip.emptyRound()
        #expect(chip.now - seen >= .milliseconds(400))
        #expect(!chip.loop.isClearing && chip.events == [.fieldEmpty])
        chip.pause(90)
        // The next touch is served.
        chip.command("4A 01 00", Listed.card)
        chip.ask(.card(.random), .release)
        #expect(chip.loop.counts.cards == 2)
    }

    /// A card that is not this reader's is halted, and the next request finds another.
    @Test func theNextCardIsTriedUntilOneIsServed() {
        var chip = served()
        chip.ask(.card(.random), .tryNext)
        chip.command("44 01", "00")
        chip.command("4A 01 00", Listed.desfire)
        let desfire = FoundCard(
            technology: .a, identifierCount: 7, hasRandomIdentifier: false, sak: 0x20,
            answer: octets("75 77 81 02 80"), takesAPDUs: true)
        chip.ask(.card(desfire), .release)
        // At most one card is decided: the third is not tried.
        chip.command("44 01", "00")
        chip.reset(10)
        #expect(chip.loop.counts.cards == 2)
    }

    @Test func onceEachCardWasTriedTheFieldHasToBeEmpty() {
        var chip = served()
        chip.ask(.card(.random), .tryNext)
        chip.command("44 01", "00")
        chip.emptyRound()
        chip.reset(10)
        #expect(chip.loop.isClearing)
    }

    @Test func moreCardsThanAreTriedAreRejected() {
        var chip = served()
        for _ in 0..<4 {
            chip.ask(.card(.random), .tryNext)
            chip.command("44 01", "00")
            chip.command("4A 01 00", Listed.card)
        }
        #expect(chip.events == [.cardRejected(.random, .tooMany)])
        chip.command("44 01", "00")
        chip.reset(10)
        #expect(chip.loop.counts.cards == 4 && chip.loop.counts.rejected == 1)
    }

    /// SAK without bit 6: the card has an identifier only, which proves nothing.
    @Test(arguments: ["00", "08", "09", "18", "88"]) func anIdentifierIsRejected(_ sak: String) {
        var chip = PolledChip()
        chip.setUp()
        chip.command("4A 01 00", "01 01 00 04 \(sak) 04 12 34 56 78")
        guard case .cardRejected(let card, .identifierOnly) = chip.events.first, chip.events.count == 1 else {
            Issue.record("\(chip.events)")
            return
        }
        #expect(!card.takesAPDUs && chip.loop.counts.rejected == 1 && chip.loop.counts.cards == 0)
        // Another card in the same wallet is tried.
        chip.command("44 01", "00")
        chip.command("4A 01 00", Listed.card)
        chip.ask(.card(.random), .release)
    }

    @Test func aCardOfTypeBWithoutAPDUsIsRejected() {
        var chip = PolledChip()
        chip.setUp()
        chip.command("4A 01 00", "00")
        chip.command("4A 01 03 00", "01 01 50 11 22 33 44 00 00 00 00 00 80 81 01 00")
        #expect(chip.loop.counts.rejected == 1)
    }

    /// A card that was moved is tried once more, from the beginning and with the field reset.
    @Test func aCardThatLeavesIsTriedOnceMore() {
        var chip = served()
        chip.ask(.card(.random), .transmit(select))
        chip.result(of: "40 01 00 A4 04 00 05 F0 72 65 61 64 00", .exchangeFailed)
        #expect(chip.events == [.cardLost(.left)])
        chip.result(of: "44 01", .exchangeFailed)
        chip.reset(10)
        chip.command("4A 01 00", Listed.card)
        chip.ask(.card(.random), .transmit(select))
        chip.result(of: "40 01 00 A4 04 00 05 F0 72 65 61 64 00", .exchangeFailed)
        chip.result(of: "44 01", .exchangeFailed)
        chip.reset(10)
        #expect(chip.loop.isClearing && chip.loop.counts.lost == 2)
    }

    /// The field is empty after a round without a card that was lost; the next card has its own attempts.
    @Test func aLostCardThatDoesNotReturnLeavesAnEmptyField() {
        var chip = served()
        chip.ask(.card(.random), .transmit(select))
        chip.result(of: "40 01 00 A4 04 00 05 F0 72 65 61 64 00", .exchangeFailed)
        chip.result(of: "44 01", .exchangeFailed)
        chip.reset(10)
        chip.emptyRound()
        #expect(chip.events == [.cardLost(.left), .fieldEmpty] && !chip.loop.isClearing)
        chip.pause(90)
        chip.emptyRound()
        #expect(chip.events.count == 2)
        chip.pause(90)
        for _ in 0..<2 {
            chip.command("4A 01 00", Listed.card)
            chip.ask(.card(.random), .transmit(select))
            chip.result(of: "40 01 00 A4 04 00 05 F0 72 65 61 64 00", .exchangeFailed)
            chip.result(of: "44 01", .exchangeFailed)
            chip.reset(10)
        }
        #expect(chip.loop.isClearing && chip.loop.counts.lost == 3)
    }

    @Test(arguments: ["00", "", "01", "2B 90 00"]) func aResponseWithoutAnAPDUIsALoss(_ response: String) {
        var chip = served()
        chip.ask(.card(.random), .transmit([0]))
        chip.command("40 01 00", response)
        #expect(chip.events == [.cardLost(.left)])
    }

    /// A structure that the manual does not have comes from the card: the chip is not given up.
    @Test(
        arguments: [
            "01", "01 01 00 04 20", "01 01 00 04 20 05 08 01 02 03 04", "01 01 00 04 20 04 08 01 02 03",
            "01 01 00 04 20 04 08 01 02 03 06 78 80 70 02", "01 01 00 04 20 04 08 01 02 03 00",
            "01 01 00 04 08 04 08 01 02 03 00", "02 01 00 04 08 04 08 01 02 03", "FF",
        ]) func aMalformedActivationIsALoss(_ response: String)
    {
        var chip = PolledChip()
        chip.setUp()
        chip.command("4A 01 00", response)
        #expect(chip.events == [.cardLost(.activation)])
        chip.command("44 01", "00")
        chip.reset(10)
    }

    @Test func aReaderWithoutAnOrderEndsTheTransaction() {
        var chip = served()
        chip.ask(.card(.random), nil)
        #expect(chip.events == [.cardLost(.noOrder)])
        chip.command("44 01", "00")
        chip.reset(10)
        #expect(chip.loop.isClearing)
    }

    @Test func aTransactionHasALimit() {
        var chip = served()
        for _ in 0..<3 {
            guard case .ask = chip.step else { break }
            chip.handle(.order(.transmit([0])))
            chip.command("40 01 00", "00 90 00", after: 1100)
        }
        #expect(chip.events == [.cardLost(.slow)] && chip.now < .milliseconds(3500))
        chip.command("44 01", "00")
    }

    /// libnfc ends the process at 263 octets.
    @Test func theLongestCommand() {
        var chip = served()
        chip.ask(.card(.random), .transmit([UInt8](repeating: 0x5A, count: 262)))
        chip.command("40 01" + String(repeating: " 5A", count: 262), "00 90 00")
        chip.ask(.response([0x90, 0x00]), .transmit([UInt8](repeating: 0x5A, count: 263)))
        #expect(chip.events == [.cardLost(.command)])
        chip.command("44 01", "00")
        chip = served()
        chip.ask(.card(.random), .transmit([]))
        #expect(chip.events == [.cardLost(.command)])
    }

    @Test func aChipThatFailsWithACardLosesIt() {
        var chip = served()
        chip.ask(.card(.random), .transmit([0]))
        chip.result(of: "40 01 00", .failed)
        #expect(chip.events == [.cardLost(.chip)] && chip.step == .fail("no valid answer from the chip"))
    }
}
