// SPDX-License-Identifier: Apache-2.0

/// The security that an attribute requires of a link: LE security mode 1, levels 1 to 4 (Core 5.4, Vol 3, Part C,
/// 10.2.1).
public enum SecurityRequirement: CaseIterable, Hashable, Sendable {
    /// Any link.
    case none
    /// An encrypted link.
    case encrypted
    /// A link encrypted with the key of an authenticated pairing.
    case authenticated
    /// A link encrypted with a key of 16 octets of an authenticated pairing by LE Secure Connections.
    case secureConnections

    /// The permission to read on such a link.
    public var reading: AttributePermissions {
        switch self {
        case .none: .read
        case .encrypted: .readEncrypted
        case .authenticated: .readAuthenticated
        case .secureConnections: .readSecureConnections
        }
    }

    /// The permission to write on such a link.
    public var writing: AttributePermissions {
        switch self {
        case .none: .write
        case .encrypted: .writeEncrypted
        case .authenticated: .writeAuthenticated
        case .secureConnections: .writeSecureConnections
        }
    }

    /// The permissions, on such a link, for the operations of a characteristic's properties.
    public func permissions(for properties: CharacteristicProperties) -> AttributePermissions {
        var permissions: AttributePermissions = []
        if properties.contains(.read) { permissions.insert(reading) }
        if !properties.isDisjoint(with: [.write, .writeWithoutResponse]) { permissions.insert(writing) }
        return permissions
    }
}
