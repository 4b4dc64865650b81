// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The other direction: rows of a file, as `parse` reads them.
extension RSSITrace {
    /// Appends the header's line.
    public static func appendHeader(to octets: inout [UInt8]) {
        octets.append(contentsOf: header.utf8)
        octets.append(UInt8(ascii: "\n"))
    }

    /// Appends the row of one packet, without a distance. Allocates nothing within the capacity of `octets`.
    ///
    /// - Parameters:
    ///   - milliseconds: the time since the start of the take.
    ///   - dBm: the signal strength, −126 to −1 dBm.
    public static func appendRow(
        name: String, milliseconds: UInt32, condition: String, dBm: Int8, to octets: inout [UInt8]
    ) {
        let comma = UInt8(ascii: ",")
        octets.append(contentsOf: name.utf8)
        octets.append(comma)
        append(milliseconds / 1000, digits: 1, to: &octets)
        octets.append(UInt8(ascii: "."))
        append(milliseconds % 1000, digits: 3, to: &octets)
        octets.append(comma)
        octets.append(comma)
        octets.append(contentsOf: condition.utf8)
        octets.append(comma)
        if dBm < 0 { octets.append(UInt8(ascii: "-")) }
        append(UInt32(dBm.magnitude), digits: 1, to: &octets)
        octets.append(UInt8(ascii: "\n"))
    }

    /// Traces without distances as a file.
    public static func file(_ traces: [RSSITrace]) -> [UInt8] {
        var octets: [UInt8] = []
        appendHeader(to: &octets)
        for trace in traces {
            for reading in trace.readings {
                appendRow(
                    name: trace.name, milliseconds: UInt32(clamping: reading.at.wholeMilliseconds),
                    condition: trace.condition, dBm: reading.dBm, to: &octets)
            }
        }
        return octets
    }

    /// Appends a number in decimal digits, with zeros before it.
    private static func append(_ number: UInt32, digits: Int, to octets: inout [UInt8]) {
        var (divisor, count): (UInt32, Int) = (1, 1)
        while count < digits || number / divisor >= 10 {
            divisor *= 10
            count += 1
        }
        while divisor > 0 {
            octets.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }
}
