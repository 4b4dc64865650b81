// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WiFi
import WiFiStation
import WiFiTestSupport

import WiFi

@testable import WiFiStation

/// Real messages of wpa_supplicant 2.10, and invalid ones.
@Suite struct SupplicantTextTests {
    private static func event(_ text: String) -> SupplicantEvent? { SupplicantEvent(SupplicantTalk.octets(text).span) }

    @Test func events() {
        let expected: [(String, SupplicantEvent?)] = [
            ("<3>CTRL-EVENT-SCAN-STARTED ", .scanStarted), ("<3>CTRL-EVENT-SCAN-RESULTS ", .scanResults),
            ("<3>CTRL-EVENT-SCAN-FAILED ret=-16", .scanFailed), ("<3>CTRL-EVENT-NETWORK-NOT-FOUND ", .networkNotFound),
            ("<3>SME: Trying to authenticate with 02:00:00:00:00:00 (SSID='Home' freq=2437 MHz)", .authenticating),
            ("<3>Trying to associate with 02:00:00:00:00:00 (SSID='Home' freq=2437 MHz)", .associating),
            ("<3>Associated with 02:00:00:00:00:00", .associated),
            (
                "<3>CTRL-EVENT-CONNECTED - Connection to 02:00:00:00:00:01 completed [id=12 id_str=]",
                .connected(network: 12)
            ),
            ("<3>CTRL-EVENT-CONNECTED - Connection to 02:00:00:00:00:01 completed", .connected(network: nil)),
            (
                "<3>CTRL-EVENT-DISCONNECTED bssid=02:00:00:00:00:00 reason=3 locally_generated=1",
                .disconnected(reason: 3, isLocal: true)
            ),
            (
                "<3>CTRL-EVENT-DISCONNECTED bssid=02:00:00:00:00:00 reason=15",
                .disconnected(reason: 15, isLocal: false)
            ),
            (
                "<3>CTRL-EVENT-SSID-TEMP-DISABLED id=1 ssid=\"Home\" auth_failures=1 duration=10 reason=WRONG_KEY",
                .suspended(network: 1, .wrongKey)
            ),
            (
                "<3>CTRL-EVENT-SSID-TEMP-DISABLED id=1 ssid=\"Office\" auth_failures=1 duration=10 reason=CONN_FAILED",
                .suspended(network: 1, .other)
            ),
            // A name may contain any text.
            (
                "<3>CTRL-EVENT-SSID-TEMP-DISABLED id=1 ssid=\" id=2 reason=WRONG_KEY\" duration=10 reason=AUTH_FAILED",
                .suspended(network: 1, .other)
            ),
            (
                "<3>CTRL-EVENT-AUTH-REJECT 02:00:00:00:00:01 auth_type=3 auth_transaction=2 status_code=1",
                .authenticationRejected(algorithm: 3, status: 1)
            ),
            (
                "<3>CTRL-EVENT-ASSOC-REJECT bssid=02:00:00:00:00:01 status_code=17", .associationRejected(status: 17)
            ),
            ("<3>CTRL-EVENT-TERMINATING ", .terminating), ("<3>CTRL-EVENT-DSCP-POLICY clear_all", .other),
            ("<3>CTRL-EVENT-NETWORK-ADDED 0", .other), ("<3>CTRL-EVENT-SSID-TEMP-DISABLED", .other),
            ("<4>Failed to initiate AP scan", .other), ("<3>", .other),
            // Command replies.
            ("OK\\n", nil), ("0\\n", nil), ("FAIL-BUSY\\n", nil), ("", nil), ("<", nil), ("<3", nil), ("<x>OK", nil),
        ]
        for (text, event) in expected { #expect(Self.event(text) == event, "\(text)") }
    }

    /// A truncated event is another event or none, and never causes a trap.
    @Test func eventsCutAtEveryLength() {
        let whole = SupplicantTalk.octets(
            "<3>CTRL-EVENT-SSID-TEMP-DISABLED id=1 ssid=\"Home\" auth_failures=1 duration=10 reason=WRONG_KEY")
        for count in 0..<whole.count {
            #expect(SupplicantEvent(Array(whole.prefix(count)).span) != .suspended(network: 1, .wrongKey))
        }
        #expect(SupplicantEvent((whole + [0x20]).span) == .suspended(network: 1, .other))
    }

    /// Names in the encoding of wpa_supplicant's printf_encode.
    @Test func names() {
        func name(_ text: String) -> [UInt8]? {
            let octets = Array(text.utf8)
            return ControlText.name(octets.span, 0..<octets.count)?.octets
        }
        #expect(name(#"\"\n\\\x00\xc3\xa9\xff'"#) == [0x22, 0x0A, 0x5C, 0x00, 0xC3, 0xA9, 0xFF, 0x27])
        #expect(name(#"\e\r\t ~"#) == [0x1B, 0x0D, 0x09, 0x20, 0x7E])
        #expect(name("") == [])
        #expect(name(String(repeating: "x", count: 32))?.count == 32)
        #expect(name(String(repeating: #"\xC3"#, count: 32))?.count == 32)
        for bad in [
            String(repeating: "x", count: 33), #"\"#, #"\x"#, #"\x4"#, #"\xg0"#, #"\a"#, "\n", "\u{E9}", "\u{7F}",
        ] {
            #expect(name(bad) == nil, "\(bad)")
        }
    }

    /// Three entries, the last with another terminator; the second network's name is the terminator of an entry.
    private static let results = SupplicantTalk.octets(
        "id=0\\nbssid=02:00:00:00:00:00\\nfreq=2437\\nlevel=-30\\nage=4\\nflags=[WPA2-PSK-CCMP][ESS]\\nssid=Home\\n====\\n"
            + "id=3\\nbssid=02:00:00:00:00:04\\nfreq=5180\\nlevel=-30\\nage=4\\nflags=[ESS]\\nssid======\\n====\\n"
            + "id=5\\nbssid=02:00:00:00:00:02\\nfreq=2437\\nlevel=-128\\nage=0\\nflags=[WEP][ESS]\\nssid=\\n####\\n")

    @Test func results() {
        let (entries, last) = SupplicantBSS.entries(Self.results.span)
        #expect(last == 5)
        #expect(entries.map(\.name.octets) == [Array("Home".utf8), Array("=====".utf8), []])
        #expect(
            entries.compactMap { WiFiNetwork($0) } == [
                WiFiNetwork(
                    name: "Home", address: "02:00:00:00:00:00", band: .band2GHz, channel: 6, security: .wpa2PSK,
                    rssi: -30),
                WiFiNetwork(
                    name: "=====", address: "02:00:00:00:00:04", band: .band5GHz, channel: 36, security: .open,
                    rssi: -30),
                WiFiNetwork(
                    name: "", address: "02:00:00:00:00:02", band: .band2GHz, channel: 6, security: .wep, rssi: -127),
            ])
    }

    @Test func resultsCutAtEveryLength() {
        let ends = [0, 104, 194, Self.results.count]
        var seen: Set<Int> = []
        for count in 0...Self.results.count {
            let found = SupplicantBSS.entries(Array(Self.results.prefix(count)).span).entries.count
            seen.insert(found)
            #expect(found <= ends.firstIndex { count <= $0 } ?? 3)
        }
        #expect(seen == [0, 1, 2, 3])
    }

    @Test func anyOctets() {
        var random = SplitMix64(seed: 6)
        let alphabet = Array("id=bsfreqlvagux\\\n\t#<3>0129[]-:. \"".utf8) + [0x00, 0xFF]
        for _ in 0..<3000 {
            let octets = random.octets(Int(random.next() % 120)).map { alphabet[Int($0) % alphabet.count] }
            _ = SupplicantEvent(octets.span)
            _ = SupplicantBSS.entries(octets.span)
            _ = SupplicantStatus(octets.span)
            _ = SupplicantNetwork.list(octets.span)
            _ = SupplicantRadio.frequencies(octets.span)
            _ = SupplicantRadio.security(octets.span)
        }
    }

    @Test func status() {
        let up = SupplicantStatus(
            SupplicantTalk.octets(SupplicantTalk.connected(#"\\"\\n"#, id: 3, ipv4: "192.168.77.119")).span)
        #expect(up.isCompleted)
        #expect(up.network == 3)
        #expect(up.name?.octets == [0x22, 0x0A])
        #expect(up.accessPoint == "02:00:00:00:00:00")
        #expect(up.frequency == 2437)
        #expect(up.ipv4 == IPv4Address(192, 168, 77, 119))
        #expect(up.address == "02:00:00:00:01:00")
        let down = SupplicantStatus(SupplicantTalk.octets(SupplicantTalk.disconnected).span)
        #expect(!down.isCompleted)
        #expect(down.network == nil)
        #expect(down.ipv4 == nil)
        #expect(down.address == "02:00:00:00:01:00")
        for bad in ["256.0.0.1", "1.2.3", "1.2.3.4.5", "1..2.3", "-1.2.3.4", "a.b.c.d", "1.2.3.4 "] {
            #expect(SupplicantStatus(Array("ip_address=\(bad)\n".utf8).span).ipv4 == nil, "\(bad)")
        }
    }

    @Test func networks() {
        let list = SupplicantTalk.octets(
            "network id / ssid / bssid / flags\\n0\\tHome\\tany\\t[DISABLED]\\n1\\t\\\\\"\\\\n\\tany\\t[CURRENT]\\n"
                + "2\\tx\\tany\\t[TEMP-DISABLED]\\nx\\tno number\\tany\\t\\n3\\tcut")
        let networks = SupplicantNetwork.list(list.span)
        #expect(networks.map(\.number) == [0, 1, 2])
        #expect(networks.map(\.isEnabled) == [false, true, true])
        #expect(networks.map(\.isCurrent) == [false, true, false])
        #expect(networks[1].name.octets == [0x22, 0x0A])
    }

    @Test func securities() {
        let expected: [(String, WiFiSecurity?)] = [
            ("[ESS]", .open), ("", .open), ("[WEP][ESS]", .wep), ("[WPA-PSK-TKIP][ESS]", .wpaPSK),
            ("[WPA2-PSK-CCMP][ESS]", .wpa2PSK), ("[WPA-PSK-TKIP][WPA2-PSK-CCMP+TKIP][WPS][ESS]", .wpaWPA2PSK),
            ("[WPA2-PSK-SHA256-CCMP][ESS]", .wpa2PSK), ("[WPA2-PSK+SAE-CCMP][ESS]", .wpa2WPA3PSK),
            ("[RSN-PSK+SAE-CCMP][ESS]", .wpa2WPA3PSK), ("[WPA-PSK-TKIP][WPA2-SAE-CCMP][ESS]", [.wpaPSK, .wpa3PSK]),
            ("[WPA-PSK-TKIP][WPA2-PSK+SAE-CCMP][ESS]", .personal),
            ("[WPA2-EAP+PSK-CCMP]", [.wpa2PSK, .wpa2Enterprise]),
            ("[WPA2-PSK-CCMP", .wpa2PSK), ("[", .open), ("WPA2-PSK", .open),
            ("[WPA2-SAE-CCMP][ESS]", .wpa3PSK), ("[WPA2-EAP-CCMP][ESS]", .wpa2Enterprise),
            ("[WPA2-OWE-CCMP][ESS]", nil),
            ("[WPA2-DPP-CCMP][ESS]", nil),
        ]
        for (flags, security) in expected {
            #expect(SupplicantRadio.security(Array(flags.utf8).span) == security, "\(flags)")
        }
    }

    /// IEEE 802.11-2020, Annex E.
    @Test func channels() {
        let expected: [(Int, WiFiBand, UInt32)] = [
            (2412, .band2GHz, 1), (2472, .band2GHz, 13), (2484, .band2GHz, 14), (5180, .band5GHz, 36),
            (5825, .band5GHz, 165), (5955, .band6GHz, 1), (7115, .band6GHz, 233),
        ]
        for (frequency, band, channel) in expected {
            let place = SupplicantRadio.channel(of: frequency)
            #expect(place?.band == band)
            #expect(place?.channel == channel)
        }
        for frequency in [0, 2411, 2413, 2477, 4999, 5001, 5954, 7116, -1] {
            #expect(SupplicantRadio.channel(of: frequency) == nil)
        }
    }
}
