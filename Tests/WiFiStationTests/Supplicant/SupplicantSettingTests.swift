// SPDX-License-Identifier: Apache-2.0

import WiFi

import WiFiStation
import Testing
import Timekeeping
import WiFiTestSupport

/// The settings of a network that wpa_supplicant receives.
@Suite struct SupplicantSettingTests {
    /// Settings that cannot be expressed to wpa_supplicant, or that it would print to its log because it refuses them.
    @Test func whatCannotBeJoined() {
        var talk = SupplicantTalk.attached()
        let joins: [WiFiJoin] = [
            SupplicantJoinTests.join("Home", .wep), SupplicantJoinTests.join("Home", .wpa2Enterprise),
            SupplicantJoinTests.join("Home", .wpa2PSK, nil),
            SupplicantJoinTests.join("Home", .wpa2PSK, "seven77"),
            SupplicantJoinTests.join("Home", .wpa2PSK, "line\nfeed"),
            SupplicantJoinTests.join(
                "Home", .wpa2PSK, WiFiPassphrase([UInt8](repeating: UInt8(ascii: "x"), count: 64))),
            SupplicantJoinTests.join("Home", .wpa3PSK, ""), SupplicantJoinTests.join("Home", .wpa3PSK, nil),
            WiFiJoin(name: "Home", band: .band6GHz, security: .open),
            WiFiJoin(name: "Home", channel: 7, security: .open),
        ]
        for join in joins { #expect(throws: WiFiRefusal.invalid) { try talk.station.join(join, at: talk.now) } }
        #expect(talk.station.nextAction() == nil)
    }

    /// All octets of a name or a password are sent as hexadecimal digits; a passphrase for WPA2 ends at the last quote.
    @Test func octetsThatWouldEndACommand() throws {
        let name = try #require(WiFiName([0x22, 0x0A, 0x5C, 0x00, 0xC3, 0xA9, 0xFF, 0x27]))
        var talk = SupplicantTalk.attached()
        try talk.station.join(SupplicantJoinTests.join(name, .wpa3PSK, "a\"\nb"), at: talk.now)
        let settings = ["key_mgmt SAE", "sae_password 61220a62", "ieee80211w 2"]
        talk.play(SupplicantJoinTests.configuring(at: 0, "7", "220a5c00c3a9ff27", settings, lists: ""))

        talk = SupplicantTalk.attached()
        try talk.station.join(SupplicantJoinTests.join(name, .wpaPSK, "a\"b\"cdefgh"), at: talk.now)
        let quoted = ["key_mgmt WPA-PSK WPA-PSK-SHA256 SAE", "psk \"a\"b\"cdefgh\"", "ieee80211w 1"]
        talk.play(SupplicantJoinTests.configuring(at: 0, "7", "220a5c00c3a9ff27", quoted, lists: ""))

        // A key is not a passphrase, and cannot be used with SAE.
        let key = WiFiPassphrase([UInt8](repeating: UInt8(ascii: "a"), count: 64))
        talk = SupplicantTalk.attached()
        try talk.station.join(SupplicantJoinTests.join("Home", .wpaPSK, key), at: talk.now)
        let digits = "psk " + String(repeating: "a", count: 64)
        talk.play(
            SupplicantJoinTests.configuring(
                at: 0, "7", "486f6d65", ["key_mgmt WPA-PSK WPA-PSK-SHA256", digits], lists: ""))
    }

    @Test func onlyWhereItIsWanted() throws {
        var talk = SupplicantTalk.attached()
        let join = WiFiJoin(
            name: "Home", address: "02:00:00:00:00:0a", band: .band5GHz, channel: 36, security: .open)
        try talk.station.join(join, at: talk.now)
        let settings = ["bssid 02:00:00:00:00:0a", "freq_list 5180", "key_mgmt NONE"]
        talk.play(SupplicantJoinTests.configuring(at: 0, "7", "486f6d65", settings, lists: ""))
    }

    /// No output of a station shows a passphrase: description, dump, action.
    @Test func secrecy() throws {
        var talk = SupplicantTalk.attached()
        try talk.station.join(SupplicantJoinTests.join("Office", .wpa3PSK, "wrong horse"), at: talk.now)
        talk.play("0 > LIST_NETWORKS\n0 < network id / ssid / bssid / flags\\n\n0 > ADD_NETWORK")
        var shown = ""
        dump(talk.station, to: &shown)
        talk.station.receive(Array("1\n".utf8).span, at: talk.now)
        dump(talk.station, to: &shown)
        for _ in 0..<4 {
            let action = talk.station.nextAction()
            shown += "\(String(describing: action)) \(String(reflecting: action))"
            dump(action, to: &shown)
            talk.station.receive(Array("OK\n".utf8).span, at: talk.now)
            dump(talk.station, to: &shown)
        }
        #expect(!shown.contains("wrong horse"))
        #expect(!shown.contains("77726f6e67"))
        // The passphrase as a list of numbers.
        #expect(!shown.contains("119, 114, 111"))
        #expect(!shown.contains("- 119\n"))
    }
}
