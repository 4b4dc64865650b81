// SPDX-License-Identifier: Apache-2.0

import Testing
import WiFi

@Suite struct WiFiSecurityTests {
    /// Each set has a name that is read again, in files and between processes.
    @Test func namesAreReadAgain() {
        for rawValue in UInt8(1)..<64 {
            let security = WiFiSecurity(rawValue: rawValue)
            #expect(WiFiSecurity(word: security.word) == security, "\(security)")
        }
        #expect(WiFiSecurity.wpa2WPA3PSK.word == "wpa2-wpa3-psk")
        #expect(WiFiSecurity([.wpaPSK, .wpa3PSK]).word == "wpa-psk+wpa3-psk")
        for word in ["", "wpa4", "wpa2-psk+", "+", "WPA2-PSK"] { #expect(WiFiSecurity(word: word) == nil, "\(word)") }
    }

    /// WiFiSecurityBitmap (Matter 1.4, 11.9.5.1).
    @Test func bitsAreMatters() {
        let bits = [WiFiSecurity.open, .wep, .wpaPSK, .wpa2PSK, .wpa3PSK].map(\.rawValue)
        #expect(bits == [0x01, 0x02, 0x04, 0x08, 0x10] && WiFiSecurity.wpa2WPA3PSK.rawValue == 0x18)
    }

    @Test func passphrases() {
        #expect(WiFiSecurity.allCases.filter { !$0.wantsPassphrase } == [.open, .wpa2Enterprise])
    }
}
