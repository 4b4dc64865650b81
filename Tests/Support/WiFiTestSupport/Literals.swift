// SPDX-License-Identifier: Apache-2.0

public import WiFi

/// A network name as a literal.
extension WiFiName: ExpressibleByStringLiteral {
    /// The text in it; too long a one is a mistake of the test.
    public init(stringLiteral text: String) {
        guard let name = WiFiName(text) else { preconditionFailure("\(text) is too long for a name") }
        self = name
    }
}

/// An address as a literal.
extension WiFiAddress: ExpressibleByStringLiteral {
    /// The text in it; too long a one is a mistake of the test.
    public init(stringLiteral text: String) {
        guard let address = WiFiAddress(text) else { preconditionFailure("\(text) is no hardware address") }
        self = address
    }
}

/// A secret as a literal.
extension BoundedSecret: ExpressibleByStringLiteral {
    /// The text in it; too long a one is a mistake of the test.
    public init(stringLiteral text: String) {
        guard let secret = BoundedSecret(Array(text.utf8)) else {
            preconditionFailure("\(text) has too many octets, or too few")
        }
        self = secret
    }
}
