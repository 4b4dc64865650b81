// SPDX-License-Identifier: Apache-2.0

public import WiFi

/// The access points that a change is for.
public enum WiFiSelection: Equatable, Sendable, CustomStringConvertible {
    /// All of this network, hidden ones too.
    case network(WiFiName)
    /// The access point with this address.
    case accessPoint(WiFiAddress)

    /// The network's name, or the access point's address.
    public var description: String {
        switch self {
        case .network(let name): "\(name)"
        case .accessPoint(let address): "access point \(address)"
        }
    }
}

/// A change of a simulated environment while it is in use.
public enum WiFiChange: Equatable, Sendable {
    /// All access points vanish, or are back.
    case all(isUp: Bool)
    /// These access points vanish, or are back.
    case power(WiFiSelection, isUp: Bool)
    /// They change to this passphrase. A connected station loses its link, as when an access point restarts.
    case passphrase(WiFiSelection, WiFiPassphrase)
    /// They are received with this RSSI in dBm.
    case signal(WiFiSelection, Int8)
    /// Addresses are no longer assigned, or again. An assigned one stays.
    case addresses(isUp: Bool)
}
