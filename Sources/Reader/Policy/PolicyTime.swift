// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// The encoding of a time among the settings of the policy: seconds since 1970 in UTC, eight octets in little endian.
public enum PolicyTime {
    /// A time that is not known: later than every other.
    public static let unknown = Int64.max

    /// The octets of a time.
    public static func octets(_ seconds: Int64) -> [UInt8] {
        var octets: [UInt8] = []
        octets.append(littleEndian: UInt64(bitPattern: seconds))
        return octets
    }

    /// The time in these octets; nil if they are not eight.
    public static func seconds(_ octets: [UInt8]) -> Int64? {
        let span = octets.span
        var cursor = OctetCursor(span)
        guard let seconds = try? cursor.u64(span), (try? cursor.finish()) != nil else { return nil }
        return Int64(bitPattern: seconds)
    }
}
