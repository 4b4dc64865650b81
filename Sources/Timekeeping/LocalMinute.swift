// SPDX-License-Identifier: Apache-2.0

/// The notation of a local time to the minute: `2026-12-31T23:59`, or `2026-12-31` for a whole day.
public enum LocalMinute {
    /// The minute of the day if only the date is given.
    public enum Edge: Sendable {
        /// 00:00.
        case first
        /// 23:59.
        case last
    }

    /// Parses a time; nil if the text is invalid, or the time does not exist.
    public static func parse(_ text: Substring, ofDay edge: Edge = .last) -> CivilTime? {
        let halves = text.split(separator: "T", omittingEmptySubsequences: false)
        guard halves.count <= 2, let date = numbers(halves[0], separator: "-", widths: [4, 2, 2]) else { return nil }
        var time = CivilTime(year: date[0], month: date[1], day: date[2])
        if edge == .last { (time.hour, time.minute) = (23, 59) }
        if halves.count == 2 {
            guard let clock = numbers(halves[1], separator: ":", widths: [2, 2]) else { return nil }
            (time.hour, time.minute) = (clock[0], clock[1])
        }
        return time.isValid ? time : nil
    }

    /// `2026-12-31T23:59`
    public static func text(_ time: CivilTime) -> String {
        "\(padded(time.year, 4))-\(padded(time.month, 2))-\(padded(time.day, 2))"
            + "T\(padded(time.hour, 2)):\(padded(time.minute, 2))"
    }

    static func numbers(_ text: Substring, separator: Character, widths: [Int]) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == widths, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }) else { return nil }
        let numbers = parts.compactMap { Int($0) }
        return numbers.count == widths.count ? numbers : nil
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
