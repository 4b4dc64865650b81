// SPDX-License-Identifier: Apache-2.0

public import JSON

/// Commands at their times, as described by a file: for devices whose commands are lines of words.
///
/// ```json
/// {"events": [{"after-ms": 0, "do": "fault never-operational"}, {"after-ms": 5000, "do": "door open"}]}
/// ```
public struct LineScenario<Command: Equatable & Sendable>: Equatable, Sendable {
    /// The maximum length of a file in octets.
    public static var maximumFileCount: Int { 262_144 }
    /// The maximum number of commands.
    public static var maximumEvents: Int { 256 }

    /// A scheduled command.
    public struct Event: Equatable, Sendable {
        /// The time after the start.
        public var after: Duration
        /// The command.
        public var command: Command
    }

    /// The commands, earliest first.
    public var events: [Event] = []

    /// A scenario without commands.
    public init() {}

    /// Reads a scenario from a JSON text; `parse` reads a line.
    public init<Fault: Error & CustomStringConvertible>(
        json: [UInt8], parse: (String) throws(Fault) -> Command
    ) throws(JSONPlaceFault) {
        guard json.count <= Self.maximumFileCount else {
            throw JSONPlaceFault(line: 1, path: "", "has more than \(Self.maximumFileCount) octets")
        }
        let place = try JSONPlace(file: json).members(["events"]).required("events")
        let elements = try place.elements()
        guard elements.count <= Self.maximumEvents else {
            throw place.fault("has \(elements.count) elements, and \(Self.maximumEvents) are the most")
        }
        for element in elements {
            let members = try element.members(["after-ms", "do"])
            let time = try members.required("after-ms").number(0...EmulationScenario.latestEvent)
            let action = try members.required("do")
            let line = try action.text()
            do throws(Fault) {
                events.append(Event(after: .milliseconds(time), command: try parse(line)))
            } catch {
                throw action.fault(error.description)
            }
        }
        events = events.enumerated().sorted { ($0.element.after, $0.offset) < ($1.element.after, $1.offset) }
            .map(\.element)
    }
}
