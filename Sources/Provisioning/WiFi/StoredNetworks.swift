/// The networks that outlast the device's power, the one that was joined last at the front; no two have the same name.
public struct StoredNetworks: Equatable, Sendable {
    /// What becomes of a new network when there is no room.
    public enum WhenFull: Sendable {
        /// It is not stored.
        case refuse
        /// It takes the place of the one that was not joined for the longest time.
        case replaceOldest
    }

    /// The most that a store may have room for: as many as people carry along with them.
    public static let maximumCapacity = 32

    /// How many there is room for, 1 to 32.
    public let capacity: Int
    /// What becomes of one more.
    public let whenFull: WhenFull
    /// The networks.
    public internal(set) var networks: [WiFiJoin] = []

    /// No networks, and room for `capacity` of them; it is held to 1 to 32.
    public init(capacity: Int, whenFull: WhenFull) {
        self.capacity = min(max(capacity, 1), StoredNetworks.maximumCapacity)
        self.whenFull = whenFull
    }

    /// Whether there are none.
    public var isEmpty: Bool { networks.isEmpty }

    /// The network of this name.
    public subscript(name: WiFiName) -> WiFiJoin? { networks.first { $0.name == name } }

    /// Puts a network at the front, in place of one of its name. False if there is no room.
    @discardableResult
    public mutating func store(_ network: WiFiJoin) -> Bool {
        if let place = networks.firstIndex(where: { $0.name == network.name }) {
            networks.remove(at: place)
        } else if networks.count >= capacity {
            guard whenFull == .replaceOldest else { return false }
            networks.removeLast()
        }
        networks.insert(network, at: 0)
        return true
    }

    /// Puts the network of this name at the front. False if it is there already, or there is none.
    public mutating func moveToFront(_ name: WiFiName) -> Bool {
        guard let place = networks.firstIndex(where: { $0.name == name }), place > 0 else { return false }
        networks.insert(networks.remove(at: place), at: 0)
        return true
    }

    /// Forgets all of them.
    public mutating func removeAll() { networks.removeAll() }
}
