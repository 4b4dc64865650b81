// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// A reader of compiled time zone files (RFC 8536; version 4 as in RFC 9636).
///
/// A file of version 1 is a header and a data block with times of 32 bits. From version 2 on, a second header and a
/// data block with times of 64 bits replace these, and a footer has the rule after the last transition.
struct TimeZoneFile {
    /// The offsets of types in seconds: more than −25 and less than 26 hours (RFC 8536, 3.2).
    private static let offsets: ClosedRange<Int64> = -25 * 3600 + 1...26 * 3600 - 1
    /// The maximum number of types: a transition names its type by one octet.
    private static let typeLimit = 256

    private var cursor: OctetCursor

    /// Starts at the first of `bytes`.
    init(_ bytes: Span<UInt8>) { cursor = OctetCursor(bytes) }

    /// Reads the zone of the file that is all of `bytes`.
    mutating func zone(_ bytes: Span<UInt8>) throws(TimeZoneError) -> TimeZoneRule {
        let first = try header(bytes)
        guard first.version > 1 else {
            let block = try block(first, timeCount: 4, bytes)
            guard cursor.remaining == 0 else { throw .notATimeZoneFile }
            return TimeZoneRule(initialOffset: block.initialOffset, changes: block.changes, annual: nil)
        }
        _ = try consume(first.blockCount(timeCount: 4), bytes)
        let second = try header(bytes)
        guard second.version > 1 else { throw .notATimeZoneFile }
        let block = try block(second, timeCount: 8, bytes)
        let annual = try footer(bytes)
        return TimeZoneRule(
            initialOffset: block.initialOffset, changes: block.changes, annual: annual,
            knownUntil: annual == nil ? block.changes.last?.instant : nil)
    }

    // MARK: - Header (3.1)

    private struct Header {
        /// 1, or the digit in the file: 2 and later.
        var version: Int
        var universalIndicators: Int
        var standardIndicators: Int
        var leapSeconds: Int
        var transitions: Int
        var types: Int
        var characters: Int

        /// The length of the data block that follows, with times of `timeCount` octets. Each number has 32 bits, so
        /// the sum cannot overflow.
        func blockCount(timeCount: Int) -> Int {
            transitions * (timeCount + 1) + types * 6 + characters + leapSeconds * (timeCount + 4)
                + standardIndicators + universalIndicators
        }
    }

    private mutating func header(_ bytes: Span<UInt8>) throws(TimeZoneError) -> Header {
        guard try number(4, bytes) == 0x545A_6966 else { throw .notATimeZoneFile }
        let version: Int
        switch try number(1, bytes) {
        case 0: version = 1
        case let digit where 0x32...0x39 ~= digit: version = Int(digit - 0x30)
        default: throw .notATimeZoneFile
        }
        _ = try consume(15, bytes)
        return Header(
            version: version, universalIndicators: try count(bytes), standardIndicators: try count(bytes),
            leapSeconds: try count(bytes), transitions: try count(bytes), types: try count(bytes),
            characters: try count(bytes))
    }

    // MARK: - Data block (3.2)

    private struct Block {
        var initialOffset: Int64
        var changes: [TimeZoneRule.OffsetChange]
    }

    private mutating func block(
        _ header: Header, timeCount: Int, _ bytes: Span<UInt8>
    ) throws(TimeZoneError) -> Block {
        guard 1...TimeZoneFile.typeLimit ~= header.types, header.characters > 0,
            [0, header.types].contains(header.standardIndicators),
            [0, header.types].contains(header.universalIndicators),
            header.blockCount(timeCount: timeCount) <= cursor.remaining
        else { throw .notATimeZoneFile }
        let times = try times(header.transitions, timeCount: timeCount, bytes)
        let types = try consume(header.transitions, bytes)
        var offsets: [Int64] = []
        for _ in 0..<header.types { offsets.append(try offset(header, bytes)) }
        guard bytes[try consume(header.characters, bytes).upperBound - 1] == 0 else { throw .notATimeZoneFile }
        let leapSeconds = try leapSeconds(header.leapSeconds, timeCount: timeCount, bytes)
        _ = try consume(header.standardIndicators + header.universalIndicators, bytes)
        var block = Block(initialOffset: offsets[0], changes: [])
        for (time, index) in zip(times, types) {
            let type = Int(bytes[index])
            guard type < offsets.count else { throw .notATimeZoneFile }
            block.changes.append(.init(instant: leapSeconds.epochSeconds(time), offset: offsets[type]))
        }
        return block
    }

    /// The transition times, each later than the one before.
    private mutating func times(
        _ count: Int, timeCount: Int, _ bytes: Span<UInt8>
    ) throws(TimeZoneError) -> [Int64] {
        var times: [Int64] = []
        for _ in 0..<count {
            let time = try number(timeCount, bytes)
            guard times.last.map({ $0 < time }) ?? true else { throw .notATimeZoneFile }
            times.append(time)
        }
        return times
    }

    /// The offset of a local time type.
    private mutating func offset(_ header: Header, _ bytes: Span<UInt8>) throws(TimeZoneError) -> Int64 {
        let offset = try number(4, bytes)
        guard TimeZoneFile.offsets ~= offset, 0...1 ~= (try number(1, bytes)),
            Int(try number(1, bytes)) < header.characters
        else { throw .notATimeZoneFile }
        return offset
    }

    /// The leap seconds of a file whose times count them (the zones in `right`). The system clock does not.
    private struct LeapSeconds {
        var all: [(occurrence: Int64, correction: Int64)] = []

        /// A time of the file in seconds of the system clock; saturates on overflow.
        func epochSeconds(_ time: Int64) -> Int64 {
            let correction = all.last { $0.occurrence <= time }?.correction ?? 0
            let (seconds, overflow) = time.subtractingReportingOverflow(correction)
            return overflow ? (correction > 0 ? .min : .max) : seconds
        }
    }

    private mutating func leapSeconds(
        _ count: Int, timeCount: Int, _ bytes: Span<UInt8>
    ) throws(TimeZoneError) -> LeapSeconds {
        var leapSeconds = LeapSeconds()
        for _ in 0..<count {
            let (occurrence, correction) = (try number(timeCount, bytes), try number(4, bytes))
            guard leapSeconds.all.last.map({ $0.occurrence < occurrence }) ?? (occurrence >= 0) else {
                throw .notATimeZoneFile
            }
            leapSeconds.all.append((occurrence, correction))
        }
        return leapSeconds
    }

    // MARK: - Footer (3.3)

    /// The rule after the last transition; nil if the footer is empty.
    private mutating func footer(_ bytes: Span<UInt8>) throws(TimeZoneError) -> AnnualRule? {
        let footer = cursor.rest()
        guard footer.count >= 2, bytes[footer.lowerBound] == 0x0A, bytes[footer.upperBound - 1] == 0x0A else {
            throw .notATimeZoneFile
        }
        let text = footer.dropFirst().dropLast().map { bytes[$0] }
        guard !text.isEmpty else { return nil }
        guard text.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw .notATimeZoneFile }
        return try AnnualRule(String(decoding: text, as: UTF8.self))
    }

    // MARK: - Octets

    private mutating func consume(_ count: Int, _ bytes: Span<UInt8>) throws(TimeZoneError) -> Range<Int> {
        do throws(OctetError) { return try cursor.consume(count, of: bytes) } catch { throw .notATimeZoneFile }
    }

    /// A count of 32 bits, unsigned.
    private mutating func count(_ bytes: Span<UInt8>) throws(TimeZoneError) -> Int {
        Int(UInt32(truncatingIfNeeded: try number(4, bytes)))
    }

    /// A number of 1, 4 or 8 octets, most significant first. Numbers of 4 and 8 octets are in two's complement.
    private mutating func number(_ count: Int, _ bytes: Span<UInt8>) throws(TimeZoneError) -> Int64 {
        let value = try consume(count, bytes).reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[$1]) }
        return count == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
    }
}
