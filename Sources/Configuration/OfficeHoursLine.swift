// SPDX-License-Identifier: Apache-2.0

public import Reader

// Office hours as written in a configuration.

/// A span of the office hours, as in `mon-fri 08:00-18:00`, optionally followed by days of the year:
/// `sat 22:00-02:00 300-60`.
public struct OfficeHoursLine: Equatable, Sendable {
    /// The span.
    public let span: OfficeHours.Span
    /// The line as written.
    public let text: String

    /// Parses the line; nil if it is invalid.
    public init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: true)
        guard 2...3 ~= parts.count, let weekdays = GroupLine.weekdays(parts[0]) else { return nil }
        let times = parts[1].split(separator: "-", omittingEmptySubsequences: false)
        guard times.count == 2, let from = OfficeHoursLine.minute(times[0]), let to = OfficeHoursLine.minute(times[1])
        else { return nil }
        var days = (first: 1, last: 366)
        if parts.count == 3 {
            guard let ends = GroupLine.days(parts[2]) else { return nil }
            days = ends
        }
        guard
            let span = OfficeHours.Span(
                from: from, to: to, weekdays: weekdays, firstDay: days.first, lastDay: days.last)
        else { return nil }
        self.span = span
        self.text = text
    }

    /// Parses a time from `00:00` to `24:00`.
    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [2, 2], let hour = GroupLine.number(parts[0]),
            let minute = GroupLine.number(parts[1]), minute < 60, hour < 24 || hour == 24 && minute == 0
        else { return nil }
        return hour * 60 + minute
    }
}
