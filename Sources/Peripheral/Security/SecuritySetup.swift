public import Crypto

/// What a host needs so that its devices may pair. Whether one does, and how, is in its policy
/// (`ServedDevice.security`).
///
/// The devices of one host share the bonds, and are one identity to their peers: a phone that has paired with one of
/// them has paired with all. So several devices that pair should have an `identity`; without it, each of their
/// addresses is a stranger to the phone, and only one of them can be bonded with it.
public struct SecuritySetup {
    /// Who the devices are to bonded peers; nil hands out no identity.
    public var identity: SecurityIdentity?
    /// Where bonds are kept.
    public var store: any BondStore
    /// Where what is kept of bonded clients is, so that `forget` forgets it too; nil if nothing is kept.
    public var clientStates: (any ClientStateStore)?
    /// Where keys, passkeys and nonces come from.
    public var random: any RandomSource

    /// A setup with this identity, these stores and this source of randomness.
    public init(
        identity: SecurityIdentity?, store: any BondStore, random: any RandomSource,
        clientStates: (any ClientStateStore)? = nil
    ) {
        self.identity = identity
        self.store = store
        self.random = random
        self.clientStates = clientStates
    }
}
