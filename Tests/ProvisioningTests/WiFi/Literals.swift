import Provisioning

/// A name as a test writes it.
extension WiFiName: ExpressibleByStringLiteral {
    init(stringLiteral text: String) {
        guard let name = WiFiName(text) else { preconditionFailure("\(text) is too long for a name") }
        self = name
    }
}

/// An address as a test writes it.
extension WiFiAddress: ExpressibleByStringLiteral {
    init(stringLiteral text: String) {
        guard let address = WiFiAddress(text) else { preconditionFailure("\(text) is no hardware address") }
        self = address
    }
}

/// A passphrase as a test writes it.
extension WiFiPassphrase: ExpressibleByStringLiteral {
    init(stringLiteral text: String) {
        guard let passphrase = WiFiPassphrase(Array(text.utf8)) else {
            preconditionFailure("\(text) is too long for a passphrase")
        }
        self = passphrase
    }
}
