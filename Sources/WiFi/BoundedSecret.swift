// SPDX-License-Identifier: Apache-2.0

import Crypto

/// Octets that are a secret, such as a passphrase, with limits of their length. The description has the length only,
/// never the octets.
public struct BoundedSecret<let minimum: Int, let maximum: Int>: Sendable, Equatable, CustomStringConvertible,
    CustomReflectable
{
    private let octets: [UInt8]

    /// The secret with these octets; nil if they are fewer or more than the limits.
    public init?(_ octets: [UInt8]) {
        guard octets.count >= minimum, octets.count <= maximum else { return nil }
        self.octets = octets
    }

    /// The maximum length in octets.
    public static var maximumCount: Int { maximum }

    /// The length in octets.
    public var count: Int { octets.count }

    /// Lends the octets to `body`, which must not retain them.
    public func withOctets<Result, Failure: Error>(
        _ body: ([UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(octets)
    }

    /// Compares in constant time, given the lengths.
    public static func == (left: Self, right: Self) -> Bool { constantTimeEqual(left.octets.span, right.octets.span) }

    /// The length only.
    public var description: String { "(\(octets.count) octets)" }
    /// The length only.
    public var customMirror: Mirror { Mirror(self, children: ["count": octets.count]) }
}
