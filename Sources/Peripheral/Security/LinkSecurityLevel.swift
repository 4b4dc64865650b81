/// How well a link is protected. Everything is closed until an Encryption Change event says otherwise.
public struct LinkSecurityLevel: Equatable, Sendable {
    /// The link is encrypted; without it, none of the other fields says anything but `isBonded`.
    public var isEncrypted: Bool
    /// The key was made by a model that protects against somebody in the middle.
    public var isAuthenticated: Bool
    /// The key was made by LE Secure Connections.
    public var isSecureConnections: Bool
    /// Octets of the encryption key; 0 while the link is not encrypted.
    public var keySize: Int
    /// A bond with the peer exists, whether or not it protects the link yet.
    public var isBonded: Bool

    /// A level with these fields; nothing, by default.
    public init(
        isEncrypted: Bool = false, isAuthenticated: Bool = false, isSecureConnections: Bool = false, keySize: Int = 0,
        isBonded: Bool = false
    ) {
        self.isEncrypted = isEncrypted
        self.isAuthenticated = isAuthenticated
        self.isSecureConnections = isSecureConnections
        self.keySize = keySize
        self.isBonded = isBonded
    }

    /// As far as permissions of attributes ask.
    public var attributeSecurity: LinkSecurity {
        LinkSecurity(
            isEncrypted: isEncrypted, isAuthenticated: isEncrypted && isAuthenticated,
            isSecureConnections: isEncrypted && isSecureConnections, keySize: isEncrypted ? keySize : 0,
            hasKey: isBonded)
    }
}
