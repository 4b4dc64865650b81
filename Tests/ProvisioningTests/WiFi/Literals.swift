import Provisioning

/// A network name as a literal.
extension WiFiName: ExpressibleByStringLiteral {
    init(stringLiteral text: String) {
        guard let name = WiFiName(text) else { preconditionFailure("\(text) is too long for a name") }
        self = name
    }
}

/// An address as a literal.
extension WiFiAddress: ExpressibleByStringLiteral {
    init(stringLiteral text: String) {
        guard let address = WiFiAddress(text) else { preconditionFailure("\(text) is no hardware address") }
        self = address
    }
}

/// A passphrase as a literal.
extension WiFiPassphrase: ExpressibleByStringLiteral {
    init(stringLiteral text: String) {
        guard let passphrase = WiFiPassphrase(Array(text.utf8)) else {
            preconditionFailure("\(text) is too long for a passphrase")
        }
        self = passphrase
    }
}

/// A token as a literal.
extension PairingToken: ExpressibleByStringLiteral {
    init(stringLiteral text: String) {
        guard let token = PairingToken(Array(text.utf8)) else {
            preconditionFailure("\(text) is no pairing token")
        }
        self = token
    }
}
