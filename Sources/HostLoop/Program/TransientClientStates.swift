// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// The client configurations of bonded clients, kept until the process ends: a client that reconnects need not
/// subscribe again.
struct TransientClientStates: ClientStateStore {
    /// The capacity of a bond store, for each of the devices of one radio. The host stores states of bonded peers
    /// only, and removes them with the bond.
    static let capacity = TransientBondStore.defaultCapacity * ProgramSettings.maximumDevices

    private struct Key: Hashable {
        var identity: BluetoothAddress
        var device: Int
    }

    private var states: [Key: [UInt8]] = [:]

    func clientState(of identity: BluetoothAddress, device: Int) -> [UInt8]? {
        states[Key(identity: identity, device: device)]
    }

    mutating func save(_ octets: [UInt8], of identity: BluetoothAddress, device: Int) {
        let key = Key(identity: identity, device: device)
        guard states[key] != nil || states.count < TransientClientStates.capacity else { return }
        states[key] = octets
    }

    mutating func removeClientStates(of identity: BluetoothAddress) {
        states = states.filter { $0.key.identity != identity }
    }
}
