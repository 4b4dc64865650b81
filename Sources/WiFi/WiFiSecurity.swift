// SPDX-License-Identifier: Apache-2.0

/// The security of an access point, or that a station accepts: a set of types, since an access point may offer several.
///
/// The bits up to WPA3 are the same as in Matter's WiFiSecurityBitmap (Matter 1.4, 11.9.5.1).
public struct WiFiSecurity: OptionSet, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The types, a bit each.
    public let rawValue: UInt8

    /// The set with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No encryption.
    public static let open = WiFiSecurity(rawValue: 1 << 0)
    /// WEP, which is insecure (IEEE 802.11-2020, 12.3).
    public static let wep = WiFiSecurity(rawValue: 1 << 1)
    /// WPA with a passphrase: the draft of RSN.
    public static let wpaPSK = WiFiSecurity(rawValue: 1 << 2)
    /// WPA2 with a passphrase. Alone: with SHA-256 as the key derivation, Zephyr's PSK-SHA256.
    public static let wpa2PSK = WiFiSecurity(rawValue: 1 << 3)
    /// WPA3 with a passphrase: SAE.
    public static let wpa3PSK = WiFiSecurity(rawValue: 1 << 4)
    /// WPA2 with an authentication server.
    public static let wpa2Enterprise = WiFiSecurity(rawValue: 1 << 5)

    /// WPA and WPA2 with a passphrase: Zephyr's PSK.
    public static let wpaWPA2PSK: WiFiSecurity = [.wpaPSK, .wpa2PSK]
    /// WPA2 and WPA3 with one passphrase: the transition mode of WPA3.
    public static let wpa2WPA3PSK: WiFiSecurity = [.wpa2PSK, .wpa3PSK]
    /// Any type with a passphrase but WEP.
    public static let personal: WiFiSecurity = [.wpaPSK, .wpa2PSK, .wpa3PSK]

    /// The sets with a single word. For others, the words of their types are joined by `+`.
    private static let words: [(security: WiFiSecurity, word: String)] = [
        (.open, "open"), (.wep, "wep"), (.wpaPSK, "wpa-psk"), (.wpa2PSK, "wpa2-psk"), (.wpaWPA2PSK, "wpa-wpa2-psk"),
        (.wpa2Enterprise, "wpa2-enterprise"), (.wpa3PSK, "wpa3-psk"), (.wpa2WPA3PSK, "wpa2-wpa3-psk"),
        (.personal, "wpa-wpa2-wpa3-psk"),
    ]

    /// The usual sets.
    public static let allCases = words.map(\.security)

    /// The name in files, such as `wpa2-psk`.
    public var word: String {
        if let known = WiFiSecurity.words.first(where: { $0.security == self }) { return known.word }
        return WiFiSecurity.words.filter { $0.security.rawValue.nonzeroBitCount == 1 && contains($0.security) }
            .map(\.word).joined(separator: "+")
    }

    /// The security with this name; nil for any other text.
    public init?(word: String) {
        self = []
        for part in word.split(separator: "+", omittingEmptySubsequences: false) {
            guard let known = WiFiSecurity.words.first(where: { $0.word == part }) else { return nil }
            formUnion(known.security)
        }
    }

    /// The name in files.
    public var description: String { word }

    /// True if the security requires a passphrase.
    public var wantsPassphrase: Bool { !isDisjoint(with: WiFiSecurity.personal.union(.wep)) }
}
