// SPDX-License-Identifier: Apache-2.0

internal import Octets
public import Timekeeping

/// A local date and time to the minute, in the encoding of OSS files: six octets of decimal digits, `YYYY MM DD hh
/// mm`.
///
/// Month, hour and minute are validated; the day only has to be a number (access protocol, 7).
public struct OSSTimestamp: Hashable, Comparable, Sendable {
    /// The length of a timestamp in octets.
    public static let octetCount = 6

    /// 0 to 9999.
    public let year: UInt16
    /// 1 to 12; 0 only in `unset`.
    public let month: UInt8
    /// 0 to 99, unvalidated.
    public let day: UInt8
    /// 0 to 23.
    public let hour: UInt8
    /// 0 to 59.
    public let minute: UInt8

    private init(_ year: UInt16, _ month: UInt8, _ day: UInt8, _ hour: UInt8, _ minute: UInt8) {
        (self.year, self.month, self.day, self.hour, self.minute) = (year, month, day, hour, minute)
    }

    /// All zeros: a valid timestamp without a value.
    public static let unset = OSSTimestamp(0, 0, 0, 0, 0)

    /// True if all octets are zero.
    public var isUnset: Bool { self == .unset }

    /// The minute of `time`; nil if the fields have no encoding.
    public init?(_ time: CivilTime) {
        guard 0...9999 ~= time.year, 1...12 ~= time.month, 0...99 ~= time.day, 0...23 ~= time.hour,
            0...59 ~= time.minute
        else { return nil }
        self.init(
            UInt16(time.year), UInt8(time.month), UInt8(time.day), UInt8(time.hour), UInt8(time.minute))
    }

    /// The first second of the minute; not a valid time if the timestamp is unset or its day invalid.
    public var civilTime: CivilTime {
        CivilTime(year: Int(year), month: Int(month), day: Int(day), hour: Int(hour), minute: Int(minute))
    }

    /// Reads six octets.
    ///
    /// - Throws: −233 for an invalid timestamp, −6 if there are fewer octets.
    init(_ reader: inout OSSFileReader, _ bytes: Span<UInt8>) throws(StatusCode) {
        let range = try reader.consume(OSSTimestamp.octetCount, bytes)
        try self.init(octets: bytes.extracting(range))
    }

    /// Reads the timestamp from all of `octets`.
    ///
    /// - Throws: −233 for invalid octets or another count.
    public init(octets: Span<UInt8>) throws(StatusCode) {
        guard octets.count == OSSTimestamp.octetCount,
            let century = BinaryCodedDecimal.decode(octets[0]), let years = BinaryCodedDecimal.decode(octets[1]),
            let month = BinaryCodedDecimal.decode(octets[2]), let day = BinaryCodedDecimal.decode(octets[3]),
            let hour = BinaryCodedDecimal.decode(octets[4]), let minute = BinaryCodedDecimal.decode(octets[5])
        else { throw .standardOfflineTimestamp }
        self.init(UInt16(century) * 100 + UInt16(years), month, day, hour, minute)
        guard isUnset || (1...12 ~= month && hour <= 23 && minute <= 59) else { throw .standardOfflineTimestamp }
    }

    /// Appends the six octets.
    public func append(to octets: inout [UInt8]) {
        octets.append(BinaryCodedDecimal.encode(year / 100))
        octets.append(BinaryCodedDecimal.encode(year))
        for number in [month, day, hour, minute] { octets.append(BinaryCodedDecimal.encode(UInt16(number))) }
    }

    /// The chronological order, field by field; `unset` is before all others.
    public static func < (left: OSSTimestamp, right: OSSTimestamp) -> Bool { left.order < right.order }

    private var order: UInt64 {
        UInt64(year) << 32 | UInt64(month) << 24 | UInt64(day) << 16 | UInt64(hour) << 8 | UInt64(minute)
    }
}
