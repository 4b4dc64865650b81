// SPDX-License-Identifier: Apache-2.0

/// A store of client states in memory, for bonds that end with the process.
public struct TransientClientStates: ClientStateStore, Sendable {
    /// The maximum number of states: a full store of bonds, each with a state for every device of a radio. The host
    /// stores states of bonded peers only, and removes them with the bond.
    public static let capacity = TransientBondStore.defaultCapacity * BondRecords.maximumStatesPerBond

    private struct Key: Hashable {
        var identity: BluetoothAddress
        var device: Int
    }

    private var states: [Key: [UInt8]] = [:]

    /// An empty store.
    public init() {}

    /// The octets last stored for this peer and device; nil if none were stored.
    public func clientState(of identity: BluetoothAddress, device: Int) -> [UInt8]? {
        states[Key(identity: identity, device: device)]
    }

    /// Stores the octets. A new state is discarded if `capacity` is reached.
    public mutating func save(_ octets: [UInt8], of identity: BluetoothAddress, device: Int) {
        let key = Key(identity: identity, device: device)
        guard states[key] != nil || states.count < TransientClientStates.capacity else { return }
        states[key] = octets
    }

    /// Removes the peer's states for all devices.
    public mutating func removeClientStates(of identity: BluetoothAddress) {
        states = states.filter { $0.key.identity != identity }
    }
}
