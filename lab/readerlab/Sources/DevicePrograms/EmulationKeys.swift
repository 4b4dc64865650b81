// SPDX-License-Identifier: Apache-2.0

package import Commands
import Crypto
import HostLoop
package import Peripheral

/// The identity of emulated devices, and the store of their bonds.
package struct EmulationKeys {
    /// The devices' identity, with the address of the first device.
    package let identity: SecurityIdentity
    /// The host's security setup.
    package let setup: SecuritySetup

    /// Creates a new identity, and bonds that end with the process.
    package init(address: BluetoothAddress?) {
        var random: any RandomSource = SystemRandomSource()
        identity = SecurityIdentity(
            address: address ?? .randomStatic(from: UInt64.random(in: .min ... .max)),
            resolvingKey: Value128(from: &random))
        setup = SecuritySetup(identity: identity, store: TransientBondStore(), random: SystemRandomSource())
    }

    /// Loads the identity and the bonds of the file at `path`. Clients identify the device by its address, so the
    /// default address is derived from the file's key.
    package init(bonds path: String, address: BluetoothAddress?) throws(CommandError) {
        do {
            let file = try BondFile(path)
            var identity = file.identity(.randomStatic(from: 0))
            identity.address = try address ?? EmulationKeys.address(of: identity.resolvingKey)
            self.identity = identity
            setup = SecuritySetup(
                identity: identity, store: file, random: SystemRandomSource(), clientStates: file)
        } catch {
            throw .failed("\(error)")
        }
    }

    /// Derives an address from the key by HMAC-SHA-256: equal keys give equal addresses, which do not disclose the key.
    private static func address(of key: Value128) throws(CryptoError) -> BluetoothAddress {
        let purpose = Array("address of an emulated device".utf8)
        let digest = try HMACSHA256.authenticate(key: key.octets.span, purpose.span, [UInt8]().span)
        var bits: UInt64 = 0
        for index in 0..<6 { bits = bits << 8 | UInt64(digest[index]) }
        return .randomStatic(from: bits)
    }
}
