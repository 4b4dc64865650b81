// SPDX-License-Identifier: Apache-2.0

import WiFi

import WiFiStation
import Testing
import Timekeeping
import WiFiTestSupport

@Suite struct SupplicantScanTests {
    private static func entry(_ id: Int, _ name: String, age: Int = 0, frequency: Int = 2437, last: Bool = false)
        -> String
    {
        "id=\(id)\\nbssid=02:00:00:00:00:0\(id)\\nfreq=\(frequency)\\nlevel=-30\\nage=\(age)\\n"
            + "flags=[WPA2-PSK-CCMP][ESS]\\nssid=\(name)\\n\(last ? "####" : "====")\\n"
    }

    private static func found(_ name: String, _ id: Int) -> String {
        "found \"\(name)\" 02:00:00:00:00:0\(id) band2GHz 6 wpa2-psk -30"
    }

    /// Results from before the scan are ignored; after a truncated reply the rest is requested.
    @Test func findsWhatIsThereNow() throws {
        var talk = SupplicantTalk.attached()
        try talk.station.startScan(WiFiScan(), at: talk.now)
        talk.play(
            """
            0 > SCAN TYPE=ONLY
            1 < OK\\n
            1 < <3>CTRL-EVENT-SCAN-STARTED \

            3755 < <3>CTRL-EVENT-BSS-ADDED 0 02:00:00:00:00:00
            3755 < <3>CTRL-EVENT-SCAN-RESULTS \

            3755 > BSS RANGE=0- MASK=0x21a87
            3756 < \(Self.entry(0, "Home", age: 4))\(Self.entry(1, "Old", age: 5))\(Self.entry(2, "Office"))id=3\\nbssid=02
            3756 > BSS RANGE=3- MASK=0x21a87
            3757 < \(Self.entry(3, "Silent", last: true))
            3757 > BSS RANGE=4- MASK=0x21a87
            3758 < \

            """)
        let wanted = [
            "3758 \(Self.found("Home", 0))", "3758 \(Self.found("Office", 2))", "3758 \(Self.found("Silent", 3))",
        ]
        #expect(talk.events == wanted + ["3758 scan ended"])
    }

    /// A hidden network answers a probe for its name.
    @Test func probesForAName() throws {
        var talk = SupplicantTalk.attached()
        try talk.station.startScan(WiFiScan(name: "My Home"), at: talk.now)
        talk.play(
            """
            0 > SCAN TYPE=ONLY ssid 4d7920486f6d65
            1 < OK\\n
            """)
    }

    @Test func looksAsItIsTold() throws {
        var talk = SupplicantTalk.attached()
        try talk.station.startScan(WiFiScan(band: .band2GHz, isPassive: true, period: .milliseconds(300)), at: talk.now)
        talk.play(
            """
            0 > SCAN TYPE=ONLY freq=2412,2437,2467 passive=1
            0 < OK\\n
            0 < <3>CTRL-EVENT-SCAN-STARTED \

            300 > ABORT_SCAN
            301 < OK\\n
            301 < <3>CTRL-EVENT-SCAN-RESULTS \

            301 > BSS RANGE=0- MASK=0x21a87
            301 < \(Self.entry(0, "Home"))\(Self.entry(1, "Home5", frequency: 5180, last: true))
            301 > BSS RANGE=2- MASK=0x21a87
            301 < \

            """)
        #expect(talk.events == ["301 \(Self.found("Home", 0))", "301 scan ended"])
        #expect(throws: WiFiRefusal.invalid) { try talk.station.startScan(WiFiScan(band: .band6GHz), at: talk.now) }
    }

    /// The supplicant may be scanning already; the results of that scan are not those of the requested one.
    @Test func waitsForAScanOfTheSupplicantsOwn() throws {
        var talk = SupplicantTalk.attached()
        try talk.station.startScan(WiFiScan(), at: talk.now)
        talk.play(
            """
            0 > SCAN TYPE=ONLY
            0 < FAIL-BUSY\\n
            900 < <3>CTRL-EVENT-SCAN-RESULTS \

            900 > SCAN TYPE=ONLY
            900 < OK\\n
            901 < <3>CTRL-EVENT-SCAN-STARTED \

            1000 < <3>CTRL-EVENT-SCAN-RESULTS \

            1000 > BSS RANGE=0- MASK=0x21a87
            1000 < \

            """)
        #expect(talk.events == ["1000 scan ended"])
    }

    @Test func stopsAndSaysNothingMore() throws {
        var talk = SupplicantTalk.attached()
        try talk.station.startScan(WiFiScan(), at: talk.now)
        talk.play("0 > SCAN TYPE=ONLY\n0 < OK\\n\n0 < <3>CTRL-EVENT-SCAN-STARTED ")
        talk.station.stopScan(at: talk.now)
        talk.play("10 > ABORT_SCAN\n11 < OK\\n\n11 < <3>CTRL-EVENT-SCAN-RESULTS ")
        #expect(talk.events == [])
    }

    @Test func failsAndGivesUp() throws {
        var talk = SupplicantTalk.attached()
        try talk.station.startScan(WiFiScan(), at: talk.now)
        talk.play("0 > SCAN TYPE=ONLY\n0 < FAIL\\n")
        #expect(talk.events == ["0 scan broke off"])

        talk = SupplicantTalk.attached()
        try talk.station.startScan(WiFiScan(), at: talk.now)
        talk.play(
            "0 > SCAN TYPE=ONLY\n0 < OK\\n\n0 < <3>CTRL-EVENT-SCAN-STARTED \n9 < <3>CTRL-EVENT-SCAN-FAILED ret=-16")
        #expect(talk.events == ["9 scan broke off"])

        talk = SupplicantTalk.attached()
        try talk.station.startScan(WiFiScan(), at: talk.now)
        talk.play("0 > SCAN TYPE=ONLY\n0 < OK\\n\n0 < <3>CTRL-EVENT-SCAN-STARTED ")
        for time in stride(from: 5000, to: 30_000, by: 5000) {
            talk.play(
                "\(time) > SIGNAL_POLL\n\(time) < FAIL\\n\n\(time) > STATUS\n\(time) < \(SupplicantTalk.disconnected)")
        }
        talk.play("30000 > ABORT_SCAN")
        #expect(talk.events == ["30000 scan broke off"])
    }

    /// A hidden network is in the results twice once its name is known; it is reported once.
    @Test func hiddenNetworkIsFoundOnce() throws {
        var talk = SupplicantTalk.attached()
        try talk.station.startScan(WiFiScan(), at: talk.now)
        let named = Self.entry(4, "Hidden", last: true).replacing("id=4\\n", with: "id=6\\n", maxReplacements: 1)
        talk.play(
            """
            0 > SCAN TYPE=ONLY
            0 < OK\\n
            0 < <3>CTRL-EVENT-SCAN-STARTED \

            1 < <3>CTRL-EVENT-SCAN-RESULTS \

            1 > BSS RANGE=0- MASK=0x21a87
            1 < \(Self.entry(4, ""))\(named)
            1 > BSS RANGE=7- MASK=0x21a87
            1 < \

            """)
        #expect(talk.events == ["1 \(Self.found("Hidden", 4))", "1 scan ended"])
    }

    /// A supplicant that answers each request with the same part is not asked for ever.
    @Test func resultsThatDoNotGoOnEndTheScan() throws {
        var talk = SupplicantTalk.attached()
        try talk.station.startScan(WiFiScan(), at: talk.now)
        talk.play(
            """
            0 > SCAN TYPE=ONLY
            0 < OK\\n
            0 < <3>CTRL-EVENT-SCAN-STARTED \

            1 < <3>CTRL-EVENT-SCAN-RESULTS \

            1 > BSS RANGE=0- MASK=0x21a87
            1 < \(Self.entry(2, "Home", last: true))
            1 > BSS RANGE=3- MASK=0x21a87
            1 < \(Self.entry(2, "Home", last: true))
            """)
        #expect(talk.events == ["1 \(Self.found("Home", 2))", "1 scan broke off"])
    }

    @Test func nothingWithoutASupplicant() {
        var station = SupplicantStation()
        #expect(throws: WiFiRefusal.failed) { try station.startScan(WiFiScan(), at: .origin) }
        #expect(throws: WiFiRefusal.failed) { try station.leave(at: .origin) }
        #expect(throws: WiFiRefusal.failed) { try station.status() }
    }
}
