import Crypto
import Peripheral

/// Who emulated devices are, and the keys of their clients.
struct EmulationKeys {
    /// The devices' identity; its address is the first device's.
    let identity: SecurityIdentity
    /// What the host needs for pairing.
    let setup: SecuritySetup

    /// A new identity with this address (a random one if nil), and bonds that end with the process.
    init(address: BluetoothAddress?) {
        var random = SystemRandomSource()
        var key = InlineArray<16, UInt8>(repeating: 0)
        var span = key.mutableSpan
        random.fill(&span)
        identity = SecurityIdentity(
            address: address ?? .randomStatic(from: UInt64.random(in: .min ... .max)), resolvingKey: Value128(key))
        setup = SecuritySetup(identity: identity, store: TransientBondStore(), random: random)
    }
}
