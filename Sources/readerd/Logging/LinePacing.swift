// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The limit on lines of the log about each subject, such as a user at a socket: so many within a minute, then one line
/// with the number of the others. A value; the time is a parameter.
///
/// A journal limits a service as a whole, so that a flood about one subject would hide what is logged about others.
struct LinePacing {
    /// The number of further lines about a subject in a minute that is over.
    struct Count: Equatable {
        var subject: String
        var omitted: Int
    }

    private struct Window {
        var subject: String
        var end: Instant
        var lines = 0
    }

    static let interval = Duration.seconds(60)
    /// The maximum number of subjects distinguished within a minute.
    static let subjects = 32

    /// The maximum number of lines about a subject within a minute.
    let limit: Int
    private var windows: [Window] = []

    init(limit: Int) { self.limit = limit }

    /// True to log a line about the subject; else it is counted.
    mutating func admits(_ subject: String, at now: Instant) -> Bool {
        var index = windows.firstIndex { $0.subject == subject && now < $0.end }
        // The last window counts all subjects without room, so that the memory of names is bounded.
        if index == nil, windows.count >= LinePacing.subjects { index = windows.indices.last }
        guard let index else {
            windows.append(Window(subject: subject, end: now + LinePacing.interval, lines: 1))
            return true
        }
        windows[index].lines += 1
        return windows[index].lines <= limit
    }

    /// The end of the next minute with omitted lines; nil for none.
    var nextDeadline: Instant? { windows.filter { $0.lines > limit }.map(\.end).min() }

    /// Removes the minutes that are over, and returns their counts.
    mutating func takeCounts(at now: Instant) -> [Count] {
        let over = windows.filter { $0.end <= now }
        windows.removeAll { $0.end <= now }
        return over.filter { $0.lines > limit }.map { Count(subject: $0.subject, omitted: $0.lines - limit) }
    }
}
