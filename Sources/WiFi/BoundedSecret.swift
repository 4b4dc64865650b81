// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// Octets that are a secret, such as a passphrase, with limits of their length. They are overwritten when the last copy
/// of the value ends; the description has the length only.
public struct BoundedSecret<let minimum: Int, let maximum: Int>: Sendable, Equatable, CustomStringConvertible,
    CustomReflectable
{
    private let secret: SecretOctets

    /// The secret with these octets; nil if they are fewer or more than the limits.
    public init?(_ octets: consuming [UInt8]) { self.init(SecretOctets(octets)) }

    /// The secret; nil if its octets are fewer or more than the limits.
    public init?(_ secret: SecretOctets) {
        guard secret.octets.count >= minimum, secret.octets.count <= maximum else { return nil }
        self.secret = secret
    }

    /// The maximum length in octets.
    public static var maximumCount: Int { maximum }

    /// The length in octets.
    public var count: Int { secret.octets.count }

    /// Lends the octets to `body`, which must not retain them.
    public func withOctets<Result, Failure: Error>(
        _ body: ([UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(secret.octets)
    }

    /// Compares in constant time, given the lengths.
    public static func == (left: Self, right: Self) -> Bool { left.secret == right.secret }

    /// The length only.
    public var description: String { secret.description }
    /// The length only.
    public var customMirror: Mirror { Mirror(self, children: ["count": count]) }
}
