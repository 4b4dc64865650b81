// SPDX-License-Identifier: Apache-2.0

import Octets

/// The access points that a command changes.
public enum NetworkTarget: Equatable, Sendable {
    /// All of the network with this name.
    case network(String)
    /// The access point with this address, six octets.
    case accessPoint([UInt8])

    /// The target of a text; nil for an invalid address.
    init?(_ text: String, isAccessPoint: Bool) {
        guard isAccessPoint else {
            self = .network(text)
            return
        }
        guard let octets = Hexadecimal.octets(text, separator: UInt8(ascii: ":")), octets.count == 6 else { return nil }
        self = .accessPoint(octets)
    }
}

/// A change of a simulated network.
public enum NetworkChange: Equatable, Sendable {
    /// Its access points vanish, or are back.
    case isUp(Bool)
    /// Its passphrase changes.
    case passphrase(String)
    /// It is received with this RSSI in dBm.
    case signal(Int)

    /// The valid RSSIs (Core 5.4, Vol 4, Part E, 7.5.4, and as in a simulation's file).
    public static let signals = -127...0
}
