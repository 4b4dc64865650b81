// SPDX-License-Identifier: Apache-2.0

import Crypto
import Octets
import WiFi

/// A command to wpa_supplicant in one datagram, answered by one datagram.
///
/// Values from phones or from the air are encoded in hexadecimal or validated here: no octet can end a value, or
/// begin another line of the supplicant's file.
enum SupplicantCommand: Sendable {
    /// Subscribe to events.
    case attach
    /// Query the supported key management types.
    case keyManagementCapability
    /// Query the frequencies of the interface.
    case frequencyCapability
    /// Query the state, and the address of the interface.
    case status
    /// Query the signal level.
    case signal
    /// List the stored networks.
    case networks
    /// Query the key management of the network with this identifier.
    case keyManagement(of: Int)
    /// Scan these frequencies (MHz), or all if empty, actively or passively, without joining a network that is found.
    /// With a name, probe for it.
    case scan(frequencies: [Int], isPassive: Bool, name: WiFiName? = nil)
    /// Abort the scan.
    case abortScan
    /// List the access points, beginning with the identifier `first`.
    case results(first: Int)
    /// Add a network.
    case addNetwork
    /// Set a property of a network.
    case set(network: Int, SupplicantSetting)
    /// Join this network, and disable all others.
    case select(Int)
    /// Enable this network for automatic joins.
    case enable(Int)
    /// Remove this network.
    case remove(Int)
    /// Disconnect, and do not join automatically.
    case disconnect
    /// Reconnect to an enabled network.
    case reassociate
    /// Save the configuration file.
    case save

    /// More than a command with a passphrase has: its octets are appended where they stay, so that no copy is left.
    private static let usualCount = 256

    /// The datagram. It may have a passphrase.
    var datagram: SecretOctets {
        var octets: [UInt8] = []
        octets.reserveCapacity(SupplicantCommand.usualCount)
        write(into: &octets)
        return SecretOctets(octets)
    }

    private func write(into octets: inout [UInt8]) {
        func text(_ text: StaticString) { text.withUTF8Buffer { octets.append(contentsOf: $0) } }
        func text(_ text: StaticString, _ number: Int) {
            text.withUTF8Buffer { octets.append(contentsOf: $0) }
            octets.append(decimal: number)
        }
        switch self {
        case .attach: text("ATTACH")
        case .keyManagementCapability: text("GET_CAPABILITY key_mgmt")
        case .frequencyCapability: text("GET_CAPABILITY freq")
        case .status: text("STATUS")
        case .signal: text("SIGNAL_POLL")
        case .networks: text("LIST_NETWORKS")
        case .keyManagement(let network):
            text("GET_NETWORK ", network)
            text(" key_mgmt")
        case .scan(let frequencies, let isPassive, let name):
            text("SCAN TYPE=ONLY")
            if !frequencies.isEmpty {
                text(" freq=")
                for (index, frequency) in frequencies.enumerated() {
                    if index > 0 { text(",") }
                    octets.append(decimal: frequency)
                }
            }
            if isPassive { text(" passive=1") }
            if let name {
                text(" ssid ")
                octets.append(hexadecimal: name.octets)
            }
        case .abortScan: text("ABORT_SCAN")
        case .results(let first):
            text("BSS RANGE=", first)
            text("- MASK=0x21a87")
        case .addNetwork: text("ADD_NETWORK")
        case .set(let network, let setting):
            text("SET_NETWORK ", network)
            text(" ")
            setting.write(into: &octets)
        case .select(let network): text("SELECT_NETWORK ", network)
        case .enable(let network): text("ENABLE_NETWORK ", network)
        case .remove(let network): text("REMOVE_NETWORK ", network)
        case .disconnect: text("DISCONNECT")
        case .reassociate: text("REASSOCIATE")
        case .save: text("SAVE_CONFIG")
        }
    }
}
