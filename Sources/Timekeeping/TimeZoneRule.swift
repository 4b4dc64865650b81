// SPDX-License-Identifier: Apache-2.0

/// The reason why a time zone is invalid.
public enum TimeZoneError: Error, Equatable, Sendable {
    /// The text is not a POSIX rule; the position is in octets from 0.
    case notARule(at: Int)
    /// The octets are not a compiled time zone file (RFC 8536).
    case notATimeZoneFile
}

extension TimeZoneError: CustomStringConvertible {
    /// The reason, for a line to the operator.
    public var description: String {
        switch self {
        case .notARule(let position): "its rule is invalid at octet \(position)"
        case .notATimeZoneFile: "it is not a compiled time zone file"
        }
    }
}

/// The rule by which the local time of a zone follows UTC: the changes that its file lists, and after the last of them
/// the annual rule.
///
/// Some zones have changes that no annual rule describes: in Morocco they follow the moon, and the file lists them for
/// decades.
public struct TimeZoneRule: Equatable, Sendable {
    /// The maximum length of an annual rule; the longest in use has about 40 octets.
    public static let maximumRuleCount = 128
    /// The maximum length of a file; the largest in use has about 4 kB in its slim form, 3 kB more in the fat one.
    public static let maximumFileCount = 65_536

    /// A change of the offset.
    struct OffsetChange: Equatable, Sendable {
        /// Seconds since 1970-01-01 UTC.
        var instant: Int64
        /// Seconds ahead of UTC after the change.
        var offset: Int64
    }

    /// Seconds ahead of UTC before the first change.
    let initialOffset: Int64
    /// The listed changes, in order.
    let changes: [OffsetChange]
    /// The rule from the last change on; nil if the last offset remains.
    let annual: AnnualRule?

    /// The time from which the file leaves the zone open, in seconds since 1970-01-01 UTC: the last change, if the
    /// footer is empty (RFC 8536, 3.3). Nil if it does not.
    public let knownUntil: Int64?

    /// Coordinated universal time.
    public static let utc = TimeZoneRule(utcOffsetMinutes: 0)

    /// A zone with a constant offset of `utcOffsetMinutes` from UTC.
    public init(utcOffsetMinutes: Int) {
        self.init(initialOffset: Int64(utcOffsetMinutes) * 60, changes: [], annual: nil)
    }

    /// A zone with the annual rule `text` for all times: `std offset[dst[offset],start[/time],end[/time]]`.
    public init(_ text: String) throws(TimeZoneError) {
        let annual = try AnnualRule(text)
        self.init(initialOffset: annual.standardOffset, changes: [], annual: annual)
    }

    /// A zone of a compiled time zone file, as in /usr/share/zoneinfo (RFC 8536). After `knownUntil` the last offset
    /// remains.
    public init(file octets: [UInt8]) throws(TimeZoneError) {
        guard octets.count <= TimeZoneRule.maximumFileCount else { throw .notATimeZoneFile }
        var file = TimeZoneFile(octets.span)
        self = try file.zone(octets.span)
    }

    init(initialOffset: Int64, changes: [OffsetChange], annual: AnnualRule?, knownUntil: Int64? = nil) {
        (self.initialOffset, self.changes, self.annual) = (initialOffset, changes, annual)
        self.knownUntil = knownUntil
    }

    /// The seconds by which local time is ahead of UTC, `epochSeconds` after 1970-01-01 UTC.
    ///
    /// Called for every frame: allocates nothing.
    public func offsetSeconds(at epochSeconds: Int64) -> Int64 {
        var (first, end) = (0, changes.count)
        // The number of changes that have happened.
        while first < end {
            let middle = (first + end) / 2
            if changes[middle].instant <= epochSeconds { first = middle + 1 } else { end = middle }
        }
        if first == changes.count, let annual { return annual.offsetSeconds(at: epochSeconds) }
        return first == 0 ? initialOffset : changes[first - 1].offset
    }

    /// The local time, `epochSeconds` after 1970-01-01 UTC.
    public func civilTime(at epochSeconds: Int64) -> CivilTime {
        CivilTime(epochSeconds: epochSeconds + offsetSeconds(at: epochSeconds))
    }
}
