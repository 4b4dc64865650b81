import Crypto
import Reader
import Timekeeping

/// The file of a signature key that is being replaced: a line that says until when, and the key.
///
/// ```
/// accepted-until 2026-12-31T23:59
/// -----BEGIN PUBLIC KEY-----
/// ```
enum RetiringKeyFile {
    private static let label = "accepted-until "

    /// What the file at `path` says.
    static func parse(_ octets: [UInt8], path: String) throws(ReaderdError) -> RetiringSignatureKey {
        guard let end = octets.firstIndex(of: UInt8(ascii: "\n")) else { throw unusable(path) }
        let line = String(decoding: octets[..<end], as: UTF8.self)
        guard line.hasPrefix(label), let until = LocalMinute.parse(line.dropFirst(label.count)) else {
            throw unusable(path)
        }
        let key = try IdentityFiles.publicKey(octets.span.extracting(droppingFirst: end + 1), path: path)
        return RetiringSignatureKey(key, until: until)
    }

    /// The file for a key in `pem`.
    static func octets(_ pem: [UInt8], until: CivilTime) -> [UInt8] {
        Array("\(label)\(LocalMinute.text(until))\n".utf8) + pem
    }

    private static func unusable(_ path: String) -> ReaderdError {
        .failed("\(path): its first line has to say until when: \(label)2026-12-31T23:59")
    }
}

/// A local time to the minute, as people write it: `2026-12-31T23:59`, or `2026-12-31` for the whole day.
enum LocalMinute {
    /// The time that `text` says, its last minute if it is a day; nil if it says none.
    static func parse(_ text: Substring) -> CivilTime? {
        let halves = text.split(separator: "T", omittingEmptySubsequences: false)
        guard halves.count <= 2, let date = numbers(halves[0], separator: "-", widths: [4, 2, 2]) else { return nil }
        var time = CivilTime(year: date[0], month: date[1], day: date[2], hour: 23, minute: 59)
        if halves.count == 2 {
            guard let clock = numbers(halves[1], separator: ":", widths: [2, 2]) else { return nil }
            (time.hour, time.minute) = (clock[0], clock[1])
        }
        return time.isValid ? time : nil
    }

    /// `2026-12-31T23:59`
    static func text(_ time: CivilTime) -> String {
        "\(padded(time.year, 4))-\(padded(time.month, 2))-\(padded(time.day, 2))"
            + "T\(padded(time.hour, 2)):\(padded(time.minute, 2))"
    }

    private static func numbers(_ text: Substring, separator: Character, widths: [Int]) -> [Int]? {
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
