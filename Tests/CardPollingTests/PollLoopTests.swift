// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CardPolling

/// Rounds, roles and failures of the chip, octet for octet (PN532 user manual UM0701-02, 7).
@Suite struct PollLoopTests {
    @Test func roundsWithoutACardFollowEachOther() {
        var chip = PolledChip()
        chip.setUp()
        for round in 1...20 {
            chip.emptyRound()
            chip.pause(90)
            #expect(chip.loop.counts.rounds == UInt64(round))
        }
        #expect(chip.events.isEmpty && chip.loop.counts.cards == 0)
    }

    @Test func aSlowRoundIsFollowedAtOnce() {
        var chip = PolledChip()
        chip.setUp()
        chip.command("4A 01 00", "00", after: 80)
        chip.command("4A 01 03 00", "00", after: 80)
        chip.pause(0)
        chip.emptyRound()
    }

    /// The frame has its CRC_A (ISO/IEC 14443-3, annex B), and 8 bits in its last octet: REQA leaves 7 in the register.
    @Test func thePollingFrameFollowsTheRequestOfTypeA() {
        var settings = PollSettings.polling
        settings.pollingFrame = octets("6A 02 CB 02 04 20 42 20 01 02 03 04 05 06 07 08")
        var chip = PolledChip(settings)
        chip.setUp()
        for _ in 0..<2 {
            chip.command("4A 01 00", "00")
            chip.command("08 63 3D 00", "")
            chip.command("32 02 00 0B 04", "")
            chip.result(of: "42 6A 02 CB 02 04 20 42 20 01 02 03 04 05 06 07 08 74 15", .exchangeFailed)
            chip.command("32 02 00 0B 0F", "")
            chip.command("4A 01 03 00", "00")
            chip.pause(88)
        }
        // A card is found as before.
        chip.command("4A 01 00", Listed.card)
        chip.ask(.card(.random), .release)
    }

    /// A frame that changes, as with the group of an Aliro reader: from the next round on, and none again.
    @Test func theFrameChangesWithARound() {
        var chip = PolledChip(.polling)
        chip.setUp()
        chip.command("4A 01 00", "00")
        chip.loop.nextPollingFrame = octets("6A 02 CB 02 04 20 42 20 01 02 03 04 05 06 07 08")
        chip.command("4A 01 03 00", "00")
        chip.pause(96)
        chip.command("4A 01 00", "00")
        chip.command("08 63 3D 00", "")
        chip.command("32 02 00 0B 04", "")
        chip.loop.nextPollingFrame = []
        chip.result(of: "42 6A 02 CB 02 04 20 42 20 01 02 03 04 05 06 07 08 74 15", .exchangeFailed)
        chip.command("32 02 00 0B 0F", "")
        chip.command("4A 01 03 00", "00")
        chip.pause(88)
        chip.command("4A 01 00", "00")
        chip.command("4A 01 03 00", "00")
    }

    @Test func bothRolesTakeTurns() {
        var settings = PollSettings.polling
        settings.role = .both
        var chip = PolledChip(settings)
        for _ in 0..<3 {
            chip.setUp()
            chip.emptyRound()
            chip.pause(90)
            chip.emptyRound()
            chip.pause(90)
            chip.emptyRound()
            chip.pause(90)
            // The turn is over during the next round: 315 ms. The field goes off first.
            chip.emptyRound()
            chip.command("32 01 00", "")
            #expect(chip.step == .listen(.milliseconds(450)))
            chip.now += .milliseconds(450)
            chip.handle(.elapsed)
        }
        #expect(chip.loop.counts.rounds == 12)
    }

    @Test func theReaderListensAlsoWhileACardStays() {
        var settings = PollSettings.polling
        settings.role = .both
        var chip = PolledChip(settings)
        chip.setUp()
        chip.command("4A 01 00", Listed.card)
        chip.ask(.card(.random), .release)
        chip.command("44 01", "00")
        chip.command("32 01 00", "")
        chip.pause(10)
        chip.fieldOn()
        chip.command("4A 01 00", Listed.card, after: 300)
        chip.command("32 01 00", "")
        #expect(chip.step == .listen(.milliseconds(450)))
        chip.handle(.elapsed)
        chip.setUp()
        // The card is still not served again.
        chip.command("4A 01 00", Listed.card)
        chip.command("32 01 00", "")
        #expect(chip.loop.isClearing && chip.loop.counts.cards == 1)
    }

    @Test func aSilentChipIsGivenUp() {
        var chip = PolledChip()
        chip.result(of: "02", .noResponse, after: 500)
        #expect(chip.step == .fail("no answer from the chip"))
        chip = PolledChip()
        chip.setUp()
        chip.result(of: "4A 01 00", .noResponse, after: 500)
        chip.result(of: "02", .noResponse, after: 500)
        #expect(chip.step == .fail("no answer from the chip") && chip.events.isEmpty)
    }

    /// A late response to an earlier command shows in the first, whose length is fixed.
    @Test(arguments: ["", "00", "01 01 00 04 20 04 08 01 02 03 05 78 80 70 02"])
    func anotherAnswerThanTheVersionIsGivenUp(_ response: String) {
        var chip = PolledChip()
        chip.command("02", response)
        #expect(chip.step == .fail("unexpected answer from the chip"))
    }

    @Test func anAnswerWithoutACountIsGivenUp() {
        var chip = PolledChip()
        chip.setUp()
        chip.command("4A 01 00", "")
        #expect(chip.step == .fail("unexpected answer from the chip"))
    }

    /// In each phase, each result that the phase does not expect ends the loop, without a trap.
    @Test func noResultTraps() {
        let results: [PollResult] = [
            .response([]), .response([0]), .response([1]), .response([UInt8](repeating: 0xFF, count: 272)),
            .exchangeFailed, .noResponse, .failed, .elapsed, .order(nil), .order(.transmit([])), .order(.tryNext),
            .order(.release),
        ]
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var chip = PolledChip()
            for _ in 0..<20 {
                if Bool.random(using: &random) {
                    let expected: PollResult =
                        switch chip.step {
                        case .command([0x02], _): .response([0x32, 1, 6, 7])
                        case .command([0x4A, 0x01, 0x00], _): .response(octets(Listed.card))
                        case .command: .response([0])
                        case .pause, .listen: .elapsed
                        case .ask: .order(.transmit([0]))
                        case .fail: .noResponse
                        }
                    chip.handle(expected)
                } else {
                    chip.handle(results[Int.random(in: results.indices, using: &random)])
                }
                if case .fail = chip.step { break }
            }
        }
    }
}
