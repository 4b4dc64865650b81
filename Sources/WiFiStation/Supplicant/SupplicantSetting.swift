// SPDX-License-Identifier: Apache-2.0

import Octets
import WiFi

/// A property of a network (`SET_NETWORK`).
enum SupplicantSetting: Sendable {
    /// The name, any octets.
    case name(WiFiName)
    /// The only access point to use.
    case accessPoint(WiFiAddress)
    /// Probe for the name, so that a hidden network is found.
    case asksForName
    /// The key management.
    case keyManagement(KeyManagement)
    /// The protection of management frames (IEEE 802.11w).
    case managementProtection(ManagementProtection)
    /// The passphrase or the key.
    case passphrase(SupplicantPassphrase)
    /// The frequencies to scan, in MHz.
    case frequencies([Int])

    /// Supported key management types.
    enum KeyManagement: Equatable, Sendable {
        /// No keys.
        case open
        /// WPA and WPA2, and WPA3 if the interface supports it.
        case personal(withSAE: Bool)
        /// WPA3 only.
        case sae
    }

    /// The values of `ieee80211w`.
    enum ManagementProtection: Equatable, Sendable {
        case optional
        case required
    }

    /// Appends `NAME VALUE`.
    func write(into octets: inout [UInt8]) {
        func text(_ text: StaticString) { text.withUTF8Buffer { octets.append(contentsOf: $0) } }
        switch self {
        case .name(let name):
            text("ssid ")
            octets.append(hexadecimal: name.octets)
        case .accessPoint(let address):
            text("bssid ")
            octets.append(contentsOf: address.description.utf8)
        case .asksForName: text("scan_ssid 1")
        case .keyManagement(.open): text("key_mgmt NONE")
        case .keyManagement(.personal(withSAE: false)): text("key_mgmt WPA-PSK WPA-PSK-SHA256")
        case .keyManagement(.personal(withSAE: true)): text("key_mgmt WPA-PSK WPA-PSK-SHA256 SAE")
        case .keyManagement(.sae): text("key_mgmt SAE")
        case .managementProtection(.optional): text("ieee80211w 1")
        case .managementProtection(.required): text("ieee80211w 2")
        case .passphrase(let passphrase): passphrase.write(into: &octets)
        case .frequencies(let frequencies):
            text("freq_list")
            for frequency in frequencies {
                text(" ")
                octets.append(decimal: frequency)
            }
        }
    }
}

/// A passphrase in a form that wpa_supplicant accepts.
///
/// The supplicant logs a passphrase that it refuses (“Invalid passphrase length 5 … 'short'”), so invalid ones are
/// not sent.
struct SupplicantPassphrase: Sendable, CustomStringConvertible {
    private enum Form {
        /// 8 to 63 octets, quoted: `psk`, which SAE accepts too.
        case passphrase
        /// 64 hexadecimal digits: the key, `psk`.
        case key
        /// For SAE only: `sae_password`, in hexadecimal.
        case password
    }

    private let form: Form
    private let passphrase: WiFiPassphrase

    /// A passphrase for WPA2, which WPA3 accepts as well: 8 to 63 octets without control characters, or 64
    /// hexadecimal digits (IEEE 802.11-2020, J.4.1); nil for any other.
    init?(preShared passphrase: WiFiPassphrase) {
        let isKey = passphrase.count == WiFiPassphrase.maximumCount
        let isSound = passphrase.withOctets { octets in
            // A line feed would end the line in the supplicant's file.
            isKey
                ? octets.allSatisfy(Hexadecimal.isDigit)
                : octets.count >= 8 && octets.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        }
        guard isSound else { return nil }
        form = isKey ? .key : .passphrase
        self.passphrase = passphrase
    }

    /// A passphrase for WPA3 only: any octets, at least one.
    init?(sae passphrase: WiFiPassphrase) {
        guard passphrase.count > 0 else { return nil }
        form = .password
        self.passphrase = passphrase
    }

    /// True if SAE can use it: a key does not suffice.
    var servesSAE: Bool { form != .key }

    func write(into command: inout [UInt8]) {
        passphrase.withOctets { octets in
            switch form {
            case .passphrase:
                // The last quotation mark ends the value, regardless of its content.
                command.append(contentsOf: "psk \"".utf8)
                command.append(contentsOf: octets)
                command.append(UInt8(ascii: "\""))
            case .key:
                command.append(contentsOf: "psk ".utf8)
                command.append(contentsOf: octets)
            case .password:
                command.append(contentsOf: "sae_password ".utf8)
                command.append(hexadecimal: octets)
            }
        }
    }

    /// A description without the passphrase.
    var description: String { "passphrase \(passphrase)" }
}
