// SPDX-License-Identifier: Apache-2.0

import Crypto
import Octets
import WiFi

/// The comparison of the secrets of an access point and a station, as their keys make it.
enum WiFiSecret {
    /// The lengths of a WPA passphrase in octets, and of a key in hexadecimal digits (IEEE 802.11-2020, J.4.1).
    private static let passphraseCounts = 8...63, keyDigits = 64
    /// The lengths of a WEP key in octets: 40 and 104 bits (IEEE 802.11-2020, 12.3.2).
    private static let wepCounts = [5, 13]

    /// True if a station with `secret` is admitted by any security type that it shares with the access point of network
    /// `name`.
    static func admits(
        _ secret: WiFiPassphrase, at accessPoint: WiFiPassphrase, of name: WiFiName, by common: WiFiSecurity
    ) -> Bool {
        // SAE has passwords, and no keys: 64 digits are a password of 64 characters.
        if common.contains(.wpa3PSK), secret == accessPoint { return true }
        if !common.isDisjoint(with: .wpaWPA2PSK), isEqual(preShared(secret, name), preShared(accessPoint, name)) {
            return true
        }
        return common.contains(.wep) && isEqual(wep(secret), wep(accessPoint))
    }

    /// The problem of a secret for a network with this security; nil for a valid secret.
    static func problem(_ secret: WiFiPassphrase, _ security: WiFiSecurity) -> String? {
        if !security.isDisjoint(with: .wpaWPA2PSK), preSharedForm(secret) == nil {
            return "a passphrase of WPA has 8 to 63 characters of ASCII; 64 hexadecimal digits are the key"
        }
        if security.contains(.wep), wep(secret) == nil {
            return "a key of WEP has 5 or 13 characters, or 10 or 26 hexadecimal digits"
        }
        return nil
    }

    private static func isEqual(_ left: [UInt8]?, _ right: [UInt8]?) -> Bool {
        guard let left, let right else { return false }
        return constantTimeEqual(left.span, right.span)
    }

    private enum PreSharedForm { case passphrase, key }

    private static func preSharedForm(_ secret: WiFiPassphrase) -> PreSharedForm? {
        secret.withOctets { octets in
            if octets.count == keyDigits { return digits(octets) == nil ? nil : .key }
            let isText = octets.allSatisfy { (0x20...0x7E).contains($0) }
            return isText && passphraseCounts.contains(octets.count) ? .passphrase : nil
        }
    }

    /// The pre-shared key; nil for a secret that is neither a passphrase nor a key.
    private static func preShared(_ secret: WiFiPassphrase, _ name: WiFiName) -> [UInt8]? {
        switch preSharedForm(secret) {
        case nil: nil
        case .key: secret.withOctets(digits)
        case .passphrase:
            secret.withOctets { passphrase in
                (try? WPAPreSharedKey.derive(passphrase: passphrase.span, name: name.octets.span)).map { key in
                    key.indices.map { key[$0] }
                }
            }
        }
    }

    private static func wep(_ secret: WiFiPassphrase) -> [UInt8]? {
        secret.withOctets { octets in
            if wepCounts.contains(octets.count) { return octets }
            return wepCounts.contains(octets.count / 2) ? digits(octets) : nil
        }
    }

    private static func digits(_ octets: [UInt8]) -> [UInt8]? {
        Hexadecimal.octets(String(decoding: octets, as: UTF8.self))
    }
}
