public import WiFiProvisioning

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

/// A passphrase as a literal.
extension WiFiPassphrase: ExpressibleByStringLiteral {
    /// The text in it; too long a one is a mistake of the test.
    public init(stringLiteral text: String) {
        guard let passphrase = WiFiPassphrase(Array(text.utf8)) else {
            preconditionFailure("\(text) is too long for a passphrase")
        }
        self = passphrase
    }
}
