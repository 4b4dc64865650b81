/// What may be done with an attribute, and on what kind of link (Core 5.4, Vol 3, Part F, 3.2.5).
///
/// For reading, and likewise for writing, each member is sufficient on its own once its demand is met; none at all
/// means that the access is not permitted on any link.
public struct AttributePermissions: OptionSet, Hashable, Sendable {
    /// One bit for each permission.
    public var rawValue: UInt16
    /// The permissions with these bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// May be read on any link.
    public static let read = AttributePermissions(rawValue: 0x0001)
    /// May be written on any link.
    public static let write = AttributePermissions(rawValue: 0x0002)
    /// May be read on an encrypted link.
    public static let readEncrypted = AttributePermissions(rawValue: 0x0004)
    /// May be written on an encrypted link.
    public static let writeEncrypted = AttributePermissions(rawValue: 0x0008)
    /// May be read on a link encrypted with an authenticated key.
    public static let readAuthenticated = AttributePermissions(rawValue: 0x0010)
    /// May be written on a link encrypted with an authenticated key.
    public static let writeAuthenticated = AttributePermissions(rawValue: 0x0020)

    /// May be read on a link encrypted with an authenticated key of 16 octets, made by LE Secure Connections.
    public static let readSecureConnections = AttributePermissions(rawValue: 0x0040)
    /// May be written on a link encrypted with an authenticated key of 16 octets, made by LE Secure Connections.
    public static let writeSecureConnections = AttributePermissions(rawValue: 0x0080)

    static let anyRead: AttributePermissions = [.read, .readEncrypted, .readAuthenticated, .readSecureConnections]

    /// Nil if the link may read, else why not.
    func refusalOfReading(_ security: LinkSecurity) -> ATTErrorCode? {
        if contains(.read) { return nil }
        return security.refusal(
            encrypted: contains(.readEncrypted), authenticated: contains(.readAuthenticated), never: .readNotPermitted)
    }

    /// Nil if the link may write, else why not.
    func refusalOfWriting(_ security: LinkSecurity) -> ATTErrorCode? {
        if contains(.write) { return nil }
        return security.refusal(
            encrypted: contains(.writeEncrypted), authenticated: contains(.writeAuthenticated),
            never: .writeNotPermitted)
    }

    /// The permissions of a client characteristic configuration that lets nobody subscribe to a value who may
    /// not have it in another way: readable, and writable with the least demand that the value itself makes.
    static func configuration(of value: AttributePermissions) -> AttributePermissions {
        if !value.isDisjoint(with: [.read, .write]) || value.isEmpty { return [.read, .write] }
        if !value.isDisjoint(with: [.readEncrypted, .writeEncrypted]) { return [.read, .writeEncrypted] }
        return [.read, .writeAuthenticated]
    }
}

/// How a link is protected, as far as access to attributes depends on it. Starts with nothing, so access is closed
/// until it is said otherwise.
public struct LinkSecurity: Equatable, Sendable {
    /// The link is encrypted.
    public var isEncrypted: Bool
    /// The key was made by an authenticated pairing; means nothing while the link is not encrypted.
    public var isAuthenticated: Bool
    /// There is a key for this peer, so that encryption needs no pairing first.
    public var hasKey: Bool

    /// A link that is protected like this; not at all, if nothing is given.
    public init(isEncrypted: Bool = false, isAuthenticated: Bool = false, hasKey: Bool = false) {
        self.isEncrypted = isEncrypted
        self.isAuthenticated = isAuthenticated
        self.hasKey = hasKey
    }

    /// The codes of Core 5.4, Vol 3, Part C, 10.3.1: without a key the client is to pair, with one to encrypt.
    fileprivate func refusal(encrypted: Bool, authenticated: Bool, never: ATTErrorCode) -> ATTErrorCode? {
        guard encrypted || authenticated else { return never }
        guard isEncrypted else { return hasKey ? .insufficientEncryption : .insufficientAuthentication }
        return encrypted || isAuthenticated ? nil : .insufficientAuthentication
    }
}
