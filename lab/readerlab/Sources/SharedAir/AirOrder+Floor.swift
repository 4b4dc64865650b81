// SPDX-License-Identifier: Apache-2.0

import Emulation
import Timekeeping
import VirtualRadio

/// The commands of the floor plan.
extension AirOrder {
    /// The coordinates in metres, within the model's range.
    private static let coordinates = -Propagation.farthest...Propagation.farthest

    /// Parses a command of the floor plan; nil for another command.
    static func floor(_ words: [String], _ places: [String]) throws(CommandFault) -> AirOrder? {
        switch (words[0], words.count) {
        case ("move", 4), ("move", 5):
            let place = try index(words[1], places)
            let time = words.count == 5 ? try time(words[4]) : .zero
            return .move(place, to: try point(words[2], words[3]), time)
        case ("move", _): throw CommandFault("write move PLACE X Y [TIME], as move phone 1.5 -2 3s")
        case ("carry", 3): return .carry(try index(words[1], places), try carry(words[2]))
        case ("carry", _): throw CommandFault("write carry PLACE CARRY, as carry phone pocket")
        case ("wall", 3) where words[2] == "off":
            guard let number = Int(words[1]), number > 0 else {
                throw CommandFault("\(words[1].debugDescription) is no number of a wall; write wall 1 off")
            }
            return .takeDown(number)
        case ("wall", 6):
            return .build(
                Wall(
                    from: try point(words[1], words[2]), to: try point(words[3], words[4]),
                    attenuation: Double(try wall(words[5]))))
        default: return nil
        }
    }

    static func index(_ name: String, _ places: [String]) throws(CommandFault) -> Int {
        if let index = places.firstIndex(of: name) { return index }
        throw CommandFault("there is no place \(name.debugDescription); there are \(places.joined(separator: ", "))")
    }

    private static func point(_ x: String, _ y: String) throws(CommandFault) -> FloorPoint {
        FloorPoint(try coordinate(x), try coordinate(y))
    }

    private static func coordinate(_ word: String) throws(CommandFault) -> Double {
        guard isDecimal(word.hasPrefix("-") ? String(word.dropFirst()) : word), let metres = Double(word),
            coordinates.contains(metres)
        else { throw CommandFault("\(word.debugDescription) is no coordinate; write metres from -100 to 100, as -1.5") }
        return metres
    }
}
