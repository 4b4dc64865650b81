/// How a link is protected, as far as access to attributes depends on it. Starts with nothing, so access is closed
/// until it is said otherwise.
public struct LinkSecurity: Equatable, Sendable {
    /// The longest encryption key, in octets (Core 5.4, Vol 3, Part H, 2.3.4).
    public static let maximumKeySize = 16

    /// The link is encrypted.
    public var isEncrypted: Bool
    /// The key was made by an authenticated pairing; means nothing while the link is not encrypted.
    public var isAuthenticated: Bool
    /// The key was made by LE Secure Connections; means nothing while the link is not encrypted.
    public var isSecureConnections: Bool
    /// Octets of the key; 0 while the link is not encrypted.
    public var keySize: Int
    /// There is a key for this peer, so that encryption needs no pairing first.
    public var hasKey: Bool

    /// A link that is protected like this; not at all, if nothing is given. The key of an encrypted link has 16 octets
    /// if nothing else is said.
    public init(
        isEncrypted: Bool = false, isAuthenticated: Bool = false, isSecureConnections: Bool = false,
        keySize: Int? = nil, hasKey: Bool = false
    ) {
        self.isEncrypted = isEncrypted
        self.isAuthenticated = isAuthenticated
        self.isSecureConnections = isSecureConnections
        self.keySize = keySize ?? (isEncrypted ? LinkSecurity.maximumKeySize : 0)
        self.hasKey = hasKey
    }

    /// Nil if the least of the three demands that are made is met; else the code of Core 5.4, Vol 3, Part C, 10.3.1:
    /// without a key the client is to pair, with one to encrypt, with one of too few octets to pair for a longer one.
    /// `never` if no demand is made, for then nothing opens the attribute.
    func refusal(
        encrypted: Bool, authenticated: Bool, secureConnections: Bool, minimumKeySize: Int, never: ATTErrorCode
    ) -> ATTErrorCode? {
        guard encrypted || authenticated || secureConnections else { return never }
        guard isEncrypted else { return hasKey ? .insufficientEncryption : .insufficientAuthentication }
        if !encrypted, !isAuthenticated { return .insufficientAuthentication }
        if encrypted || authenticated {
            return keySize >= minimumKeySize ? nil : .insufficientEncryptionKeySize
        }
        guard isSecureConnections else { return .insufficientAuthentication }
        return keySize >= LinkSecurity.maximumKeySize ? nil : .insufficientEncryptionKeySize
    }
}
