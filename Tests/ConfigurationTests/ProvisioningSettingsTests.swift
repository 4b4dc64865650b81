// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

@Suite struct ProvisioningSettingsTests {
    private func decoded(_ key: String, _ value: SettingsEntry.Value) -> DecodedSettings {
        DecodedSettings([SettingsEntry(path: "provisioning.\(key)", value: value, line: 1, column: 1)])
    }

    @Test func isOffByDefault() {
        let settings = ReaderSettings().provisioning
        #expect(settings.supplicantSocket == nil)
        #expect(settings.windowSeconds == 300 && settings.button == nil && !settings.opensAtFirstBoot)
    }

    @Test func socketOfASupplicant() {
        let decoded = decoded("wifi", .string("wpa-supplicant:/run/wpa_supplicant/wlan0"))
        #expect(decoded.diagnostics.isEmpty)
        #expect(decoded.settings.provisioning.supplicantSocket == "/run/wpa_supplicant/wlan0")
    }

    @Test func whatIsNoneIsAFault() {
        let most = "wpa-supplicant:/" + String(repeating: "x", count: 106)
        #expect(decoded("wifi", .string(most)).diagnostics.isEmpty)
        for text in ["", "wlan0", "wpa-supplicant:", "wpa-supplicant:wlan0", "iwd:/run/iwd", most + "x"] {
            #expect(decoded("wifi", .string(text)).diagnostics.count == 1, "\(text)")
        }
        #expect(decoded("wifi", .integer(1)).diagnostics.count == 1)
        for seconds in [29, 3601] as [Int64] { #expect(decoded("window-s", .integer(seconds)).diagnostics.count == 1) }
    }
}
