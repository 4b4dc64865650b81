// SPDX-License-Identifier: Apache-2.0

/// The requirements of a device for pairings and keys. The defaults are strict; each can be relaxed separately.
public struct SecurityPolicy: Sendable {
    /// The accepted types of pairing.
    public enum SecureConnections: Sendable {
        /// Only LE Secure Connections. Legacy pairing is refused with "Authentication Requirements", and its keys are
        /// not used.
        case only
        /// Secure Connections if the central supports it, otherwise legacy pairing.
        case preferred
        /// Legacy pairing only.
        case never
    }

    /// The peers that may pair.
    public enum Admission: Sendable {
        /// Peers without a bond. A bonded peer may only pair on a link encrypted with the key of its bond, or within
        /// the operator's window.
        case unknownPeers
        /// Only within the operator's window, and a bonded peer on a link encrypted with the key of its bond.
        case withinWindow
        /// No peers.
        case noPeers
    }

    /// The input and output capability of this device.
    public var ioCapability = IOCapability.noInputNoOutput
    /// The accepted types of pairing.
    public var secureConnections = SecureConnections.only
    /// The peers that may pair.
    public var admission = Admission.unknownPeers
    /// True if a bond is stored when the central requests bonding.
    public var keepsBonds = true
    /// True if protection against a man in the middle is requested.
    public var requestsAuthentication = false
    /// True if a pairing without protection against a man in the middle is refused.
    public var requiresAuthentication = false
    /// The only permitted association model, against confusion of models (CVE-2020-10134, CVE-2022-25836); nil permits
    /// all.
    public var requiredModel: AssociationModel?
    /// The minimum length of the encryption key in octets, 7 to 16 (CVE-2019-9506).
    public var minimumKeySize = 16
    /// True if a central may use the published debug key. For tests only.
    public var allowsDebugKey = false
    /// The number of failed pairings per peer before the first wait.
    public var freeAttempts = 3
    /// The first wait, doubled after each further failure (Core 5.4, Vol 3, Part H, 2.3.6).
    public var firstWait = Duration.seconds(2)
    /// The maximum wait.
    public var longestWait = Duration.seconds(300)

    /// A policy with the defaults.
    public init() {}

    /// The policy of a device that stores no bonds.
    var withoutBonds: SecurityPolicy {
        var policy = self
        policy.keepsBonds = false
        return policy
    }

    /// True if a key with these properties may protect a link.
    func allows(secureConnections isSecure: Bool, keySize: Int) -> Bool {
        guard keySize >= minimumKeySize else { return false }
        return switch secureConnections {
        case .only: isSecure
        case .preferred: true
        case .never: !isSecure
        }
    }
}

/// The identity of this device for bonded peers. Advertising sets may share one identity.
public struct SecurityIdentity: Equatable, Sendable {
    /// The identity address: public, or random static.
    public var address: BluetoothAddress
    /// The identity resolving key of its private addresses.
    public var resolvingKey: Value128

    /// The identity with this address and key.
    public init(address: BluetoothAddress, resolvingKey: Value128) {
        self.address = address
        self.resolvingKey = resolvingKey
    }
}
