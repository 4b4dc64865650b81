// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A command that a line of words gives.
public protocol LineCommand: Equatable, Sendable {
    /// Parses a line of words.
    init(line: String) throws(CommandFault)
}

/// Commands at their times, as described by a file: for devices whose commands are lines of words.
///
/// ```json
/// {"events": [{"after-ms": 0, "do": "fault never-operational"}, {"after-ms": 5000, "do": "door open"}]}
/// ```
public struct LineScenario<Command: LineCommand>: Equatable, Sendable {
    /// The maximum length of a file in octets.
    public static var maximumFileCount: Int { 262_144 }

    /// The commands, earliest first.
    public var events: [ScheduledCommand<Command>] = []

    /// A scenario without commands.
    public init() {}

    /// Reads a scenario from a JSON text.
    public init(json: [UInt8]) throws(JSONPlaceFault) {
        guard json.count <= Self.maximumFileCount else {
            throw JSONPlaceFault(line: 1, path: "", "has more than \(Self.maximumFileCount) octets")
        }
        let place = try JSONPlace(file: json).members(["events"]).required("events")
        events = try ScheduledCommand.list(place, ["do"]) { place throws(JSONPlaceFault) in
            let action = try place.members(["after-ms", "do"]).required("do")
            let line = try action.text()
            do throws(CommandFault) { return try Command(line: line) } catch { throw action.fault(error.description) }
        }
    }
}
