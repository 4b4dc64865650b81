// SPDX-License-Identifier: Apache-2.0

/// A network to join, and its parameters; also the stored form for later joins.
public struct WiFiJoin: Equatable, Sendable {
    /// Its name.
    public var name: WiFiName
    /// The only access point to use; nil for any of that name.
    public var address: WiFiAddress?
    /// The only band to use; nil for any.
    public var band: WiFiBand?
    /// The only channel to use; nil for any.
    public var channel: UInt32?
    /// The security, of which the access point has to offer one type.
    public var security: WiFiSecurity
    /// The passphrase, if required.
    public var passphrase: WiFiPassphrase?

    /// A network to join.
    public init(
        name: WiFiName, address: WiFiAddress? = nil, band: WiFiBand? = nil, channel: UInt32? = nil,
        security: WiFiSecurity, passphrase: WiFiPassphrase? = nil
    ) {
        self.name = name
        self.address = address
        self.band = band
        self.channel = channel
        self.security = security
        self.passphrase = passphrase
    }

    /// The same network at any access point, in any band and on any channel: the chosen one may have been replaced,
    /// or have changed its channel.
    public var anywhere: WiFiJoin { WiFiJoin(name: name, security: security, passphrase: passphrase) }
}

/// A step of a join, in order.
public enum WiFiJoinStep: Sendable, CaseIterable {
    /// Search for the access point, and IEEE 802.11 authentication.
    case authentication
    /// Association, and the key exchange.
    case association
    /// The link is up; an IPv4 address is requested.
    case obtainingAddress
}

/// The reason why a join failed.
public enum WiFiJoinFailure: Sendable, CaseIterable {
    /// The passphrase is wrong, or the access point refuses the station.
    case authentication
    /// The network does not exist, or not with this security.
    case networkNotFound
    /// Time-out.
    case timeout
    /// The link came up, but no IPv4 address was assigned.
    case address
    /// Anything else.
    case other
}
