// SPDX-License-Identifier: Apache-2.0

/// The access permissions of an attribute by the security of the link (Core 5.4, Vol 3, Part F, 3.2.5).
///
/// For reading, and likewise for writing, each permission suffices once its requirement is met; without any, the access
/// is not permitted on any link.
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

    /// Nil if the link may read, otherwise the error. A requirement of encryption includes a key of `minimumKeySize`
    /// octets.
    func refusalOfReading(_ security: LinkSecurityLevel, minimumKeySize: Int) -> ATTErrorCode? {
        if contains(.read) { return nil }
        return security.refusal(
            encrypted: contains(.readEncrypted), authenticated: contains(.readAuthenticated),
            secureConnections: contains(.readSecureConnections), minimumKeySize: minimumKeySize,
            never: .readNotPermitted)
    }

    /// Nil if the link may write, otherwise the error. A requirement of encryption includes a key of `minimumKeySize`
    /// octets.
    func refusalOfWriting(_ security: LinkSecurityLevel, minimumKeySize: Int) -> ATTErrorCode? {
        if contains(.write) { return nil }
        return security.refusal(
            encrypted: contains(.writeEncrypted), authenticated: contains(.writeAuthenticated),
            secureConnections: contains(.writeSecureConnections), minimumKeySize: minimumKeySize,
            never: .writeNotPermitted)
    }

    /// The permissions of a client characteristic configuration, which must not permit subscription to a value that the
    /// client may not access otherwise: readable, and writable with the least requirement of the value.
    static func configuration(of value: AttributePermissions) -> AttributePermissions {
        if !value.isDisjoint(with: [.read, .write]) || value.isEmpty { return [.read, .write] }
        if !value.isDisjoint(with: [.readEncrypted, .writeEncrypted]) { return [.read, .writeEncrypted] }
        if !value.isDisjoint(with: [.readAuthenticated, .writeAuthenticated]) { return [.read, .writeAuthenticated] }
        return [.read, .writeSecureConnections]
    }
}
