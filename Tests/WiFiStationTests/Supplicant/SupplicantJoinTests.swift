// SPDX-License-Identifier: Apache-2.0

import WiFi

import WiFiStation
import Testing
import Timekeeping
import WiFiTestSupport

@Suite struct SupplicantJoinTests {
    static func join(
        _ name: WiFiName = "Home", _ security: WiFiSecurity = .wpa2PSK, _ passphrase: WiFiPassphrase? = "correct horse"
    ) -> WiFiJoin {
        WiFiJoin(name: name, security: security, passphrase: passphrase)
    }

    /// The commands up to the selection of the network, which has number 1 beside Home.
    static func configuring(
        at time: Int, _ network: String, _ ssid: String, _ settings: [String], lists: String = SupplicantTalk.home
    ) -> String {
        var lines = [
            "\(time) > LIST_NETWORKS", "\(time) < network id / ssid / bssid / flags\\n\(lists)",
            "\(time) > ADD_NETWORK", "\(time) < <3>CTRL-EVENT-NETWORK-ADDED \(network)", "\(time) < \(network)\\n",
        ]
        for setting in ["ssid \(ssid)", "scan_ssid 1"] + settings {
            lines += ["\(time) > SET_NETWORK \(network) \(setting)", "\(time) < OK\\n"]
        }
        return (lines + ["\(time) > SELECT_NETWORK \(network)"]).joined(separator: "\n")
    }

    private static let personal = ["key_mgmt WPA-PSK WPA-PSK-SHA256 SAE", "psk \"correct horse\"", "ieee80211w 1"]
    private static let wrong = ["key_mgmt WPA-PSK WPA-PSK-SHA256 SAE", "psk \"wrong horse\"", "ieee80211w 1"]
    private static let homeIsUp = SupplicantTalk.connected(id: 0, ipv4: "192.168.77.119")

    @Test func joinsAndTellsEachStep() throws {
        var talk = SupplicantTalk.attached()
        try talk.station.join(Self.join(), at: talk.now)
        #expect(try talk.station.status().state == .joining(.authentication))
        talk.play(Self.configuring(at: 10, "0", "486f6d65", Self.personal, lists: ""))
        talk.play(
            """
            103 < OK\\n
            103 < <3>CTRL-EVENT-SCAN-STARTED \

            3841 < <3>CTRL-EVENT-SCAN-RESULTS \

            3843 < <3>SME: Trying to authenticate with 02:00:00:00:00:00 (SSID='Home' freq=2437 MHz)
            3844 < <3>Trying to associate with 02:00:00:00:00:00 (SSID='Home' freq=2437 MHz)
            3851 < <3>Associated with 02:00:00:00:00:00
            3851 < <3>CTRL-EVENT-SUBNET-STATUS-UPDATE status=0
            3865 < <3>WPA: Key negotiation completed with 02:00:00:00:00:00 [PTK=CCMP GTK=CCMP]
            3865 < <3>CTRL-EVENT-CONNECTED - Connection to 02:00:00:00:00:00 completed [id=0 id_str=]
            3866 > SIGNAL_POLL
            3868 < \(SupplicantTalk.signal)
            3868 > STATUS
            3868 < \(SupplicantTalk.connected(id: 0))
            4368 > SIGNAL_POLL
            4369 < \(SupplicantTalk.signal)
            4369 > STATUS
            """)
        #expect(try talk.station.status().state == .joining(.obtainingAddress))
        talk.play(
            """
            4370 < \(Self.homeIsUp)
            4370 > LIST_NETWORKS
            4370 < network id / ssid / bssid / flags\\n0\\tHome\\tany\\t[CURRENT]\\n
            4370 > GET_NETWORK 0 key_mgmt
            4370 < WPA-PSK WPA-PSK-SHA256 SAE
            """)
        #expect(
            talk.events == [
                "10 authentication", "3844 association", "3865 obtainingAddress", "4370 joined \"Home\" 192.168.77.119",
            ])
        let status = try talk.station.status()
        #expect(status.state == .connected)
        #expect(status.ipv4 == IPv4Address(192, 168, 77, 119))
        #expect(
            status.network
                == WiFiNetwork(
                    name: "Home", address: "02:00:00:00:00:00", band: .band2GHz, channel: 6, security: .wpa2PSK,
                    rssi: -30))
        #expect(talk.station.address == "02:00:00:00:01:00")
        #expect(talk.station.knownNetworks?.map(\.name) == ["Home"])
        #expect(talk.station.knownNetworks?.first?.security == .wpaWPA2PSK)
    }

    @Test func wrongPassphraseIsToldAndTheNetworkBeforeIsJoinedAgain() throws {
        var talk = SupplicantTalk.attached(SupplicantTalk.home, status: Self.homeIsUp)
        try talk.station.join(Self.join(passphrase: "wrong horse"), at: talk.now)
        talk.play(Self.configuring(at: 10, "1", "486f6d65", Self.wrong))
        talk.play(
            """
            45 < <3>CTRL-EVENT-DISCONNECTED bssid=02:00:00:00:00:00 reason=3 locally_generated=1
            46 < <3>CTRL-EVENT-DSCP-POLICY clear_all
            47 < OK\\n
            47 < <3>SME: Trying to authenticate with 02:00:00:00:00:00 (SSID='Home' freq=2437 MHz)
            53 < <3>Trying to associate with 02:00:00:00:00:00 (SSID='Home' freq=2437 MHz)
            60 < <3>Associated with 02:00:00:00:00:00
            4095 < <3>CTRL-EVENT-DISCONNECTED bssid=02:00:00:00:00:00 reason=15
            4095 < <3>WPA: 4-Way Handshake failed - pre-shared key may be incorrect
            4095 < <3>CTRL-EVENT-SSID-TEMP-DISABLED id=1 ssid="Home" auth_failures=1 duration=10 reason=WRONG_KEY
            4095 > REMOVE_NETWORK 1
            4096 < <3>CTRL-EVENT-NETWORK-REMOVED 1
            4096 < OK\\n
            4096 > ENABLE_NETWORK 0
            4096 < OK\\n
            4096 > REASSOCIATE
            4096 < <3>SME: Trying to authenticate with 02:00:00:00:00:00 (SSID='Home' freq=2437 MHz)
            4097 < OK\\n
            4120 < <3>CTRL-EVENT-CONNECTED - Connection to 02:00:00:00:00:00 completed [id=0 id_str=]
            4120 > SIGNAL_POLL
            4121 < \(SupplicantTalk.signal)
            4121 > STATUS
            4121 < \(Self.homeIsUp)
            """)
        #expect(
            talk.events == [
                "10 authentication", "53 association", "4095 failed authentication",
                "4121 joined \"Home\" 192.168.77.119",
            ])
    }

    @Test func wrongPasswordOfSAEShowsInTheConfirmation() throws {
        var talk = SupplicantTalk.attached()
        try talk.station.join(Self.join("Office", .wpa3PSK, "wrong horse"), at: talk.now)
        let settings = ["key_mgmt SAE", "sae_password 77726f6e6720686f727365", "ieee80211w 2"]
        talk.play(Self.configuring(at: 10, "1", "4f6666696365", settings, lists: ""))
        talk.play(
            """
            59 < OK\\n
            158 < <3>CTRL-EVENT-SCAN-STARTED \

            3925 < <3>CTRL-EVENT-SCAN-RESULTS \

            3962 < <3>SME: Trying to authenticate with 02:00:00:00:00:01 (SSID='Office' freq=2437 MHz)
            4008 < <3>SME: Trying to authenticate with 02:00:00:00:00:01 (SSID='Office' freq=2437 MHz)
            4012 < <3>CTRL-EVENT-AUTH-REJECT 02:00:00:00:00:01 auth_type=3 auth_transaction=2 status_code=1
            4012 > REMOVE_NETWORK 1
            4013 < OK\\n
            """)
        #expect(talk.events == ["10 authentication", "4012 failed authentication"])
    }

    /// An access point that refuses the station does so without a reason that the user could act on.
    @Test func refusedStation() throws {
        var talk = SupplicantTalk.attached()
        try talk.station.join(Self.join("Cafe", .open, nil), at: talk.now)
        talk.play(Self.configuring(at: 10, "1", "43616665", ["key_mgmt NONE"], lists: ""))
        talk.play(
            """
            579 < OK\\n
            579 < <3>SME: Trying to authenticate with 02:00:00:00:00:02 (SSID='Cafe' freq=2437 MHz)
            580 < <3>CTRL-EVENT-AUTH-REJECT 02:00:00:00:00:02 auth_type=0 auth_transaction=2 status_code=1
            4425 < <3>CTRL-EVENT-SCAN-RESULTS \

            4428 < <3>CTRL-EVENT-AUTH-REJECT 02:00:00:00:00:02 auth_type=0 auth_transaction=2 status_code=1
            5000 > SIGNAL_POLL
            5000 < FAIL\\n
            5000 > STATUS
            5000 < \(SupplicantTalk.disconnected)
            10000 > SIGNAL_POLL
            10000 < FAIL\\n
            10000 > STATUS
            10000 < \(SupplicantTalk.disconnected)
            13416 < <3>CTRL-EVENT-SSID-TEMP-DISABLED id=1 ssid="Cafe" auth_failures=1 duration=10 reason=CONN_FAILED
            13416 > REMOVE_NETWORK 1
            13416 < OK\\n
            """)
        #expect(talk.events == ["10 authentication", "13416 failed authentication"])
    }

    /// The supplicant reports this once before it has scanned; that report is ignored.
    @Test func networkThatTwoScansDoNotFind() throws {
        var talk = SupplicantTalk.attached()
        try talk.station.join(Self.join("Nowhere"), at: talk.now)
        talk.play(Self.configuring(at: 10, "1", "4e6f7768657265", Self.personal, lists: ""))
        talk.play(
            """
            391 < <3>CTRL-EVENT-NETWORK-NOT-FOUND \

            391 < OK\\n
            490 < <3>CTRL-EVENT-SCAN-STARTED \

            4229 < <3>CTRL-EVENT-SCAN-RESULTS \

            4230 < <3>CTRL-EVENT-NETWORK-NOT-FOUND \

            4231 < <3>CTRL-EVENT-NETWORK-NOT-FOUND \

            """)
        #expect(talk.events == ["10 authentication"])
        talk.play(
            """
            9232 > SIGNAL_POLL
            9232 < FAIL\\n
            9232 > STATUS
            9232 < \(SupplicantTalk.disconnected)
            12970 < <3>CTRL-EVENT-SCAN-RESULTS \

            12970 < <3>CTRL-EVENT-NETWORK-NOT-FOUND \

            12970 > REMOVE_NETWORK 1
            12970 < OK\\n
            """)
        #expect(talk.events == ["10 authentication", "12970 failed networkNotFound"])
    }

    @Test func nobodyGivesAnAddress() throws {
        var talk = SupplicantTalk.attached()
        try talk.station.join(Self.join("Silent"), at: talk.now)
        talk.play(Self.configuring(at: 0, "1", "53696c656e74", Self.personal, lists: ""))
        talk.play(
            """
            985 < OK\\n
            985 < <3>Trying to associate with 02:00:00:00:00:05 (SSID='Silent' freq=2437 MHz)
            1000 < <3>CTRL-EVENT-CONNECTED - Connection to 02:00:00:00:00:05 completed [id=1 id_str=]
            """)
        var time: Int64 = 1000
        while time < 21_000 {
            talk.play(
                """
                \(time) > SIGNAL_POLL
                \(time) < \(SupplicantTalk.signal)
                \(time) > STATUS
                \(time) < \(SupplicantTalk.connected("Silent", id: 1))
                """)
            time += 500
        }
        talk.play("21000 > REMOVE_NETWORK 1")
        #expect(talk.events.last == "21000 failed address")
        #expect(SupplicantStation.addressWait == .seconds(20))
    }

    @Test func linkThatNeverComesUpTakesTooLong() throws {
        var talk = SupplicantTalk.attached()
        try talk.station.join(Self.join(), at: talk.now)
        talk.play(Self.configuring(at: 0, "1", "486f6d65", Self.personal, lists: ""))
        talk.play("1 < OK\\n")
        for time in stride(from: 5000, to: 40_000, by: 5000) {
            talk.play(
                """
                \(time) > SIGNAL_POLL
                \(time) < FAIL\\n
                \(time) > STATUS
                \(time) < \(SupplicantTalk.disconnected)
                """)
        }
        talk.play("40000 > REMOVE_NETWORK 1")
        #expect(talk.events == ["0 authentication", "40000 failed timeout"])
    }

    /// The interface may show the address of the previous network for a moment.
    @Test func addressOfTheNetworkBeforeIsNotTaken() throws {
        var talk = SupplicantTalk.attached(SupplicantTalk.home, status: Self.homeIsUp)
        try talk.station.join(Self.join("Cafe", .open, nil), at: talk.now)
        talk.play(Self.configuring(at: 0, "1", "43616665", ["key_mgmt NONE"]))
        talk.play(
            """
            1 < OK\\n
            2 < <3>CTRL-EVENT-CONNECTED - Connection to 02:00:00:00:00:02 completed [id=1 id_str=]
            2 > SIGNAL_POLL
            2 < \(SupplicantTalk.signal)
            2 > STATUS
            2 < \(SupplicantTalk.connected("Cafe", id: 1, ipv4: "192.168.77.119"))
            502 > SIGNAL_POLL
            502 < \(SupplicantTalk.signal)
            502 > STATUS
            """)
        #expect(talk.events == ["0 authentication", "2 obtainingAddress"])
        var other = talk
        // Another address is the new network's.
        other.play(
            """
            503 < \(SupplicantTalk.connected("Cafe", id: 1, ipv4: "10.0.0.7"))
            503 > ENABLE_NETWORK 0
            503 < OK\\n
            503 > LIST_NETWORKS
            """)
        #expect(other.events.last == "503 joined \"Cafe\" 10.0.0.7")
        // So is the same address once it had been removed.
        talk.play(
            """
            503 < \(SupplicantTalk.connected("Cafe", id: 1))
            1002 > SIGNAL_POLL
            1002 < \(SupplicantTalk.signal)
            1002 > STATUS
            1003 < \(SupplicantTalk.connected("Cafe", id: 1, ipv4: "192.168.77.119"))
            1003 > ENABLE_NETWORK 0
            """)
        #expect(talk.events.last == "1003 joined \"Cafe\" 192.168.77.119")
    }

    /// A network that works replaces one of the same name, and one that was not kept.
    @Test func whatIsReplaced() throws {
        var talk = SupplicantTalk.attached(SupplicantTalk.home, status: Self.homeIsUp)
        try talk.station.join(Self.join("Cafe", .open, nil), at: talk.now)
        let up = { (name: String, id: Int, time: Int) in
            """
            \(time) < OK\\n
            \(time) < <3>CTRL-EVENT-CONNECTED - Connection to 02:00:00:00:00:02 completed [id=\(id) id_str=]
            \(time) > SIGNAL_POLL
            \(time) < \(SupplicantTalk.signal)
            \(time) > STATUS
            \(time) < \(SupplicantTalk.connected(name, id: id, ipv4: "10.0.0.\(id)"))
            """
        }
        talk.play(Self.configuring(at: 0, "1", "43616665", ["key_mgmt NONE"]))
        talk.play(up("Cafe", 1, 1))
        let both = "0\\tHome\\tany\\t\\n1\\tCafe\\tany\\t[CURRENT]\\n"
        talk.play(
            """
            1 > ENABLE_NETWORK 0
            1 < OK\\n
            1 > LIST_NETWORKS
            1 < network id / ssid / bssid / flags\\n\(both)
            1 > GET_NETWORK 1 key_mgmt
            1 < NONE
            """)
        #expect(talk.station.knownNetworks?.map(\.security) == [.wpaWPA2PSK, .open])
        // Cafe was not kept; Home is known already.
        try talk.station.join(Self.join(), at: talk.now)
        talk.play(Self.configuring(at: 2, "2", "486f6d65", Self.personal, lists: both))
        talk.play(up("Home", 2, 3))
        talk.play(
            """
            3 > REMOVE_NETWORK 0
            3 < OK\\n
            3 > REMOVE_NETWORK 1
            3 < OK\\n
            3 > LIST_NETWORKS
            3 < network id / ssid / bssid / flags\\n2\\tHome\\tany\\t[CURRENT]\\n
            3 > GET_NETWORK 2 key_mgmt
            3 < WPA-PSK WPA-PSK-SHA256 SAE
            """)
        talk.station.keep(at: talk.now)
        talk.play("4 > SAVE_CONFIG\n4 < OK\\n")
        #expect(talk.station.isSaved == true)
        talk.station.forget(nil, at: talk.now)
        talk.play(
            """
            5 > LIST_NETWORKS
            5 < network id / ssid / bssid / flags\\n2\\tHome\\tany\\t[CURRENT]\\n
            5 > REMOVE_NETWORK 2
            5 < OK\\n
            5 > SAVE_CONFIG
            5 < FAIL\\n
            """)
        #expect(talk.station.isSaved == false)
        #expect(talk.station.knownNetworks == [])
    }

    /// Another join ends the attempt: its network is removed, and no further event reports it.
    @Test func anotherJoinBeforeTheFirstHasEnded() throws {
        var talk = SupplicantTalk.attached()
        try talk.station.join(Self.join("Nowhere"), at: talk.now)
        talk.play("0 > LIST_NETWORKS\n0 < network id / ssid / bssid / flags\\n\n0 > ADD_NETWORK")
        try talk.station.join(Self.join("Cafe", .open, nil), at: talk.now)
        talk.play(
            """
            1 < 1\\n
            1 > LIST_NETWORKS
            1 < network id / ssid / bssid / flags\\n1\\t\\tany\\t[DISABLED]\\n
            1 > REMOVE_NETWORK 1
            1 < OK\\n
            1 > ADD_NETWORK
            1 < 1\\n
            1 > SET_NETWORK 1 ssid 43616665
            1 < FAIL\\n
            1 > REMOVE_NETWORK 1
            1 < OK\\n
            """)
        #expect(talk.events == ["0 authentication", "1 authentication", "1 failed other"])
    }

    @Test func leavingJoinsNothing() throws {
        var talk = SupplicantTalk.attached(SupplicantTalk.home, status: Self.homeIsUp)
        try talk.station.leave(at: talk.now)
        talk.play(
            """
            1 > DISCONNECT
            2 < <3>CTRL-EVENT-DISCONNECTED bssid=02:00:00:00:00:00 reason=3 locally_generated=1
            2 < OK\\n
            """)
        #expect(talk.events == [])
        #expect(try talk.station.status().state == .disconnected)
    }

    /// The link is lost and returns without a command.
    @Test func lossAndReturn() throws {
        var talk = SupplicantTalk.attached(SupplicantTalk.home, status: Self.homeIsUp)
        talk.play(
            """
            668 < <3>CTRL-EVENT-DISCONNECTED bssid=02:00:00:00:00:00 reason=2
            4513 < <3>CTRL-EVENT-SCAN-RESULTS \

            4515 < <3>SME: Trying to authenticate with 02:00:00:00:00:00 (SSID='Home' freq=2437 MHz)
            4537 < <3>CTRL-EVENT-CONNECTED - Connection to 02:00:00:00:00:00 completed [id=0 id_str=]
            4537 > SIGNAL_POLL
            4537 < \(SupplicantTalk.signal)
            4537 > STATUS
            4537 < \(Self.homeIsUp)
            """)
        #expect(talk.events == ["668 lost", "4537 joined \"Home\" 192.168.77.119"])
    }

    @Test func supplicantThatStartsAgain() throws {
        var talk = SupplicantTalk.attached(SupplicantTalk.home, status: Self.homeIsUp)
        talk.station.receive(Array("<3>CTRL-EVENT-TERMINATING ".utf8).span, at: talk.now)
        #expect(throws: WiFiRefusal.failed) { try talk.station.status() }
        #expect(throws: WiFiRefusal.failed) { try talk.station.join(Self.join(), at: talk.now) }
        #expect(talk.station.knownNetworks == nil)
        guard case .close? = talk.station.nextAction() else {
            Issue.record("the socket is not closed")
            return
        }
        // 250 ms, doubled after each failure, up to 5 s.
        var opened: [Int64] = []
        for _ in 0..<8 {
            let due = try #require(talk.station.deadline)
            opened.append((due - .origin).wholeMilliseconds)
            talk.station.advance(to: due)
            guard case .open? = talk.station.nextAction() else {
                Issue.record("the socket is not asked for")
                return
            }
            talk.station.failed(at: due)
        }
        #expect(opened == [250, 750, 1750, 3750, 7750, 12_750, 17_750, 22_750])
        #expect(talk.station.nextEvent() == .lost)
        #expect(talk.station.nextEvent() == nil)
    }

    @Test func commandWithoutAnAnswerEndsTheTalk() throws {
        var talk = SupplicantTalk.attached()
        try talk.station.join(Self.join(), at: talk.now)
        talk.play("0 > LIST_NETWORKS")
        talk.station.advance(to: .origin + .milliseconds(4999))
        #expect(talk.station.nextAction() == nil)
        talk.station.advance(to: .origin + .milliseconds(5000))
        guard case .close? = talk.station.nextAction() else {
            Issue.record("the socket is not closed")
            return
        }
        #expect(talk.station.nextEvent() == .joinFailed(.other))
    }

    private static func join(passphrase: WiFiPassphrase) -> WiFiJoin { join("Home", .wpa2PSK, passphrase) }
}
