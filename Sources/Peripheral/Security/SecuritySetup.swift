// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// The dependencies of a host for pairing. Each device decides by its policy (`ServedDevice.security`).
///
/// The devices of one host share the bonds and are one identity to peers: a phone paired with one device is paired with
/// all. Several devices that pair should have an `identity`; without it, each of their addresses is a separate peer to
/// the phone, and the phone can be bonded with only one address.
public struct SecuritySetup {
    /// The identity of the devices for bonded peers; nil distributes none.
    public var identity: SecurityIdentity?
    /// The store of the bonds.
    public var store: any BondStore
    /// The store of the bonded clients' states (Core 5.4, Vol 3, Part G, 2.5.2.1 and 3.3.3.3). A state is kept for as
    /// long as its bond, so this store should outlast the process where `store` does.
    public var clientStates: any ClientStateStore
    /// The source of keys, passkeys and nonces.
    public var random: any RandomSource

    /// A setup with this identity, these stores and this source of randomness.
    public init(
        identity: SecurityIdentity?, store: any BondStore, random: any RandomSource,
        clientStates: any ClientStateStore = TransientClientStates()
    ) {
        self.identity = identity
        self.store = store
        self.random = random
        self.clientStates = clientStates
    }
}
