/// What is kept of a peer after pairing. As secret as a key; it has no useful description.
public struct Bond: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The peer's identity address: public, or random static.
    public var identity: BluetoothAddress
    /// The key its resolvable private addresses are made with; nil if it has none.
    public var resolvingKey: Value128?
    /// The long-term key.
    public var longTermKey: Value128
    /// What names the key; zero with Secure Connections.
    public var diversifier: LTKIdentifier
    /// Octets of the key, 7 to 16.
    public var keySize: Int
    /// The key was made by a model that protects against somebody in the middle.
    public var isAuthenticated: Bool
    /// The key was made by LE Secure Connections.
    public var isSecureConnections: Bool

    /// A bond with these fields.
    public init(
        identity: BluetoothAddress, resolvingKey: Value128?, longTermKey: Value128,
        diversifier: LTKIdentifier = .zero, keySize: Int, isAuthenticated: Bool, isSecureConnections: Bool
    ) {
        self.identity = identity
        self.resolvingKey = resolvingKey
        self.longTermKey = longTermKey
        self.diversifier = diversifier
        self.keySize = keySize
        self.isAuthenticated = isAuthenticated
        self.isSecureConnections = isSecureConnections
    }

    /// Whether a key with these properties would be a step back from this one.
    func isStronger(thanAuthenticated authenticated: Bool, secureConnections: Bool, keySize size: Int) -> Bool {
        isAuthenticated && !authenticated || isSecureConnections && !secureConnections || keySize > size
    }

    /// Whose bond it is; nothing of the keys.
    public var description: String { "bond with \(identity)" }

    /// No children, so that a dump shows no key either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Where bonds are kept. The shell makes them outlast the process; calls are made between two packets, so they must be
/// quick.
public protocol BondStore {
    /// Every bond, in no particular order.
    var bonds: [Bond] { get }
    /// Keeps `bond`, in place of any with the same identity. Throws when it cannot be kept; nothing has changed then.
    mutating func save(_ bond: Bond) throws(BondStoreError)
    /// Forgets the bond with this identity, if there is one.
    mutating func remove(_ identity: BluetoothAddress)
}

/// Where the shell keeps what a bonded client has configured, for each of the host's devices: octets that only the GATT
/// server reads. Calls are made between two packets, so they must be quick.
public protocol ClientStateStore {
    /// The octets that were last kept for this peer and device, counted as in `Host.init(devices:)`; nil if none were.
    func clientState(of identity: BluetoothAddress, device: Int) -> [UInt8]?
    /// Keeps these octets, in place of any of the same peer and device. What cannot be kept is as if it had never been.
    mutating func save(_ octets: [UInt8], of identity: BluetoothAddress, device: Int)
    /// Forgets all that is kept of this peer, because its bond is forgotten.
    mutating func removeClientStates(of identity: BluetoothAddress)
}

/// Why a bond is not kept.
public enum BondStoreError: Error, Equatable, Sendable {
    /// There is no room: remove a bond first.
    case full
    /// The place it is kept in failed: look at the disk.
    case notWritten
}

/// Bonds that end with the process.
public struct TransientBondStore: BondStore, Sendable {
    /// How many bonds a store holds unless it is told otherwise. Each costs a look at every unknown private address.
    public static let defaultCapacity = 64

    /// The most bonds that are held.
    public let capacity: Int
    /// Every bond, oldest first.
    public private(set) var bonds: [Bond] = []

    /// An empty store for `capacity` bonds.
    public init(capacity: Int = TransientBondStore.defaultCapacity) {
        self.capacity = capacity
    }

    /// Keeps `bond`; throws `full` if that would be one too many.
    public mutating func save(_ bond: Bond) throws(BondStoreError) {
        if let index = bonds.firstIndex(where: { $0.identity == bond.identity }) {
            bonds[index] = bond
        } else {
            guard bonds.count < capacity else { throw .full }
            bonds.append(bond)
        }
    }

    /// Forgets the bond with this identity.
    public mutating func remove(_ identity: BluetoothAddress) {
        bonds.removeAll { $0.identity == identity }
    }
}
