import Peripheral

/// What bonded clients have configured, until the process ends: they may come and go, and need not subscribe again.
struct TransientClientStates: ClientStateStore {
    /// What a store of bonds holds at most, for each of the devices of one radio. The host keeps states of bonded peers
    /// only, and has them forgotten with the bond.
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
