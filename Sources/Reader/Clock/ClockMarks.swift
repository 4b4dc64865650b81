// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// The clock state that is kept over a restart, so that neither a power cut nor a phone turns time back. Part of the
/// policy.
public struct ClockMarks: Equatable, Sendable {
    /// Seconds by which the reader's time is ahead of the system clock.
    public var offset: Int64
    /// The latest time shown since the last authoritative time, in seconds since 1970.
    public var latest: Int64
    /// The time shown when the marks were kept, in seconds since 1970. Earlier than `latest` after a step back.
    public var shown: Int64
    /// Seconds that phones or an unsynchronised system clock have set the clock back since the last authoritative time,
    /// sum of all steps.
    public var back: Int64
    /// Seconds that phones have set the clock ahead since then, sum of all steps.
    public var ahead: Int64

    /// Creates marks with these values. `shown` is `latest` unless given.
    public init(offset: Int64 = 0, latest: Int64, shown: Int64? = nil, back: Int64 = 0, ahead: Int64 = 0) {
        (self.offset, self.latest, self.shown) = (offset, latest, shown ?? latest)
        (self.back, self.ahead) = (back, ahead)
    }

    /// The name of the policy's setting that keeps the marks.
    public static let setting = "clock-marks"
    /// The version of the encoding.
    private static let version: UInt8 = 1
    /// The greatest magnitude of a value, 34,000 years in seconds; a greater one is damage.
    private static let limit: Int64 = 1 << 40

    /// The encoding: the version, then the five values in the order of `init`, each in 8 octets, little endian.
    public var octets: [UInt8] {
        var octets = [ClockMarks.version]
        for value in [offset, latest, shown, back, ahead] { octets.append(littleEndian: UInt64(bitPattern: value)) }
        return octets
    }

    /// Decodes `octets`; nil unless they are an encoding with values within the limits.
    public init?(_ octets: [UInt8]) {
        var cursor = OctetCursor(octets.span)
        var values: [Int64] = []
        do throws(OctetError) {
            guard try cursor.u8(octets.span) == ClockMarks.version else { return nil }
            for _ in 0..<5 { values.append(Int64(bitPattern: try cursor.u64(octets.span))) }
            try cursor.finish()
        } catch {
            return nil
        }
        guard values.allSatisfy({ $0.magnitude <= ClockMarks.limit.magnitude }), values[1...].allSatisfy({ $0 >= 0 })
        else { return nil }
        self.init(offset: values[0], latest: values[1], shown: values[2], back: values[3], ahead: values[4])
    }

    /// Marks that allow phones no further step, for a clock whose history is not known.
    public static func exhausted(latest: Int64) -> ClockMarks {
        ClockMarks(latest: latest, back: ReaderClock.maximumBack, ahead: ReaderClock.maximumAhead)
    }
}
