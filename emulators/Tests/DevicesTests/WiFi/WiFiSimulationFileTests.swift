// SPDX-License-Identifier: Apache-2.0

import JSON
import Devices
import WiFi
import WiFiStation
import TestSupport
import Testing
import WiFiTestSupport

@Suite struct WiFiSimulationFileTests {
    private static func read(_ json: String) throws -> WiFiSimulation { try WiFiSimulation(json: Array(json.utf8)) }

    @Test func everythingThatAFileMaySay() throws {
        let simulation = try Self.read(
            """
            {"networks": [
              {"ssid": "Home", "bssid": "AA:bb:cc:dd:ee:ff", "channel": 36, "band": "5", "security": "wpa2-psk",
               "rssi": -50, "passphrase": "correct horse", "fail": "timeout", "delay-ms": 1500},
              {"ssid": "Secret", "hidden": true, "security": "wpa3-psk"},
              {"ssid-hex": "ff00"}, {"ssid": "Kept", "passphrase": "correct horse"}],
             "ip": "10.0.0.7", "mac": "02:00:00:00:00:01", "pairing": {"tokens": ["one", {"token": "two", "expires-s": 600, "user": "ann"}]},
             "steps": {"address": {"fail": "ip", "delay-ms": 2000}, "pairing": {"fail": "timeout"}}}
            """)
        let first = try #require(simulation.accessPoints.first)
        #expect(
            first.network
                == WiFiNetwork(
                    name: "Home", address: WiFiAddress(0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF), band: .band5GHz,
                    channel: 36, security: .wpa2PSK, rssi: -50))
        #expect(first.passphrase == WiFiPassphrase(Array("correct horse".utf8)))
        #expect(first.failure == .timeout)
        #expect(first.delay == .milliseconds(1500))
        #expect(simulation.accessPoints[1].network.name.octets == [])
        #expect(simulation.accessPoints[1].name == "Secret")
        #expect(simulation.accessPoints[2].name.octets == [0xFF, 0x00])
        #expect(simulation.accessPoints[2].network.security == .open)
        #expect(simulation.accessPoints[2].network.address == WiFiAddress(2, 0, 0, 0, 0, 2))
        // A passphrase without a kind of security selects the usual one.
        #expect(simulation.accessPoints[3].network.security == .wpaWPA2PSK)
        #expect(simulation.ipv4 == IPv4Address(10, 0, 0, 7))
        #expect(simulation.address == WiFiAddress(2, 0, 0, 0, 0, 1))
        #expect(
            simulation.pairingTokens == [
                .init("one"), .init("two", expiry: .seconds(600), userID: "ann"),
            ])
        #expect(simulation.scripts[.address] == .init(failure: .address, delay: .seconds(2)))
        #expect(simulation.scripts[.pairing] == .init(failure: .timeout))
    }

    @Test func everySecurityHasItsWord() throws {
        let words: [(String, WiFiSecurity)] = [
            ("open", .open), ("wep", .wep), ("wpa-psk", .wpaPSK), ("wpa2-psk", .wpa2PSK), ("wpa3-psk", .wpa3PSK),
            ("wpa-wpa2-psk", .wpaWPA2PSK), ("wpa2-enterprise", .wpa2Enterprise), ("wpa2-wpa3-psk", .wpa2WPA3PSK),
            ("wpa-wpa2-wpa3-psk", .personal),
        ]
        #expect(Set(words.map(\.1)) == Set(WiFiSecurity.allCases))
        for (word, security) in words {
            let simulation = try Self.read(#"{"networks": [{"ssid": "a", "security": "\#(word)"}]}"#)
            #expect(simulation.accessPoints[0].network.security == security)
        }
    }

    @Test func aNetworkHasSeveralSecurities() throws {
        for (list, security) in [
            (#"["wpa2-psk", "wpa3-psk"]"#, WiFiSecurity.wpa2WPA3PSK), (#"["wpa3-psk"]"#, .wpa3PSK),
            (#"["open"]"#, .open),
            (#"["wpa-wpa2-psk", "wpa3-psk"]"#, .personal),
            (#"["wpa2-enterprise", "wpa2-psk"]"#, [.wpa2Enterprise, .wpa2PSK]),
        ] {
            let simulation = try Self.read(#"{"networks": [{"ssid": "a", "security": \#(list)}]}"#)
            #expect(simulation.accessPoints[0].network.security == security)
        }
        for list in [#"[]"#, #"["open", "wpa2-psk"]"#, #"["wep", "wpa2-psk"]"#] {
            #expect(throws: JSONPlaceFault.self) {
                try Self.read(#"{"networks": [{"ssid": "a", "security": \#(list)}]}"#)
            }
        }
    }

    /// Each step that a device does not have, and each delay that nothing has, is refused.
    @Test(arguments: [WiFiSimulation.Use.camera, .station, .softAP])
    func whatHasNoEffectIsRefused(_ use: WiFiSimulation.Use) {
        func fault(_ text: String) -> String? {
            do throws(JSONPlaceFault) {
                _ = try WiFiSimulation(json: Array(text.utf8), for: use)
                return nil
            } catch { return error.problem }
        }
        func step(_ name: String, _ members: String = #""fail": "failed""#) -> String? {
            fault(#"{"networks": [], "steps": {"\#(name)": {\#(members)}}}"#)
        }
        for name in ["scan", "join", "authentication", "association", "address"] {
            #expect(step(name) == nil && step(name, #""delay-ms": 5"#) == nil)
        }
        #expect((step("connectivity") == nil) == (use == .camera) && (step("pairing") == nil) == (use == .camera))
        #expect((step("leave") == nil) == (use == .station) && (step("status") == nil) == (use != .softAP))
        #expect(step("leave", #""delay-ms": 5"#)?.hasPrefix("has no effect") == true)
        #expect(step("status", #""delay-ms": 5"#)?.hasPrefix("has no effect") == true)
        for name in ["scan", "join"] {
            #expect(
                step(name, #""fail": "failed", "delay-ms": 5"#)
                    == "has no effect beside fail: \(name) is refused at once; keep one of them")
        }
        #expect((fault(#"{"networks": [], "pairing": {"tokens": []}}"#) == nil) == (use == .camera))
    }

    @Test func aFaultSaysWhereAndWhat() {
        let cases: [(String, String)] = [
            (#"{}"#, #"1: lacks "networks""#),
            (#"{"networks": [], "x": 1}"#, "1: x: unknown key; here are networks, ip, mac, pairing, steps"),
            ("{\"networks\": [\n{}]}", #"2: networks[0]: lacks "ssid""#),
            (
                #"{"networks": [{"ssid": "a", "channel": 15}]}"#,
                "1: networks[0].channel: 15 is not a whole number from 1 to 14"
            ),
            (
                #"{"networks": [{"ssid": "a", "bssid": "aa:bb"}]}"#,
                #"1: networks[0].bssid: "aa:bb" is no hardware address; write it as aa:bb:cc:dd:ee:ff"#
            ),
            (
                #"{"networks": [{"ssid": "123456789012345678901234567890123"}]}"#,
                "1: networks[0].ssid: has 33 octets as UTF-8, and 32 are the most"
            ),
            (
                #"{"networks": [], "ip": "1.2.3"}"#,
                #"1: ip: "1.2.3" is no IPv4 address; write it as 192.168.0.42"#
            ),
            (
                #"{"networks": [], "steps": {"address": {"fail": "auth"}}}"#,
                #"1: steps.address.fail: "auth" is not known; write ip, timeout, failed"#
            ),
            (
                #"{"networks": [{"ssid": "a", "ssid-hex": "00"}]}"#,
                #"1: networks[0].ssid-hex: stands beside "ssid"; keep one of them"#
            ),
            (
                #"{"networks": [{"ssid": "a", "bssid": "02:00:00:00:00:01"}, {"ssid": "a", "bssid": "02:00:00:00:00:01"}]}"#,
                "1: networks[1]: has the name and the bssid 02:00:00:00:00:01 of another one"
            ),
            (
                #"{"networks": [{"ssid": "a", "security": "wpa2-psk", "passphrase": "seven77"}]}"#,
                "1: networks[0].passphrase: a passphrase of WPA has 8 to 63 characters of ASCII; 64 hexadecimal digits "
                    + "are the key"
            ),
            (
                #"{"networks": [{"ssid": "a", "security": "wep", "passphrase": "abcdef"}]}"#,
                "1: networks[0].passphrase: a key of WEP has 5 or 13 characters, or 10 or 26 hexadecimal digits"
            ),
            (
                #"{"networks": [{"ssid": "a", "security": "open", "passphrase": "eight888"}]}"#,
                "1: networks[0].passphrase: has no effect: security open has no passphrase"
            ),
            (
                #"{"networks": [{"ssid": "a", "security": "wpa4-psk"}]}"#,
                #"1: networks[0].security: "wpa4-psk" is not known; write open, wep, wpa-psk, wpa2-psk, wpa-wpa2-psk, "#
                    + "wpa2-enterprise, wpa3-psk, wpa2-wpa3-psk, wpa-wpa2-wpa3-psk, or several with + between"
            ),
            ("[", "1: the text ends where a value is expected"),
        ]
        for (json, expected) in cases {
            let fault = #expect(throws: JSONPlaceFault.self) { try Self.read(json) }
            #expect(fault?.description == expected)
        }
    }

    @Test func aPassphraseIsNeverTold() throws {
        let long = String(repeating: "secret", count: 11)
        let fault = #expect(throws: JSONPlaceFault.self) {
            try Self.read(#"{"networks": [{"ssid": "a", "passphrase": "\#(long)"}]}"#)
        }
        #expect(fault?.description == "1: networks[0].passphrase: has more than 64 octets as UTF-8")
        let passphrase = try #require(WiFiPassphrase(Array("secret".utf8)))
        #expect("\(passphrase)" == "(6 octets)")
        #expect(String(reflecting: passphrase) == "(6 octets)")
        var dumped = ""
        dump(passphrase, to: &dumped)
        #expect(!dumped.contains("115"))
        #expect(!dumped.contains("secret"))
    }

    @Test func addressesAreReadWholeOrNotAtAll() {
        for text in ["", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.", "1.2.3.+4", "01.2.3.1234", "1.2.3.٤"] {
            #expect(IPv4Address(text) == nil)
        }
        #expect(IPv4Address("192.168.0.42")?.octets == [192, 168, 0, 42])
        for text in ["", "aa:bb:cc:dd:ee", "aa:bb:cc:dd:ee:fg", "aabbccddeeff", "aa:bb:cc:dd:ee:ff:00", "a:b:c:d:e:f"] {
            #expect(WiFiAddress(text) == nil)
        }
        #expect(WiFiAddress([1, 2, 3, 4, 5]) == nil)
        #expect(WiFiName(Array(repeating: 0, count: 33)) == nil)
        #expect(WiFiPassphrase(Array(repeating: 0, count: 65)) == nil)
    }
}
