// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// An issuer of PKOC cards, whose certificates the reader trusts.
public struct PKOCIssuer: Equatable, Sendable {
    /// The maximum number that a reader trusts; each can cost the verification of a signature.
    public static let maximumCount = 16
    /// The number of characters of an issuer's or a holder's identifier.
    public static let identifierCount = 16

    /// Capital letters and digits (tag 42 of its certificates).
    public let identifier: [UInt8]
    /// Verifies its certificates.
    public let key: P256PublicKey

    /// An issuer; nil for another identifier than 16 characters of A to Z and 0 to 9.
    public init?(_ identifier: String, key: P256PublicKey) {
        guard Self.isIdentifier(Array(identifier.utf8)) else { return nil }
        (self.identifier, self.key) = (Array(identifier.utf8), key)
    }

    /// True for the same identifier and point.
    public static func == (left: PKOCIssuer, right: PKOCIssuer) -> Bool {
        left.identifier == right.identifier && left.key.point == right.key.point
    }

    static func isIdentifier(_ octets: some Collection<UInt8>) -> Bool {
        octets.count == identifierCount
            && octets.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }
}
