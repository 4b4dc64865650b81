// SPDX-License-Identifier: Apache-2.0

/// A time with its offset from UTC in the notation of `date -Is` (RFC 3339, 5.6): `2026-11-22T13:00:00+01:00`. Seconds
/// are optional and have no fraction; `Z` is an offset of zero.
public enum ZonedTime {
    /// Parses a time into seconds since 1970-01-01 UTC; nil for any other text, and for a time that does not exist.
    public static func epochSeconds(_ text: Substring) -> Int64? {
        let halves = text.split(separator: "T", omittingEmptySubsequences: false)
        guard halves.count == 2, let date = LocalMinute.numbers(halves[0], separator: "-", widths: [4, 2, 2]),
            let sign = halves[1].firstIndex(where: { "Z+-".contains($0) }),
            let offset = offsetSeconds(halves[1][sign...])
        else { return nil }
        let clock = halves[1][..<sign]
        guard
            let numbers = LocalMinute.numbers(clock, separator: ":", widths: [2, 2])
                ?? LocalMinute.numbers(clock, separator: ":", widths: [2, 2, 2])
        else { return nil }
        let time = CivilTime(
            year: date[0], month: date[1], day: date[2], hour: numbers[0], minute: numbers[1],
            second: numbers.count == 3 ? numbers[2] : 0)
        return time.isValid ? time.epochSeconds - offset : nil
    }

    /// Parses `Z`, `+01:00` or `-03:30` into seconds ahead of UTC; nil for any other text.
    private static func offsetSeconds(_ text: Substring) -> Int64? {
        if text == "Z" { return 0 }
        guard let numbers = LocalMinute.numbers(text.dropFirst(), separator: ":", widths: [2, 2]),
            numbers[0] < 24, numbers[1] < 60
        else { return nil }
        let seconds = Int64(numbers[0] * 3600 + numbers[1] * 60)
        return text.first == "-" ? -seconds : seconds
    }
}
