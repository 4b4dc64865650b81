// SPDX-License-Identifier: Apache-2.0

import ContactlessAir
import Emulation
import Timekeeping
import VirtualRadio

/// A command to the running air: one line, typed or from the control socket.
enum AirOrder: Equatable {
    /// Sets the level of each of two places at the other, in dBm.
    case rssi(PlacePair, dBm: Int8)
    /// Changes the level from one value to another, in dBm, over a time.
    case walk(PlacePair, from: Int8, to: Int8, Duration)
    /// Places them at a distance in metres, which changes to another over a time; the level is the model's.
    case approach(PlacePair, from: Double, to: Double, Duration, Propagation.Carry)
    /// Moves a place to a point of the floor plan within a time; the levels are the model's.
    case move(Int, to: FloorPoint, Duration)
    /// Changes how the host of a place is carried.
    case carry(Int, Propagation.Carry)
    /// Sets the attenuation of a wall between two places, in dB; 0 for no wall.
    case wall(PlacePair, dB: UInt8)
    /// Puts up a wall on the floor plan.
    case build(Wall)
    /// Takes down the wall of the floor plan with this number, counted from 1.
    case takeDown(Int)
    /// Sets the share of lost packets.
    case loss(PlacePair, share: Double)
    /// Moves or lists the cards of NFC fields.
    case field(FieldOrder)
    /// Lists places, links and levels.
    case list
    /// Lists the commands.
    case help
    /// Ends the air.
    case quit

    /// True if the command changes the reception between places.
    var changesPaths: Bool {
        switch self {
        case .rssi, .walk, .approach, .move, .carry, .wall, .build, .takeDown, .loss: true
        case .field, .list, .help, .quit: false
        }
    }

    /// Two different places, by their index.
    struct PlacePair: Equatable {
        var one: Int
        var other: Int
    }

    /// The maximum attenuation in dB: more than the range of levels.
    static let maximumWall = 150
    /// The maximum length of a line in octets.
    static let maximumLine = 1024

    /// The commands, one line each.
    static let helpLines =
        [
            "rssi ONE OTHER DBM: the level of each at the other, \(Air.levels.lowerBound) to \(Air.levels.upperBound)",
            "walk ONE OTHER DBM DBM TIME: from the one level to the other, as walk phone reader -85 -45 3s",
            "distance ONE OTHER METRES [CARRY]: as phones are heard from there; carried in \(carries)",
            "approach ONE OTHER METRES METRES TIME [CARRY]: from there to there, as approach phone reader 8 0.4 6s pocket",
            "move PLACE X Y [TIME]: to a point of the floor plan in metres, as move phone 1.5 -2 3s",
            "carry PLACE CARRY: carried in \(carries)",
            "wall ONE OTHER DB: so much weaker, until wall ONE OTHER 0",
            "wall X Y X Y DB: a wall on the floor plan, until wall NUMBER off",
            "loss ONE OTHER SHARE: this share of the packets is lost, 0 to 1",
            "list: places, hosts, links, levels",
        ] + FieldOrder.helpLines + ["help, quit"]

    private static let carries = Propagation.Carry.allCases.map(\.rawValue).joined(separator: ", ")

    /// Parses a line. `places` are the names of the places.
    init(line: String, places: [String]) throws(CommandFault) {
        guard line.utf8.count <= AirOrder.maximumLine else {
            throw CommandFault("the line has more than \(AirOrder.maximumLine) octets")
        }
        let words = line.split { " \t\r".contains($0) }.map(String.init)
        guard let name = words.first else { throw CommandFault("the line is empty; help lists the commands") }
        if let plain = ["list": AirOrder.list, "help": .help, "quit": .quit][name] {
            guard words.count == 1 else { throw CommandFault("\(name) stands alone") }
            self = plain
            return
        }
        if let order = try AirOrder.floor(words, places) {
            self = order
            return
        }
        if let order = try FieldOrder(words) {
            self = .field(order)
            return
        }
        guard let usage = AirOrder.usages[name] else {
            throw CommandFault(
                "\(name.debugDescription) is no command; there are rssi, walk, distance, approach, move, carry, "
                    + "wall, loss, near, away, cards, list, help, quit")
        }
        guard words.count == usage.count || usage.takesCarry && words.count == usage.count + 1 else {
            throw CommandFault("write \(usage.example)")
        }
        let pair = try AirOrder.pair(words[1], words[2], places)
        switch name {
        case "rssi": self = .rssi(pair, dBm: try AirOrder.level(words[3]))
        case "walk":
            self = .walk(
                pair, from: try AirOrder.level(words[3]), to: try AirOrder.level(words[4]),
                try AirOrder.time(words[5]))
        case "distance":
            let metres = try AirOrder.metres(words[3])
            self = .approach(pair, from: metres, to: metres, .zero, try AirOrder.carry(words.dropFirst(4).first))
        case "approach":
            self = .approach(
                pair, from: try AirOrder.metres(words[3]), to: try AirOrder.metres(words[4]),
                try AirOrder.time(words[5]), try AirOrder.carry(words.dropFirst(6).first))
        case "wall": self = .wall(pair, dB: try AirOrder.wall(words[3]))
        default: self = .loss(pair, share: try AirOrder.share(words[3]))
        }
    }

    /// The number of words of each command, and an example.
    private static let usages: [String: (count: Int, takesCarry: Bool, example: String)] = [
        "rssi": (4, false, "rssi ONE OTHER DBM, as rssi phone reader -50"),
        "walk": (6, false, "walk ONE OTHER DBM DBM TIME, as walk phone reader -85 -45 3s"),
        "distance": (4, true, "distance ONE OTHER METRES, as distance phone reader 1.5 pocket"),
        "approach": (6, true, "approach ONE OTHER METRES METRES TIME, as approach phone reader 8 0.4 6s"),
        "wall": (4, false, "wall ONE OTHER DB, as wall phone reader 12"),
        "loss": (4, false, "loss ONE OTHER SHARE, as loss phone reader 0.3"),
    ]

    private static func pair(_ one: String, _ other: String, _ places: [String]) throws(CommandFault) -> PlacePair {
        let pair = PlacePair(one: try index(one, places), other: try index(other, places))
        guard pair.one != pair.other else { throw CommandFault("name two places; \(one) is one") }
        return pair
    }

    static func level(_ word: String) throws(CommandFault) -> Int8 {
        guard let level = number(word).flatMap({ Int8(exactly: $0) }), Air.levels.contains(Int(level)) else {
            throw CommandFault(
                "\(word.debugDescription) is no level; write dBm from \(Air.levels.lowerBound) to "
                    + "\(Air.levels.upperBound), as -50")
        }
        return level
    }

    static func metres(_ word: String) throws(CommandFault) -> Double {
        guard isDecimal(word), let metres = Double(word), (0...Propagation.farthest).contains(metres) else {
            throw CommandFault("\(word.debugDescription) is no distance; write metres from 0 to 100, as 1.5")
        }
        return metres
    }

    static func carry(_ word: String?) throws(CommandFault) -> Propagation.Carry {
        guard let word else { return .hand }
        guard let carry = Propagation.Carry(rawValue: word) else {
            throw CommandFault("\(word.debugDescription) is no way to carry a phone; there are \(carries)")
        }
        return carry
    }

    static func wall(_ word: String) throws(CommandFault) -> UInt8 {
        guard let dB = number(word), (0...maximumWall).contains(dB) else {
            throw CommandFault("\(word.debugDescription) is no wall; write dB from 0 to \(maximumWall), as 12")
        }
        return UInt8(dB)
    }

    private static func share(_ word: String) throws(CommandFault) -> Double {
        guard isDecimal(word), let share = Double(word), (0...1).contains(share) else {
            throw CommandFault("\(word.debugDescription) is no share of lost packets; write 0 to 1, as 0.3")
        }
        return share
    }

    /// Parses a time, such as `3s`, `0.5s` or `500ms`.
    static func time(_ word: String) throws(CommandFault) -> Duration {
        let isMilliseconds = word.hasSuffix("ms")
        let digits = String(word.dropLast(isMilliseconds ? 2 : 1))
        guard word.hasSuffix("s"), isDecimal(digits), let count = Double(digits),
            case let seconds = isMilliseconds ? count / 1000 : count, seconds <= 86_400
        else { throw CommandFault("\(word.debugDescription) is no time; write 3s or 500ms, at most 86400s") }
        return .nanoseconds(Int64((seconds * 1_000_000_000).rounded()))
    }

    private static func number(_ word: String) -> Int? {
        let digits = word.hasPrefix("-") || word.hasPrefix("+") ? word.dropFirst() : word[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(word)
    }

    /// True for digits with at most one decimal point: `Double` also accepts `inf`, `0x1p3` and others.
    static func isDecimal(_ word: String) -> Bool {
        word.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
            && word.utf8.contains { $0 != 0x2E } && word.utf8.count { $0 == 0x2E } <= 1
    }
}
