// SPDX-License-Identifier: Apache-2.0

import Octets

/// Numbers as decimal text, without exponents: equal on every machine.
public enum DecimalText {
    /// The text for a value that is not a number.
    public static let none = "-"
    /// The largest number that is written: beyond, `Double` has no decimals left.
    private static let largest = 1e15

    /// The rounded number with this count of decimals, 0 to 6; `-` for no number.
    public static func of(_ value: Double?, _ decimals: Int) -> String {
        guard let value, value.isFinite, value.magnitude < largest else { return none }
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        // A product beyond the integers has lost its decimals anyway.
        guard (value * scale).magnitude < 9e18 else { return none }
        let scaled = Int64((value * scale).rounded())
        guard decimals > 0 else { return "\(scaled)" }
        let whole = scaled.magnitude / UInt64(scale)
        return (scaled < 0 ? "-" : "") + "\(whole)." + (scaled.magnitude % UInt64(scale)).padded(to: decimals)
    }

    /// The number with about four digits, none of them a zero at the end.
    public static func short(_ value: Double) -> String {
        let decimals =
            switch value.magnitude {
            case 1000...: 0
            case 100...: 1
            case 10...: 2
            case 1...: 3
            default: 4
            }
        let text = of(value, decimals)
        guard text.contains(".") else { return text }
        let digits = text.reversed().drop { $0 == "0" }
        return String((digits.first == "." ? digits.dropFirst() : digits).reversed())
    }
}
