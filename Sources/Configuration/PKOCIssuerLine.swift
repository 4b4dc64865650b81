// SPDX-License-Identifier: Apache-2.0

public import Credentials
import Crypto
import Octets

/// A trusted issuer of PKOC cards as it is written: its identifier and its point.
public struct PKOCIssuerLine: Equatable, Sendable {
    static let example = "ISSUER0000000001 \(AliroPointText.example)"
    static let problem =
        "is no issuer: needs its identifier, 16 capital letters and digits, and after a space its "
        + "point of P-256, 130 hexadecimal digits, 04 first"

    /// The line.
    public let text: String
    /// The issuer.
    public let issuer: PKOCIssuer

    /// The issuer; nil for other text.
    public init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let octets = Hexadecimal.octets(parts[1]),
            let key = try? P256PublicKey(point: octets.span), let issuer = PKOCIssuer(String(parts[0]), key: key)
        else { return nil }
        (self.text, self.issuer) = (text, issuer)
    }

    /// True for the same issuer, however it is written.
    public static func == (left: PKOCIssuerLine, right: PKOCIssuerLine) -> Bool { left.issuer == right.issuer }
}
