// SPDX-License-Identifier: Apache-2.0

import Reader

/// Checks of the texts in a configuration. Each returns the problem, or nil.
enum SettingChecks {
    static func notEmpty(_ text: String) -> String? {
        text.isEmpty ? "is empty: remove the key" : nil
    }

    /// Checks the path of a Unix socket: `sun_path` has 108 octets, the last of them 0.
    static func socketPath(_ text: String) -> String? {
        if text.isEmpty { return notEmpty(text) }
        return text.utf8.count > 107 ? "is too long for a socket's path: needs 107 octets at most" : nil
    }

    /// Checks for 8-4-4-4-12 hexadecimal digits.
    static func uuid(_ text: String) -> String? {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
            groups.allSatisfy({ $0.utf8.allSatisfy(isHexDigit) })
        else {
            return "\(SettingKey.quoted(text)) is not a UUID: needs 8-4-4-4-12 hexadecimal digits"
        }
        return nil
    }

    /// Checks the form of an IANA time zone name; the zone's existence is checked when it is loaded.
    static func timeZone(_ text: String) -> String? {
        let isName = text.utf8.first.map(isLetter) ?? false
        guard isName, text.utf8.allSatisfy({ isLetter($0) || isDigit($0) || "_+-/".utf8.contains($0) }) else {
            return "\(SettingKey.quoted(text)) is not a time zone: needs a name such as Europe/Berlin"
        }
        return nil
    }

    /// Checks an application identifier for NFC, which must not be the identifier of the NDEF application.
    static func applicationID(_ text: String) -> String? {
        guard let name = ApplicationID(text) else {
            return "\(SettingKey.quoted(text)) is not an application identifier: needs 10 to 32 hexadecimal digits"
        }
        return name == .ndef ? "is the reader's NDEF application: needs another" : nil
    }

    /// Checks for a frame of enhanced contactless polling.
    static func pollingFrame(_ text: String) -> String? {
        PollingFrame(text) == nil
            ? "\(SettingKey.quoted(text)) is not a polling frame: needs the digits of 6A01 and 3 octets, or of 6A02, "
                + "configuration, type, subtype and as many octets as the configuration counts, without CRC"
            : nil
    }

    /// Checks for an HTTPS address that fits an NDEF record, which a phone opens without a choice of program.
    static func webAddress(_ text: String) -> String? {
        guard text.utf8.starts(with: "https://".utf8), text.utf8.count > 8,
            text.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        else { return "\(SettingKey.quoted(text)) is not an address: needs https:// and ASCII" }
        let most = NDEFMessage.maximumURICount
        return text.utf8.count > most ? "is too long: needs \(most) octets at most" : nil
    }

    /// Checks for at least two parts of letters, digits and underscores, each beginning with a letter.
    static func androidPackage(_ text: String) -> String? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1,
            parts.allSatisfy({ part in
                (part.utf8.first.map(isLetter) ?? false)
                    && part.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
            })
        else { return "\(SettingKey.quoted(text)) is not a package name: needs one such as com.example.door" }
        let most = NDEFMessage.maximumPackageCount
        return text.utf8.count > most ? "is too long: needs \(most) octets at most" : nil
    }

    private static func isLetter(_ octet: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= octet | 0x20
    }

    private static func isDigit(_ octet: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= octet
    }

    private static func isHexDigit(_ octet: UInt8) -> Bool {
        isDigit(octet) || UInt8(ascii: "a")...UInt8(ascii: "f") ~= octet | 0x20
    }
}
