/// What a device demands of pairings and keys. The defaults are the strict ones; each can be relaxed by itself.
public struct SecurityPolicy: Sendable {
    /// Which pairings are taken.
    public enum SecureConnections: Sendable {
        /// Only LE Secure Connections; a pairing without is refused with "Authentication Requirements", and keys of
        /// legacy pairing are not used.
        case only
        /// Secure Connections if the central has it, else legacy pairing.
        case preferred
        /// Legacy pairing only.
        case never
    }

    /// Who may pair.
    public enum Admission: Sendable {
        /// Anybody who is not bonded yet; who is, only on a link that is encrypted with the bond's key, or within the
        /// operator's window.
        case unknownPeers
        /// Only within the operator's window (and who is bonded, on a link that is encrypted with the bond's key).
        case withinWindow
        /// Nobody.
        case nobody
    }

    /// What this device can show and take in.
    public var ioCapability = IOCapability.noInputNoOutput
    /// Which pairings are taken.
    public var secureConnections = SecureConnections.only
    /// Who may pair.
    public var admission = Admission.unknownPeers
    /// Whether keys are kept when the central wants that too.
    public var keepsBonds = true
    /// Whether protection against somebody in the middle is asked for.
    public var requestsAuthentication = false
    /// Whether a pairing that cannot give that protection is refused.
    public var requiresAuthentication = false
    /// The one model that is allowed, so that nobody can be led into another (CVE-2020-10134, CVE-2022-25836); nil
    /// allows all.
    public var requiredModel: AssociationModel?
    /// The shortest encryption key that is taken, 7 to 16 octets (CVE-2019-9506).
    public var minimumKeySize = 16
    /// Whether a central may use the debug key that everybody knows. For test benches only.
    public var allowsDebugKey = false
    /// How many pairings of one peer may fail before it has to wait.
    public var freeAttempts = 3
    /// How long it has to wait then; twice as long after each further failure (Core 5.4, Vol 3, Part H, 2.3.6).
    public var firstWait = Duration.seconds(2)
    /// The longest wait.
    public var longestWait = Duration.seconds(300)

    /// The defaults.
    public init() {}

    /// Whether a key with these properties may protect a link.
    func allows(secureConnections isSecure: Bool, keySize: Int) -> Bool {
        guard keySize >= minimumKeySize else { return false }
        return switch secureConnections {
        case .only: isSecure
        case .preferred: true
        case .never: !isSecure
        }
    }
}

/// Who this device is to bonded peers. Advertising sets may share one identity.
public struct SecurityIdentity: Equatable, Sendable {
    /// The identity address: public, or random static.
    public var address: BluetoothAddress
    /// The key that its resolvable private addresses are made with.
    public var resolvingKey: Value128

    /// The identity with this address and key.
    public init(address: BluetoothAddress, resolvingKey: Value128) {
        self.address = address
        self.resolvingKey = resolvingKey
    }
}
