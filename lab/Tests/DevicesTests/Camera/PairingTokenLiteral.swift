import Devices

/// A token as a test writes it.
extension PairingToken: ExpressibleByStringLiteral {
    init(stringLiteral text: String) {
        guard let token = PairingToken(Array(text.utf8)) else {
            preconditionFailure("\(text) is no pairing token")
        }
        self = token
    }
}
