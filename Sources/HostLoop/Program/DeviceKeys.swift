// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import Peripheral

/// The identity of a program's devices, and the store of their bonds.
public struct DeviceKeys {
    /// The identity of all devices of the program; its address is the first device's.
    public let identity: SecurityIdentity
    /// The host's security setup.
    public let setup: SecuritySetup
    /// True if the identity and the bonds outlast the process.
    public let areKept: Bool

    /// A new identity, and bonds that end with the process.
    public init() {
        var random: any RandomSource = SystemRandomSource()
        let key = Value128(from: &random)
        let address = BluetoothAddress.randomStatic(from: UInt64.random(in: .min ... .max))
        self.init(
            identity: SecurityIdentity(address: address, resolvingKey: key), store: TransientBondStore(), random: random
        )
    }

    /// The identity and the bonds of a `BondFile`, which is created if it is missing. The address is derived from the
    /// file's key, and so is the same in each run with the same file: bonded phones know the device by it.
    public init(bonds path: String) throws(BondFileError) {
        let file = try BondFile(path)
        let key = file.identity(.randomStatic(from: 0)).resolvingKey
        self.init(
            identity: file.identity(try DeviceKeys.address(of: key, path)), store: file, random: SystemRandomSource(),
            clientStates: file, areKept: true)
    }

    /// An identity with the caller's store and random source, for tests and for keys held elsewhere.
    public init(
        identity: SecurityIdentity, store: any BondStore, random: any RandomSource,
        clientStates: any ClientStateStore = TransientClientStates(), areKept: Bool = false
    ) {
        self.identity = identity
        self.areKept = areKept
        setup = SecuritySetup(identity: identity, store: store, random: random, clientStates: clientStates)
    }

    /// The random static address of the device with this index, counted from 0.
    public func address(ofDevice number: Int) -> BluetoothAddress {
        guard number > 0 else { return identity.address }
        return .randomStatic(from: identity.address.value &+ UInt64(truncatingIfNeeded: number))
    }

    /// Derives an address from the key by HMAC-SHA-256: the same for the same key, without disclosing it.
    private static func address(of key: Value128, _ path: String) throws(BondFileError) -> BluetoothAddress {
        let purpose = Array("address of a device program".utf8)
        do throws(CryptoError) {
            let digest = try HMACSHA256.authenticate(key: key.octets.span, purpose.span, [UInt8]().span)
            var bits: UInt64 = 0
            for index in 0..<6 { bits = bits << 8 | UInt64(digest[index]) }
            return .randomStatic(from: bits)
        } catch {
            throw BondFileError(path, "no address can be derived: libcrypto has no SHA-256")
        }
    }
}
