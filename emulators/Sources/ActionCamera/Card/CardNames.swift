// SPDX-License-Identifier: Apache-2.0

import Octets
import Timekeeping

/// Numbers in the names of the card's files.
enum CardNames {
    /// Four digits at least.
    static func digits(_ number: Int) -> String { number.padded(to: 4) }
}

/// Dates as the camera writes them: `yyyy-MM-ddTHH:mm:ssZ`, GMT, never a fraction (Bandit §3.3, §10.2).
enum CameraDate {
    static func text(_ seconds: Int64) -> String {
        let time = CivilTime(epochSeconds: seconds)
        let date = "\(time.year.padded(to: 4))-\(time.month.padded(to: 2))-\(time.day.padded(to: 2))"
        return "\(date)T\(time.hour.padded(to: 2)):\(time.minute.padded(to: 2)):\(time.second.padded(to: 2))Z"
    }

    /// Seconds since 1970; nil if the text has another form, or no such date exists.
    static func seconds(_ text: String) -> Int64? {
        let octets = Array(text.utf8)
        guard octets.count == 20 else { return nil }
        for (index, separator) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "Z")] {
            guard octets[index] == separator.utf8.first else { return nil }
        }
        func field(_ range: Range<Int>) -> Int? {
            guard octets[range].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return Int(String(decoding: octets[range], as: UTF8.self))
        }
        guard let year = field(0..<4), let month = field(5..<7), let day = field(8..<10), let hour = field(11..<13),
            let minute = field(14..<16), let second = field(17..<19)
        else { return nil }
        let time = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        return time.isValid ? time.epochSeconds : nil
    }
}
