// SPDX-License-Identifier: Apache-2.0

import JSON
import Peripheral

/// The link security that a characteristic requires.
enum Security: String, CaseIterable {
    /// Any link.
    case none
    /// An encrypted link.
    case encrypted
    /// A link encrypted with the key of an authenticated pairing.
    case authenticated
    /// A link encrypted with the 16-octet key of an authenticated pairing by LE Secure Connections (security mode 1
    /// level 4, Core 5.4, Vol 3, Part C, 10.2.1).
    case secureConnections = "secure-connections"

    /// The level named in a file.
    init(_ place: DevicePlace) throws(DeviceFault) {
        let word = try place.word(Security.allCases.map(\.rawValue))
        self = Security(rawValue: word) ?? .secureConnections
    }

    /// The permissions of a value with these properties.
    func permissions(_ properties: CharacteristicProperties) -> AttributePermissions {
        var permissions: AttributePermissions = []
        if properties.contains(.read) { permissions.insert(reading) }
        if !properties.isDisjoint(with: [.write, .writeWithoutResponse]) { permissions.insert(writing) }
        return permissions
    }

    /// The permissions of the value's client characteristic configuration: a client without access to the value may
    /// not subscribe to it.
    var configurationPermissions: AttributePermissions { [.read, writing] }

    private var reading: AttributePermissions {
        switch self {
        case .none: .read
        case .encrypted: .readEncrypted
        case .authenticated: .readAuthenticated
        case .secureConnections: .readSecureConnections
        }
    }

    private var writing: AttributePermissions {
        switch self {
        case .none: .write
        case .encrypted: .writeEncrypted
        case .authenticated: .writeAuthenticated
        case .secureConnections: .writeSecureConnections
        }
    }
}
