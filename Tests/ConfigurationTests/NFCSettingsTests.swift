// SPDX-License-Identifier: Apache-2.0

import Reader
import TestSupport
import Testing

@testable import Configuration

/// `[nfc]`: what is taken, and what phones find of it.
@Suite struct NFCSettingsTests {
    private func decoded(_ key: String, _ value: String) -> DecodedSettings {
        DecodedSettings([SettingsEntry(path: "nfc.\(key)", value: .string(value), line: 1, column: 1)])
    }

    @Test func defaults() {
        let configuration = ReaderSettings().nfc.configuration(deviceID: "Door0001")
        #expect(configuration.application.octets == octets("F07265616465726401"))
        #expect(configuration.message == [] && configuration.deviceID == "Door0001")
    }

    @Test func taken() {
        for (key, value) in [
            ("aid", "F072656164"), ("aid", String(repeating: "aB", count: 16)), ("uri", "https://a"),
            ("uri", "https://" + String(repeating: "a", count: 192)), ("package", "a.b_1.C"),
        ] {
            #expect(!decoded(key, value).hasFaults, "\(key) = \(value)")
        }
        #expect(decoded("aid", "a000000151").settings.nfc.configuration(deviceID: "").application.octets.first == 0xA0)
        #expect(
            decoded("uri", "https://a").settings.nfc.configuration(deviceID: "").message
                == octets("D1 01 02 55 04 61"))
    }

    @Test func refused() {
        for (key, value) in [
            ("aid", ""), ("aid", "F0726561"), ("aid", String(repeating: "aB", count: 17)), ("aid", "D2760000850101"),
            ("aid", "F0 72 65 61 64"), ("uri", ""), ("uri", "https://"), ("uri", "http://a"), ("uri", "https://a b"),
            ("uri", "https://\u{e4}"), ("uri", "https://" + String(repeating: "a", count: 193)), ("package", ""),
            ("package", "app"), ("package", "a..b"), ("package", "a.1b"), ("package", "a.b-c"),
            ("package", "a." + String(repeating: "b", count: 149)),
        ] {
            #expect(decoded(key, value).hasFaults, "\(key) = \(value)")
        }
    }
}
