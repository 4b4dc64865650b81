// SPDX-License-Identifier: Apache-2.0

public import WiFi

/// The networks in non-volatile memory, most recently joined first, with distinct names.
public struct StoredNetworks: Equatable, Sendable {
    /// The treatment of a new network when the store is full.
    public enum WhenFull: Sendable {
        /// The new network is not stored.
        case refuse
        /// The new network replaces the least recently joined one.
        case replaceOldest
    }

    /// The maximum capacity of a store: the number of networks that a person uses.
    public static let maximumCapacity = 32

    /// The capacity, 1 to 32.
    public let capacity: Int
    /// The treatment of a network beyond the capacity.
    public let whenFull: WhenFull
    /// The networks.
    public internal(set) var networks: [WiFiJoin] = []

    /// An empty store with this capacity, limited to 1 to 32.
    public init(capacity: Int, whenFull: WhenFull) {
        self.capacity = min(max(capacity, 1), StoredNetworks.maximumCapacity)
        self.whenFull = whenFull
    }

    /// True if there are no networks.
    public var isEmpty: Bool { networks.isEmpty }

    /// The network with this name.
    public subscript(name: WiFiName) -> WiFiJoin? { networks.first { $0.name == name } }

    /// Inserts a network at the front, and removes another with the same name. False if the store is full.
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

    /// Moves the network with this name to the front. False if it is already the first, or missing.
    public mutating func moveToFront(_ name: WiFiName) -> Bool {
        guard let place = networks.firstIndex(where: { $0.name == name }), place > 0 else { return false }
        networks.insert(networks.remove(at: place), at: 0)
        return true
    }

    /// Removes all networks.
    public mutating func removeAll() { networks.removeAll() }
}
