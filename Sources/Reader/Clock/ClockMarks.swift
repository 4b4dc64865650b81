internal import Octets

/// The state of the reader's clock that outlasts a restart, so that neither a power cut nor a phone takes time back. Part
/// of the policy.
public struct ClockMarks: Equatable, Sendable {
    /// Seconds by which the reader's time is ahead of the system clock's.
    public var offset: Int64
    /// The latest time that the clock has shown since it had an authoritative time, in seconds since 1970.
    public var latest: Int64
    /// The time that it showed when the marks were kept: that much is over. Earlier than `latest` after a step back.
    public var shown: Int64
    /// Seconds that phones, or an unsynchronised system clock, have put the clock back since the last authoritative
    /// time, all steps together.
    public var back: Int64
    /// Seconds that phones have put it ahead since then, all steps together.
    public var ahead: Int64

    /// Marks with these values, of a clock that shows the latest time unless told otherwise.
    public init(offset: Int64 = 0, latest: Int64, shown: Int64? = nil, back: Int64 = 0, ahead: Int64 = 0) {
        (self.offset, self.latest, self.shown) = (offset, latest, shown ?? latest)
        (self.back, self.ahead) = (back, ahead)
    }

    /// The setting of the policy that keeps them.
    public static let setting = "clock-marks"
    /// The form of the octets.
    private static let version: UInt8 = 1
    /// The magnitude that no mark exceeds, 34,000 years in seconds; a greater one is damage.
    private static let limit: Int64 = 1 << 40

    /// The octets that are kept: the version, then the five values in the order of `init`, each in 8 octets, little
    /// endian.
    public var octets: [UInt8] {
        var octets = [ClockMarks.version]
        for value in [offset, latest, shown, back, ahead] { octets.append(littleEndian: UInt64(bitPattern: value)) }
        return octets
    }

    /// The marks that were kept as `octets`; nil for any others.
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

    /// The marks after which no phone may move the clock any more: those of a clock about which nothing is known.
    public static func exhausted(latest: Int64) -> ClockMarks {
        ClockMarks(latest: latest, back: ReaderClock.maximumBack, ahead: ReaderClock.maximumAhead)
    }
}
