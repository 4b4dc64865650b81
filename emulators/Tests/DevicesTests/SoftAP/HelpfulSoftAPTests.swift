// SPDX-License-Identifier: Apache-2.0

import Devices
import NordicProvisioning
import WiFi
import WiFiStation
import TestSupport
import Testing
import Timekeeping
import WiFiTestSupport

/// The profile `gateway`, and the faults.
@Suite struct HelpfulSoftAPTests {
    private static func text(_ response: SoftAPResponse?) -> String? {
        response.map { String(decoding: $0.body, as: UTF8.self) }
    }

    private static let wrong = octets(
        "0a1c0a0c6369612d61737573676f6c641206c87f54de23b8180120092804" + "1208 77726f6e6777726f")

    @Test func moreThanFiveNetworksTheStrongestFirst() {
        let many = (0..<40).map { number in
            WiFiNetwork(
                name: "n", address: WiFiAddress(2, 0, 0, 0, 0, UInt8(number)), band: .band6GHz, channel: 1,
                security: .wep, rssi: Int8(-90 + number))
        }
        var rig = SoftAPRig.open(.gateway, many)
        // For 6 GHz the band is omitted; the firmware sends 0, on which the app for iOS crashes.
        var wanted: [UInt8] = []
        for number in 0..<32 {
            wanted += octets("0a1c 0a0f 0a016e 1206 0200000000" + hex([UInt8(39 - number)]) + "2001 2801 10")
            wanted += [UInt8(0xCD - number)]
            wanted += octets("ffffffffffffffff01")
        }
        #expect(rig.answer("GET", "/prov/networks")?.body == wanted)
    }

    @Test func namesThatAreNoTextAreLeftOut() throws {
        let name = try #require(WiFiName([0xFF, 0x41]))
        var network = SoftAPRig.published[0]
        network.name = name
        var hidden = network
        hidden.name = ""
        var rig = SoftAPRig.open(.gateway, [network, hidden])
        #expect(rig.answer("GET", "/prov/networks")?.body == [])
    }

    @Test(arguments: [
        ("", "the body names no network: wifi.ssid is missing or empty\n"),
        ("0a130a04486f6d651205aabbccddee180120012800", "wifi.bssid has 5 octets and not 6\n"),
        ("0a140a04486f6d651206aabbccddeeff180120012804", "the network wants a passphrase, and there is none\n"),
        ("0a140a04486f6d651206aabbccddeeff180120012805", "a network with this wifi.auth cannot be joined\n"),
        ("ff", "the body is no WifiConfig: it ends inside the element at octet 0\n"),
    ])
    func aBadBodyIsAnsweredWithTheReason(_ body: String, _ reason: String) {
        var rig = SoftAPRig.open(.gateway)
        let response = rig.answer("POST", "/prov/configure", octets(body))
        #expect(response?.status == 400)
        #expect(Self.text(response) == reason)
        #expect(response?.headers.first == .init("Content-Type", "text/plain; charset=utf-8"))
        #expect(response?.closes == false)
        // The refused body leaves no remainder.
        #expect(rig.configure(SoftAPRig.golden) == 200)
    }

    @Test func aBodyThatIsTooLongIsSoToo() {
        var rig = SoftAPRig.open(.gateway)
        let response = rig.answer("POST", "/prov/configure", [UInt8](repeating: 0, count: 257))
        #expect(response?.status == 413)
        #expect(response?.closes == true)
    }

    @Test func otherPathsAndMethodsAreExplained() {
        var rig = SoftAPRig.open(.gateway)
        #expect(Self.text(rig.answer("GET", "/x")) == "there is nothing at /x\n")
        let response = rig.answer("GET", "/prov/scan")
        #expect(response?.status == 405)
        #expect(response?.headers.last == .init("Allow", "POST, OPTIONS"))
    }

    @Test func joinsWhileTheAccessPointIsUpAndTellsHowFarItIs() {
        var rig = SoftAPRig.open(.gateway)
        #expect(Self.text(rig.answer("GET", "/prov/status")) == "{\"state\":\"disconnected\"}\n")
        #expect(rig.configure(SoftAPRig.golden) == 200)
        #expect(
            Self.text(rig.answer("GET", "/prov/status")) == "{\"state\":\"authentication\",\"ssid\":\"cia-asusgold\"}\n"
        )
        _ = rig.run(for: .milliseconds(100))
        #expect(Self.text(rig.answer("GET", "/prov/status"))?.hasPrefix("{\"state\":\"association\"") == true)
        _ = rig.run(for: .milliseconds(100))
        #expect(Self.text(rig.answer("GET", "/prov/status"))?.hasPrefix("{\"state\":\"obtaining-address\"") == true)
        _ = rig.run(for: .milliseconds(100))
        #expect(
            Self.text(rig.answer("GET", "/prov/status"))
                == "{\"state\":\"connected\",\"ssid\":\"cia-asusgold\",\"ip\":\"192.168.0.42\"}\n")
        let end = rig.timed(for: .seconds(20))
        #expect(end.map(\.0) == [10_000, 10_000, 10_000])
        #expect(end.map(\.1) == [.stopListening, .silence(goodbye: true), .announce(.home)])
    }

    @Test func afterAWrongPassphraseThereIsAnotherTry() {
        var rig = SoftAPRig.open(.gateway)
        #expect(rig.configure(Self.wrong) == 200)
        #expect(rig.run(for: .seconds(30)) == [])
        #expect(
            Self.text(rig.answer("GET", "/prov/status"))
                == "{\"state\":\"failed\",\"ssid\":\"cia-asusgold\",\"reason\":\"auth\"}\n")
        #expect(rig.configure(SoftAPRig.golden) == 200)
        #expect(rig.run(for: .seconds(30)).last == .announce(.home))
    }

    @Test func theAccessPointStaysIfTheNetworkIsLostBeforeItsEnd() {
        var rig = SoftAPRig.open(.gateway)
        #expect(rig.configure(SoftAPRig.golden) == 200)
        #expect(rig.run(for: .seconds(5)) == [])
        rig.station.drop()
        #expect(rig.run(for: .seconds(60)) == [])
        #expect(Self.text(rig.answer("GET", "/prov/status"))?.contains("disconnected") == true)
        #expect(rig.configure(SoftAPRig.golden) == 200)
        #expect(rig.run(for: .seconds(60)).last == .announce(.home))
    }

    @Test func scansAgainAndAnswersWithItsEnd() {
        var rig = SoftAPRig.open(.gateway)
        rig.station.simulation.accessPoints.removeLast()
        #expect(rig.ask("POST", "/prov/scan", on: 7) == [])
        // Others are answered meanwhile, with the previous results.
        #expect(rig.answer("GET", "/prov/networks")?.body.count == 85)
        let answers = rig.run(for: .seconds(1))
        guard answers.count == 1, case .answer(SoftAPConnection(7), let response)? = answers.first else {
            return #expect(Bool(false))
        }
        #expect(response.status == 200 && response.body.count == 42)
        #expect(rig.answer("GET", "/prov/networks")?.body.count == 42)
    }

    @Test func whoHasGoneIsNotAnswered() {
        var rig = SoftAPRig.open(.gateway)
        #expect(rig.ask("POST", "/prov/scan", on: 7) == [])
        rig.device.ended(SoftAPConnection(7))
        #expect(rig.run(for: .seconds(1)) == [])
    }

    @Test func aFailedConnectionIsToldAndNothingElse() {
        var rig = SoftAPRig.open(.gateway)
        rig.device.failed(SoftAPConnection(1), "TLS", isByApp: true, at: rig.now, over: &rig.station)
        #expect(rig.actions() == [])
        #expect(rig.notices.last == .connectionFailed("TLS", isByApp: true))
    }

    @Test func aScanThatFailsIsNotFatal() {
        var rig = SoftAPRig.open(.gateway) { $0.scripts[.scan] = .init(failure: .failed) }
        #expect(rig.answer("GET", "/prov/networks")?.body == [])
    }

    // MARK: - Faults

    @Test(arguments: [
        "networks:delay=5000", "configure:status=503", "networks:close", "configure:lost", "networks:cut=10",
        "networks:body=0a01", "status:body=", "scan:close", "connect:close",
    ])
    func faultsAreReadAsTheyAreWritten(_ text: String) throws {
        let fault = try #require(SoftAPFault(text))
        #expect(fault.description == text)
        #expect(try #require(SoftAPFault(text + "*3")).times == 3)
    }

    @Test(arguments: [
        "", "networks", "networks:", "networks:what", "nowhere:close", "networks:close=1", "networks:status=99",
        "networks:status=600", "networks:delay", "networks:delay=-1", "networks:delay=3600001", "networks:body=0",
        "networks:body=zz", "networks:cut=65536", "connect:status=500", "networks:close*0", "networks:close*x",
        "networks:close*", "a:b:close",
    ])
    func whatIsNoFaultIsNotTaken(_ text: String) {
        #expect(SoftAPFault(text) == nil)
    }

    @Test func aStatusComesInPlaceOfTheDeed() {
        var rig = SoftAPRig.open(faults: [SoftAPFault(.configure, .status(503), times: 1)])
        #expect(rig.configure(SoftAPRig.golden) == 503)
        #expect(rig.configure(SoftAPRig.golden) == 200)
    }

    @Test func aDelayedAnswerComesLater() {
        var rig = SoftAPRig.open(faults: [SoftAPFault(.networks, .delay(.seconds(12)))])
        #expect(rig.ask("GET", "/prov/networks") == [])
        let later = rig.timed(for: .seconds(20))
        #expect(later.map(\.0) == [12_000])
        guard case .answer(_, let response)? = later.first?.1 else { return #expect(Bool(false)) }
        #expect(response.body.count == 85)
    }

    @Test func aLostAnswerIsToADeedThatWasDone() {
        var rig = SoftAPRig.open(faults: [SoftAPFault(.configure, .lost)])
        #expect(
            rig.ask("POST", "/prov/configure", SoftAPRig.golden) == [.stopListening, .close(SoftAPConnection(1))])
        #expect(rig.run(for: .seconds(3)).last == .announce(.home))
    }

    @Test func aClosedConnectionIsToADeedThatWasNot() {
        var rig = SoftAPRig.open(faults: [SoftAPFault(.configure, .close, times: 1)])
        #expect(rig.ask("POST", "/prov/configure", SoftAPRig.golden) == [.close(SoftAPConnection(1))])
        #expect(rig.run(for: .seconds(3)) == [])
        #expect(rig.configure(SoftAPRig.golden) == 200)
    }

    @Test func bodiesAreOthersOrCut() {
        var rig = SoftAPRig.open(faults: [
            SoftAPFault(.networks, .body(octets("0a01")), times: 1), SoftAPFault(.networks, .cut(10), times: 1),
        ])
        let other = rig.answer("GET", "/prov/networks")
        #expect(other?.body == octets("0a01"))
        #expect(other?.headers.contains(.init("Content-Length", "2")) == true)
        let cut = rig.answer("GET", "/prov/networks")
        #expect(cut?.cut == 10 && cut?.closes == true)
        #expect(cut?.headers.contains(.init("Content-Length", "85")) == true)
        #expect(rig.answer("GET", "/prov/networks")?.cut == nil)
    }

    @Test func aConnectionIsClosedAtOnce() {
        var rig = SoftAPRig.open(faults: [SoftAPFault(nil, .close, times: 1)])
        rig.device.connected(SoftAPConnection(1))
        #expect(rig.actions() == [.close(SoftAPConnection(1))])
        rig.device.connected(SoftAPConnection(2))
        #expect(rig.actions() == [])
    }
}
