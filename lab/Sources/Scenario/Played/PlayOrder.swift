// SPDX-License-Identifier: Apache-2.0

import Timekeeping
import VirtualRadio

/// A command to a scenario that is played: one line.
enum PlayOrder: Equatable {
    /// Lets time pass, or stops it.
    case play(Bool)
    /// The seconds of the scenario in a second.
    case speed(Double)
    /// Lets this much time pass at once.
    case step(Duration)
    /// Begins again, with this seed.
    case restart(seed: UInt64?)
    /// Carries a phone to a place, from where it is.
    case move(phone: String, DistanceWalk.Place, within: Duration)
    /// Carries a phone in another way.
    case carry(phone: String, Propagation.Carry)
    /// Puts up a wall.
    case wall(Wall)
    /// Takes down the wall with this place in the list.
    case noWall(Int)
    /// An event at a reader, or at all.
    case site(SiteOrder, reader: String?)
    /// Writes the scenario as it was played.
    case save
    /// Lists the commands.
    case help
    /// Ends the program.
    case quit
}

/// The reason why a line is not a command of a played scenario, in one line.
public struct PlayOrderFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The error and the remedy.
    public let description: String

    init(_ description: String) { self.description = description }
}

extension PlayOrder {
    /// The seconds of the scenario in a second.
    static let speeds = 0.1...20.0
    /// The longest time of a move or a step.
    private static let longestTime = Duration.seconds(3600)
    private static let examples = [
        "speed": "speed 2", "step": "step TIME, as step 2s", "seed": "seed 7",
        "move": "move PHONE X Y [TIME], as move anna 0.5 -1 2s",
        "level": "level PHONE DBM, as level anna -70", "carry": "carry PHONE hand, pocket or bag",
        "wall": "wall X Y X Y DB, as wall -1 -1 1 -1 20, or wall 1 off",
    ]

    /// The commands, one line each.
    static let helpLines = [
        "play, pause; step TIME: lets TIME pass at once",
        "speed FACTOR: seconds of the scenario in a second, 0.1 to 20",
        "restart; seed SEED: from the beginning, with the same or another seed",
        "move PHONE X Y [TIME]: to a point of the floor plan in metres, within TIME",
        "level PHONE DBM: the level at the reader, whatever the distance; until the next move",
        "carry PHONE hand|pocket|bag", "wall X Y X Y DB: puts up a wall", "wall NUMBER off: takes it down",
        SiteOrder.help.joined(separator: ", ") + ": at all readers, or after at READER",
        "save: the scenario as it was played, as a file", "help, quit",
    ]

    /// Parses a line. Names of phones and readers may have spaces.
    init(line: String, phones: [String], readers: [String]) throws(PlayOrderFault) {
        let words = line.split { " \t\r".contains($0) }.map(String.init)
        let name = words.first ?? ""
        let plain: [String: PlayOrder] = [
            "play": .play(true), "pause": .play(false), "restart": .restart(seed: nil), "save": .save, "help": .help,
            "quit": .quit,
        ]
        if words.count == 1, let order = plain[name] {
            self = order
            return
        }
        let rest = words.dropFirst().joined(separator: " ")
        let order: PlayOrder?
        switch name {
        case "speed": order = Double(rest).flatMap { PlayOrder.speeds.contains($0) ? .speed($0) : nil }
        case "step": order = PlayOrder.time(rest).flatMap { $0 > .zero ? .step($0) : nil }
        case "seed": order = UInt64(rest).map { .restart(seed: $0) }
        case "move", "level", "carry":
            let (phone, values) = try PlayOrder.named(rest, phones, "phone")
            order = PlayOrder.phone(name, phone, values)
        case "wall": order = PlayOrder.wall(words.dropFirst())
        default:
            let (reader, text) = name == "at" ? try PlayOrder.named(rest, readers, "reader") : (nil, words)
            do throws(SiteOrderFault) {
                order = .site(try SiteOrder(line: text.joined(separator: " ")), reader: reader)
            } catch {
                throw PlayOrderFault("\(line.debugDescription) is no command; help lists them")
            }
        }
        guard let order else { throw PlayOrderFault("write \(PlayOrder.examples[name] ?? "help")") }
        self = order
    }

    /// Splits a text into the longest name with which it begins, and the words behind it.
    private static func named(
        _ text: String, _ names: [String], _ kind: String
    ) throws(PlayOrderFault) -> (String, [String]) {
        let name = names.filter { text.hasPrefix($0 + " ") }.max { $0.utf8.count < $1.utf8.count }
        guard let name else {
            throw PlayOrderFault("name a \(kind) and a value; there are \(names.joined(separator: ", "))")
        }
        return (name, text.dropFirst(name.count).split(separator: " ").map(String.init))
    }

    private static func phone(_ order: String, _ phone: String, _ values: [String]) -> PlayOrder? {
        switch (order, values.count) {
        case ("move", 2), ("move", 3):
            guard let place = point(values[0], values[1]),
                let time = values.count == 3 ? time(values[2]) : .zero
            else { return nil }
            return .move(phone: phone, .floor(place), within: time)
        case ("level", 1):
            guard let level = Int8(values[0]), Air.levels.contains(Int(level)) else { return nil }
            return .move(phone: phone, .dBm(level), within: .zero)
        case ("carry", 1): return Propagation.Carry(rawValue: values[0]).map { .carry(phone: phone, $0) }
        default: return nil
        }
    }

    private static func wall(_ values: ArraySlice<String>) -> PlayOrder? {
        let values = Array(values)
        if values.count == 2, values[1] == "off" { return Int(values[0]).map { .noWall($0) } }
        guard values.count == 5, let from = point(values[0], values[1]), let to = point(values[2], values[3]),
            let attenuation = Double(values[4]), (0...150).contains(attenuation)
        else { return nil }
        return .wall(Wall(from: from, to: to, attenuation: attenuation))
    }

    private static func point(_ first: String, _ second: String) -> FloorPoint? {
        guard let x = Double(first), let y = Double(second), SiteScenario.floor.contains(x),
            SiteScenario.floor.contains(y)
        else { return nil }
        return FloorPoint(x, y)
    }

    /// Parses a time in whole milliseconds, such as `3s`, `0.5s` or `500ms`.
    private static func time(_ word: String) -> Duration? {
        let isMilliseconds = word.hasSuffix("ms")
        guard word.hasSuffix("s"), let count = Double(word.dropLast(isMilliseconds ? 2 : 1)), count >= 0,
            case let milliseconds = isMilliseconds ? count : count * 1000,
            milliseconds <= Double(longestTime.wholeMilliseconds)
        else { return nil }
        return .milliseconds(Int64(milliseconds.rounded()))
    }
}
