// SPDX-License-Identifier: Apache-2.0

import Testing
import VirtualRadio
import Timekeeping

@testable import SharedAir

/// Lines typed to the air.
@Suite struct AirOrderTests {
    private static let places = ["reader", "phone", "p.2"]

    private func parse(_ line: String) throws -> AirOrder { try AirOrder(line: line, places: Self.places) }

    private func fault(_ line: String) -> String {
        do { return "taken as \(try parse(line))" } catch { return "\(error)" }
    }

    private let pair = AirOrder.PlacePair(one: 1, other: 0)

    @Test func wordsAreOrders() throws {
        #expect(try parse("rssi phone reader -50") == .rssi(pair, dBm: -50))
        #expect(try parse("  rssi\tphone  reader 20\r") == .rssi(pair, dBm: 20))
        #expect(try parse("rssi p.2 reader -126") == .rssi(.init(one: 2, other: 0), dBm: -126))
        #expect(try parse("walk phone reader -85 -45 3s") == .walk(pair, from: -85, to: -45, .seconds(3)))
        #expect(try parse("walk phone reader -45 -85 0.25s") == .walk(pair, from: -45, to: -85, .milliseconds(250)))
        #expect(try parse("walk phone reader 0 +1 1500ms") == .walk(pair, from: 0, to: 1, .milliseconds(1500)))
        #expect(try parse("walk phone reader -85 -45 0s") == .walk(pair, from: -85, to: -45, .zero))
        #expect(try parse("distance phone reader 1.5") == .approach(pair, from: 1.5, to: 1.5, .zero, .hand))
        #expect(try parse("distance phone reader 0 bag") == .approach(pair, from: 0, to: 0, .zero, .bag))
        #expect(
            try parse("approach phone reader 8 0.4 6s pocket")
                == .approach(pair, from: 8, to: 0.4, .seconds(6), .pocket))
        #expect(try parse("wall phone reader 12") == .wall(pair, dB: 12))
        #expect(try parse("wall phone reader 0") == .wall(pair, dB: 0))
        #expect(try parse("loss phone reader 0.3") == .loss(pair, share: 0.3))
        #expect(try parse("loss phone reader 1") == .loss(pair, share: 1))
        #expect(try parse("list") == .list)
        #expect(try parse("help") == .help)
        #expect(try parse(" quit ") == .quit)
    }

    @Test(
        arguments: [
            ("", "the line is empty; help lists the commands"),
            (
                "rsi phone reader -50",
                "\"rsi\" is no command; there are rssi, walk, distance, approach, move, carry, wall, loss, near, away, "
                    + "cards, list, help, quit"
            ),
            ("rssi phone reader", "write rssi ONE OTHER DBM, as rssi phone reader -50"),
            ("rssi phone reader -50 -60", "write rssi ONE OTHER DBM, as rssi phone reader -50"),
            ("walk phone reader -50", "write walk ONE OTHER DBM DBM TIME, as walk phone reader -85 -45 3s"),
            ("rssi phone door -50", "there is no place \"door\"; there are reader, phone, p.2"),
            ("rssi phone phone -50", "name two places; phone is one"),
            ("rssi phone reader -127", "\"-127\" is no level; write dBm from -126 to 20, as -50"),
            ("rssi phone reader 21", "\"21\" is no level; write dBm from -126 to 20, as -50"),
            ("rssi phone reader -5.5", "\"-5.5\" is no level; write dBm from -126 to 20, as -50"),
            (
                "rssi phone reader 99999999999999999999",
                "\"99999999999999999999\" is no level; write dBm from -126 to 20, as -50"
            ),
            ("wall phone reader -1", "\"-1\" is no wall; write dB from 0 to 150, as 12"),
            ("wall phone reader 151", "\"151\" is no wall; write dB from 0 to 150, as 12"),
            ("loss phone reader 1.01", "\"1.01\" is no share of lost packets; write 0 to 1, as 0.3"),
            ("loss phone reader -0.1", "\"-0.1\" is no share of lost packets; write 0 to 1, as 0.3"),
            ("loss phone reader nan", "\"nan\" is no share of lost packets; write 0 to 1, as 0.3"),
            ("loss phone reader 0x1p-3", "\"0x1p-3\" is no share of lost packets; write 0 to 1, as 0.3"),
            ("walk phone reader -85 -45 3", "\"3\" is no time; write 3s or 500ms, at most 86400s"),
            ("walk phone reader -85 -45 s", "\"s\" is no time; write 3s or 500ms, at most 86400s"),
            ("walk phone reader -85 -45 infs", "\"infs\" is no time; write 3s or 500ms, at most 86400s"),
            ("walk phone reader -85 -45 1.2.3s", "\"1.2.3s\" is no time; write 3s or 500ms, at most 86400s"),
            ("walk phone reader -85 -45 86401s", "\"86401s\" is no time; write 3s or 500ms, at most 86400s"),
            ("distance phone reader -1", "\"-1\" is no distance; write metres from 0 to 100, as 1.5"),
            ("distance phone reader 101", "\"101\" is no distance; write metres from 0 to 100, as 1.5"),
            ("distance phone reader nan", "\"nan\" is no distance; write metres from 0 to 100, as 1.5"),
            ("distance phone reader 1 hat", "\"hat\" is no way to carry a phone; there are hand, pocket, bag"),
            ("distance phone reader 1 bag bag", "write distance ONE OTHER METRES, as distance phone reader 1.5 pocket"),
            (
                "approach phone reader 8 6s",
                "write approach ONE OTHER METRES METRES TIME, as approach phone reader 8 0.4 6s"
            ),
            ("list phone", "list stands alone"),
            ("rssi phone \u{1B}[31m -50", "there is no place \"\\u{1B}[31m\"; there are reader, phone, p.2"),
        ] as [(String, String)])
    func whatIsWrongIsSaid(line: String, expected: String) {
        #expect(fault(line) == expected)
    }

    @Test func aLineIsBounded() {
        #expect(fault("list" + String(repeating: " ", count: 1021)) == "the line has more than 1024 octets")
        #expect(fault("list" + String(repeating: " ", count: 1020)) == "taken as list")
    }

    /// Each command that is listed, with the example of its refusal.
    @Test func theExamplesOfTheHelpAreOrders() throws {
        for name in ["rssi", "walk", "wall", "loss"] {
            let example = try #require(fault(name).split(separator: ", as ").last)
            #expect(example.hasPrefix(name))
            _ = try parse(String(example))
            #expect(AirOrder.helpLines.contains { $0.hasPrefix(name) })
        }
    }
}
