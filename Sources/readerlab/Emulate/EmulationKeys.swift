import Crypto
import HostLoop
import Peripheral

/// Who emulated devices are, and the keys of their clients.
struct EmulationKeys {
    /// The devices' identity; its address is the first device's.
    let identity: SecurityIdentity
    /// What the host needs for pairing.
    let setup: SecuritySetup

    /// A new identity, and bonds that end with the process.
    init(address: BluetoothAddress?) {
        var random: any RandomSource = SystemRandomSource()
        identity = SecurityIdentity(
            address: address ?? .randomStatic(from: UInt64.random(in: .min ... .max)),
            resolvingKey: Value128(from: &random))
        setup = SecuritySetup(identity: identity, store: TransientBondStore(), random: SystemRandomSource())
    }

    /// The identity and the bonds of the file at `path`. Clients know the device by its address, so that is the file's
    /// own, if it is not given.
    init(bonds path: String, address: BluetoothAddress?) throws(EmulationError) {
        do {
            let file = try BondFile(path)
            var identity = file.identity(.randomStatic(from: 0))
            identity.address = try address ?? EmulationKeys.address(of: identity.resolvingKey)
            self.identity = identity
            setup = SecuritySetup(
                identity: identity, store: file, random: SystemRandomSource(), clientStates: file)
        } catch {
            throw EmulationError(code: 1, "\(error)")
        }
    }

    /// The same address for the same key; it says nothing of the key.
    private static func address(of key: Value128) throws(CryptoError) -> BluetoothAddress {
        let purpose = Array("address of an emulated device".utf8)
        let digest = try HMACSHA256.authenticate(key: key.octets.span, purpose.span, [UInt8]().span)
        var bits: UInt64 = 0
        for index in 0..<6 { bits = bits << 8 | UInt64(digest[index]) }
        return .randomStatic(from: bits)
    }
}
