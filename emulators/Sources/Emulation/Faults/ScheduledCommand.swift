// SPDX-License-Identifier: Apache-2.0

public import JSON
public import Timekeeping

/// A command of a scenario at its time.
public struct ScheduledCommand<Command: Equatable & Sendable>: Equatable, Sendable {
    /// The maximum number of commands in a file.
    public static var maximumCount: Int { 256 }
    /// The maximum time after the start in milliseconds: a day.
    public static var latest: Int { 86_400_000 }

    /// The time after the start.
    public var after: Duration
    /// The command.
    public var command: Command

    /// A command at its time.
    public init(after: Duration, _ command: Command) {
        self.after = after
        self.command = command
    }

    /// Reads a list of commands, earliest first. An element has `after-ms` and these members, from which `read` reads
    /// the command.
    public static func list(
        _ place: JSONPlace?, _ members: [String], _ read: (JSONPlace) throws(JSONPlaceFault) -> Command
    ) throws(JSONPlaceFault) -> [Self] {
        var list: [Self] = []
        for place in try place?.elements(atMost: maximumCount) ?? [] {
            let after = try place.members(["after-ms"] + members).required("after-ms").number(0...latest)
            list.append(Self(after: .milliseconds(after), try read(place)))
        }
        // A stable sort by time.
        return list.enumerated().sorted { ($0.element.after, $0.offset) < ($1.element.after, $1.offset) }.map(\.element)
    }
}

/// The commands of a scenario that are to come, from a start on.
public struct CommandSchedule<Command: Equatable & Sendable>: Sendable {
    private var events: [ScheduledCommand<Command>]
    private var start: Instant?

    /// A schedule of commands, earliest first; without a start it waits for `begin`.
    public init(_ events: [ScheduledCommand<Command>], start: Instant? = nil) {
        self.events = events
        self.start = start
    }

    /// Starts at `now`, unless it has started.
    public mutating func begin(at now: Instant) { start = start ?? now }

    /// The time of the next command.
    public var deadline: Instant? { start.flatMap { start in events.first.map { start + $0.after } } }

    /// Removes and returns the next command that is due at `now`.
    public mutating func next(at now: Instant) -> Command? {
        guard let deadline, deadline <= now else { return nil }
        return events.removeFirst().command
    }
}

extension JSONPlace {
    /// The elements of a list with a maximum number of them.
    public func elements(atMost maximum: Int) throws(JSONPlaceFault) -> [JSONPlace] {
        let elements = try elements()
        guard elements.count <= maximum else {
            throw fault("has \(elements.count) elements, and \(maximum) are the most")
        }
        return elements
    }
}
