// SPDX-License-Identifier: Apache-2.0

public import WiFiProvisioning

/// A change of a simulated environment while it is in use.
public enum WiFiChange: Equatable, Sendable {
    /// All access points vanish, or are back.
    case all(isUp: Bool)
    /// The access points of this name vanish, or are back.
    case network(WiFiName, isUp: Bool)
    /// They have this passphrase from now on. A connected station loses its link, as when an access point restarts.
    case passphrase(WiFiName, WiFiPassphrase)
    /// They are received with this RSSI in dBm.
    case signal(WiFiName, Int8)
    /// Addresses are no longer assigned, or again. An assigned one stays.
    case addresses(isUp: Bool)
}
