// SPDX-License-Identifier: Apache-2.0

import CardFormats
import Emulation
import OSDP

/// A line typed to an emulated peripheral device.
enum OSDPDeviceOrder: Equatable {
    case card(OSDPCardData)
    case keys(String)
    case tamper(Bool)
    case power(Bool)
    /// An input, from 0.
    case input(Int, Bool)
    case help
    case quit

    /// All orders, for `help`.
    static let all = [
        "card 26|34|37 FACILITY NUMBER   a card; 37 NUMBER has no facility code",
        "card bits 101...                a card of any bits, up to 512",
        "key 1234#                       keys: digits, * and #, up to 16",
        "input N on|off                  an input, from 1",
        "tamper on|off                   the tamper switch",
        "power on|off                    the power supply: off is a failure",
        "quit                            the end",
    ]

    /// Reads a line.
    init(line: String) throws(CommandFault) {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("card", 3...): self = .card(try OSDPDeviceOrder.card(Array(words.dropFirst())))
        case ("key", 2): self = .keys(words[1])
        case ("tamper", 2): self = .tamper(try OSDPDeviceOrder.state(words[1]))
        case ("power", 2): self = .power(try OSDPDeviceOrder.state(words[1]))
        case ("input", 3):
            guard let number = Int(words[1]), number > 0 else { throw CommandFault("input: number them from 1") }
            self = .input(number - 1, try OSDPDeviceOrder.state(words[2]))
        case ("help", 1): self = .help
        case ("quit", 1): self = .quit
        default: throw CommandFault("\(line.debugDescription): no such order; help lists them")
        }
    }

    private static func state(_ word: String) throws(CommandFault) -> Bool {
        guard word == "on" || word == "off" else { throw CommandFault("\(word.debugDescription): write on or off") }
        return word == "on"
    }

    private static func card(_ words: [String]) throws(CommandFault) -> OSDPCardData {
        if words[0] == "bits", words.count == 2 {
            guard words[1].allSatisfy({ $0 == "0" || $0 == "1" }), words[1].utf8.count <= CardFormat.bitLimit else {
                throw CommandFault("card bits: write 0 and 1, at most \(CardFormat.bitLimit)")
            }
            return OSDPCardData(bits: words[1].map { $0 == "1" })
        }
        let numbers = words.dropFirst().compactMap { UInt64($0) }
        guard let format = format(words[0], hasFacility: numbers.count == 2), numbers.count == words.count - 1,
            numbers.count <= 2
        else { throw CommandFault("card: write card 26 17 4711, with 26, 34 or 37 bits, or card bits 101") }
        do throws(CardFormat.Fault) {
            return try format.card(facility: numbers.count == 2 ? numbers[0] : 0, number: numbers[numbers.count - 1])
        } catch {
            switch error {
            case .facility: throw CommandFault("card: \(words[0]) bits have no room for facility code \(words[1])")
            default: throw CommandFault("card: \(words[0]) bits have no room for number \(words.last ?? "")")
            }
        }
    }

    private static func format(_ bits: String, hasFacility: Bool) -> CardFormat? {
        switch (bits, hasFacility) {
        case ("26", true): .bits26
        case ("34", true): .bits34
        case ("37", true): .bits37
        case ("37", false): .bits37WithoutFacility
        default: nil
        }
    }
}
