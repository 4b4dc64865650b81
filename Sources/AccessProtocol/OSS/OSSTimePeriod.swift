// SPDX-License-Identifier: Apache-2.0

/// A part of a day in an OSS schedule, both ends included, to the minute: four octets of decimal digits, `hh mm hh
/// mm`.
public struct OSSTimePeriod: Hashable, Sendable {
    /// The length of a period in octets.
    public static let octetCount = 4
    /// The end of the day as the end of a period.
    public static let endOfDay: UInt16 = 24 * 60

    /// The first minute of the period.
    public let from: UInt16
    /// The last minute of the period; 1440 is the end of the day.
    public let to: UInt16

    /// The period from `fromHour:fromMinute` to `toHour:toMinute`.
    ///
    /// - Throws: −234 unless the hours are 0 to 23 and 1 to 24, the minutes below 59 (59 is refused, as published),
    ///   24 is followed by 00, and the end is later than the start.
    public init(
        fromHour: UInt8, fromMinute: UInt8, toHour: UInt8, toMinute: UInt8
    ) throws(StatusCode) {
        from = UInt16(fromHour) * 60 + UInt16(fromMinute)
        to = UInt16(toHour) * 60 + UInt16(toMinute)
        guard fromHour < 24, 1...24 ~= toHour, fromMinute < 59, toMinute < 59, toHour < 24 || toMinute == 0, to > from
        else { throw .standardOfflinePeriod }
    }

    /// Reads four octets; nil if they are all zero, which ends a day's list.
    ///
    /// - Throws: −234 for an invalid period, −6 if there are fewer octets.
    static func read(_ reader: inout OSSFileReader, _ bytes: Span<UInt8>) throws(StatusCode) -> OSSTimePeriod? {
        let range = try reader.consume(octetCount, bytes)
        let octets = bytes.extracting(range)
        if octets[0] | octets[1] | octets[2] | octets[3] == 0 { return nil }
        guard let fromHour = BinaryCodedDecimal.decode(octets[0]),
            let fromMinute = BinaryCodedDecimal.decode(octets[1]),
            let toHour = BinaryCodedDecimal.decode(octets[2]), let toMinute = BinaryCodedDecimal.decode(octets[3])
        else { throw .standardOfflinePeriod }
        return try OSSTimePeriod(fromHour: fromHour, fromMinute: fromMinute, toHour: toHour, toMinute: toMinute)
    }

    /// True if the minute of the day lies in the period.
    public func contains(_ minute: UInt16) -> Bool { from <= minute && minute <= to }

    func append(to octets: inout [UInt8]) {
        for number in [from / 60, from % 60, to / 60, to % 60] { octets.append(BinaryCodedDecimal.encode(number)) }
    }
}
