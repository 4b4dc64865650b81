// SPDX-License-Identifier: Apache-2.0

import Devices
import NordicProvisioning
import WiFi
import WiFiStation
import TestSupport
import Testing
import Timekeeping
import WiFiTestSupport

/// The firmware's responses and their order.
@Suite struct ExactSoftAPTests {
    private static func body(
        security: String = "2804", name: String = "0a04486f6d65", address: String = "1206aabbccddeeff",
        rest: String = "1803 2006", passphrase: String = "12086f70656e73657361"
    ) -> [UInt8] {
        let network = octets(name + address + rest + security)
        return [0x0A, UInt8(network.count)] + network + octets(passphrase)
    }

    // MARK: - Coming up

    @Test func listensFromTheBeginningAndAnnouncesBehindTheScan() {
        var rig = SoftAPRig()
        rig.device.begin(at: rig.now, over: &rig.station)
        #expect(rig.actions() == [.listen])
        #expect(rig.run(for: .seconds(1)) == [.announce(.accessPoint)])
        #expect(rig.notices == [.scanned(2), .accessPointUp])
    }

    @Test func aRequestBeforeTheEndOfTheScanWaitsForIt() {
        var rig = SoftAPRig()
        rig.device.begin(at: rig.now, over: &rig.station)
        #expect(rig.ask("GET", "/prov/zzz") == [.listen])
        let answers = rig.run(for: .seconds(1)).filter { $0 != .announce(.accessPoint) }
        #expect(answers.count == 1)
        guard case .answer(SoftAPConnection(1), let response)? = answers.first else { return #expect(Bool(false)) }
        #expect(response.status == 404)
    }

    @Test func aScanThatFailsIsFatal() {
        var rig = SoftAPRig { $0.scripts[.scan] = .init(failure: .failed) }
        rig.device.begin(at: rig.now, over: &rig.station)
        #expect(rig.actions() == [.listen, .stopListening, .silence(goodbye: false)])
        #expect(rig.notices == [.scanFailed, .restarting(.scan)])
    }

    // MARK: - The table of requests

    @Test func networksAreAsPublished() {
        var rig = SoftAPRig.open()
        let response = rig.answer("GET", "/prov/networks")
        #expect(response?.status == 200)
        #expect(
            response?.headers == [.init("Content-Type", "application/x-protobuf"), .init("Content-Length", "85")]
                + crossOrigin)
        #expect(
            response.map { hex($0.body) }
                == "0a280a1b0a0b6369612d6c696e6b7379731206d8ec5e8f661918022070280410cfffffffffffffffff01"
                + "0a290a1c0a0c6369612d61737573676f6c641206c87f54de23b818012009280410cfffffffffffffffff01")
        #expect(response?.closes == true)
    }

    @Test func fiveNetworksAtMostInTheOrderInWhichTheyWereFound() {
        let many = (0..<7).map { number in
            WiFiNetwork(
                name: "n", address: WiFiAddress(2, 0, 0, 0, 0, UInt8(number)), band: .band2GHz, channel: 1,
                security: .open, rssi: Int8(-80 + number))
        }
        var rig = SoftAPRig.open(.exact, many)
        let record = "0a1e 0a11 0a016e 1206 0200000000%% 1801 2001 2800 10 @@ffffffffffffffff01"
        let wanted = (0..<5).map { number in
            octets(
                record.replacing("%%", with: "0\(number)").replacing("@@", with: hex([UInt8(0xB0 + number)])))
        }
        #expect(rig.answer("GET", "/prov/networks")?.body == wanted.flatMap(\.self))
    }

    /// The scan's value for each kind (the table of BLE): 6 GHz is "any band", a hidden name is empty.
    @Test(
        arguments: [
            (WiFiBand.band2GHz, WiFiSecurity.open, "Home", "0a04486f6d65 1206aabbccddeeff 1801 2001 2800"),
            (.band2GHz, .wep, "Home", "0a04486f6d65 1206aabbccddeeff 1801 2001 2804"),
            (.band2GHz, .wpaPSK, "Home", "0a04486f6d65 1206aabbccddeeff 1801 2001 2804"),
            (.band5GHz, .wpa2PSK, "Home", "0a04486f6d65 1206aabbccddeeff 1802 2001 2803"),
            (.band5GHz, .wpaWPA2PSK, "Home", "0a04486f6d65 1206aabbccddeeff 1802 2001 2804"),
            (.band5GHz, .wpa2Enterprise, "Home", "0a04486f6d65 1206aabbccddeeff 1802 2001 2804"),
            (.band6GHz, .wpa3PSK, "", "0a00 1206aabbccddeeff 1800 2001 2806"),
        ] as [(WiFiBand, WiFiSecurity, WiFiName, String)])
    func recordsAreAsTheFirmwareMapsThem(
        _ band: WiFiBand, _ security: WiFiSecurity, _ name: WiFiName, _ network: String
    ) {
        let found = WiFiNetwork(
            name: name, address: "aa:bb:cc:dd:ee:ff", band: band, channel: 1, security: security, rssi: -50)
        var rig = SoftAPRig.open(.exact, [found])
        let content = octets(network)
        let record = [0x0A, UInt8(content.count)] + content + octets("10ceffffffffffffffff01")
        #expect(rig.answer("GET", "/prov/networks")?.body == [0x0A, UInt8(record.count)] + record)
    }

    @Test(arguments: [
        ("POST", "/prov/networks", 405), ("PUT", "/prov/networks", 405), ("HEAD", "/prov/networks", 405),
        ("GET", "/prov/configure", 405), ("DELETE", "/prov/configure", 405),
        ("GET", "/", 404), ("GET", "/prov/networks?x=1", 404), ("GET", "/prov/networks/", 404),
        ("GET", "/PROV/networks", 404), ("GET", "/prov/status", 404), ("POST", "/prov/scan", 404),
        ("GET", "/prov/a-path-that-is-longer-than-the-firmware-has-room-for", 404),
        ("OPTIONS", "/prov/networks", 200), ("OPTIONS", "/prov/configure", 200), ("OPTIONS", "*", 200),
        ("OPTIONS", "/nothing", 200),
    ])
    func otherRequestsAreAnsweredByANumber(_ method: String, _ target: String, _ status: UInt16) {
        var rig = SoftAPRig.open()
        let response = rig.answer(method, target)
        #expect(response?.status == status)
        #expect(response?.headers == [.init("Content-Length", "0")] + crossOrigin)
        #expect(response?.body == [])
        #expect(response?.closes == true)
    }

    // MARK: - Configuration

    @Test func aConfigurationIsStoredUntriedAndTheAccessPointEndsASecondLater() {
        var rig = SoftAPRig.open()
        let first = rig.ask("POST", "/prov/configure", SoftAPRig.golden)
        guard case .answer(_, let response)? = first.last else { return #expect(Bool(false)) }
        #expect(first.count == 2 && first.first == .stopListening)
        #expect(response.status == 200 && response.closes)
        #expect(response.headers == [.init("Content-Length", "0")] + crossOrigin)
        let later = rig.timed(for: .seconds(3))
        #expect(later.map(\.0) == [1000, 1000, 1300])
        #expect(later.map(\.1) == [.stopListening, .silence(goodbye: false), .announce(.home)])
        #expect(
            rig.notices.suffix(7) == [
                .stored("cia-asusgold", .wpaWPA2PSK, passphraseCount: 15),
                .answered(method: "POST", target: "/prov/configure", status: 200), .accessPointDown,
                .joining(.authentication), .joining(.association), .joining(.obtainingAddress),
                .joined("cia-asusgold", WiFiSimulation.usualIPv4),
            ])
    }

    @Test func nothingMoreIsTakenOnceAConfigurationIsStored() {
        var rig = SoftAPRig.open()
        #expect(rig.configure(SoftAPRig.golden) == 200)
        #expect(rig.ask("GET", "/prov/networks", on: 2) == [.close(SoftAPConnection(2))])
        _ = rig.run(for: .seconds(3))
        #expect(rig.ask("POST", "/prov/configure", SoftAPRig.golden, on: 3) == [.close(SoftAPConnection(3))])
    }

    @Test func aWrongPassphraseIsCuredByTheButtonAlone() {
        var rig = SoftAPRig.open()
        let wrong = octets(
            "0a1c0a0c6369612d61737573676f6c641206c87f54de23b8180120092804" + "1208 77726f6e6777726f")
        #expect(rig.configure(wrong) == 200)
        #expect(rig.run(for: .seconds(600)) == [.stopListening, .silence(goodbye: false)])
        #expect(rig.notices.last == .joinFailed(.authentication))
        rig.device.press(at: rig.now, over: &rig.station)
        #expect(rig.actions() == [.stopListening, .silence(goodbye: false)])
        let again = rig.timed(for: .seconds(5))
        #expect(again.map(\.0) == [3000, 3300])
        #expect(again.map(\.1) == [.listen, .announce(.accessPoint)])
        #expect(rig.configure(SoftAPRig.golden) == 200)
    }

    /// Input: 4 is PSK, 3 PSK-SHA256, 6 SAE, all others open.
    @Test(
        arguments: [
            ("2804", WiFiSecurity.wpaWPA2PSK), ("2803", .wpa2PSK), ("2806", .wpa3PSK), ("2800", .open), ("2801", .open),
            ("2802", .open), ("2805", .open), ("2808", .open), ("2817", .open), ("287f", .open), ("", .open),
        ] as [(String, WiFiSecurity)])
    func securityIsTakenAsTheFirmwareMapsIt(_ field: String, _ security: WiFiSecurity) {
        var rig = SoftAPRig.open()
        #expect(rig.configure(Self.body(security: field)) == 200)
        #expect(
            rig.notices.contains(.stored("Home", security, passphraseCount: security == .open ? 0 : 8)))
    }

    @Test(arguments: [
        "0a1c0a0c6369612d61737573676f6c641206c87f54de23b8180120092804120f7468696e6779776f726c6432303234",
        // Open, with the empty passphrase of iOS, and without.
        "0a140a044f70656e12060200000000011801200128001200", "0a140a044f70656e1206020000000001180120012800",
        // Field 6, `timeout`, and an unknown field.
        "0a160a044f70656e1206020000000001180120012800301e", "0a140a044f70656e12060200000000011801200128007801",
    ])
    func bodiesThatAreTaken(_ body: String) {
        var rig = SoftAPRig.open()
        #expect(rig.configure(octets(body)) == 200)
    }

    /// No HTTP response, the connection is closed, and the server keeps listening.
    @Test(
        arguments: [
            ("", SoftAPRefusal.noName), ("1203616263", .noName), ("0a0e0a001206aabbccddeeff1801 2001", .noName),
            ("0a130a04486f6d651205aabbccddee18012001 2800", .address(count: 5)),
            ("0a0e0a04486f6d651200180120012800", .address(count: 0)),
            ("0a140a04486f6d651206aabbccddeeff180120012804", .noPassphrase),
            ("0a140a04486f6d651206aabbccddeeff1801200128061200", .noPassphrase),
        ] as [(String, SoftAPRefusal)])
    func whatCannotBeStoredIsNotAnswered(_ body: String, _ why: SoftAPRefusal) {
        var rig = SoftAPRig.open()
        #expect(rig.ask("POST", "/prov/configure", octets(body)) == [.close(SoftAPConnection(1))])
        #expect(rig.notices.contains(.refused(why)))
        #expect(rig.answer("GET", "/prov/networks")?.status == 200)
    }

    /// Undecodable: a wrong wire type, a missing field, one too long, none, a truncated one.
    @Test func whatIsNoMessageIsNotAnswered() {
        let name33 = "0a35 0a21" + String(repeating: "61", count: 33) + "1206aabbccddeeff 18012001 2800"
        let address7 = "0a15 0a04486f6d65 1207aabbccddeeff00 18012001 2800"
        let passphrase65 = "0a14 0a04486f6d65 1206aabbccddeeff 18012001 2804 1241" + String(repeating: "61", count: 65)
        let bodies = ["ff", "08", "00", "0801", "0a050a0341 4243", "1a", name33, address7, passphrase65]
        for body in bodies {
            var rig = SoftAPRig.open()
            #expect(rig.ask("POST", "/prov/configure", octets(body)) == [.close(SoftAPConnection(1))], "\(body)")
        }
        for count in 1..<SoftAPRig.golden.count {
            var rig = SoftAPRig.open()
            // After the network the rest is a field of its own: truncated there, the passphrase is missing.
            #expect(rig.configure(Array(SoftAPRig.golden.prefix(count))) == nil, "\(count)")
        }
    }

    @Test func aBodyHasRoomFor256Octets() {
        // 20 octets of network, 2 of an empty passphrase, and an unknown field in the rest.
        let open = octets("0a140a044f70656e1206020000000001180120012800")
        let filler: (Int) -> [UInt8] = {
            octets("7a") + [UInt8($0 & 0x7F | 0x80), UInt8($0 >> 7)] + [UInt8](repeating: 0, count: $0)
        }
        var rig = SoftAPRig.open()
        #expect(rig.configure(open + filler(SoftAPSettings.maximumBody - open.count - 3)) == 200)
        rig = SoftAPRig.open()
        #expect(rig.configure(open + filler(SoftAPSettings.maximumBody - open.count - 2)) == nil)
        #expect(rig.notices.contains(.refused(.tooLong(maximum: 256))))
    }

    /// The firmware keeps its count after a refused body.
    @Test func aRefusedBodySpoilsTheNextOne() {
        var rig = SoftAPRig.open()
        #expect(rig.configure(octets("ff")) == nil)
        #expect(rig.configure(SoftAPRig.golden) == nil)
        #expect(rig.notices.contains(.leftOver(1)))
        // A request that completes the remainder is accepted: here the second half of a body.
        rig = SoftAPRig.open()
        #expect(rig.configure(Array(SoftAPRig.golden.prefix(20))) == nil)
        #expect(rig.configure(Array(SoftAPRig.golden.dropFirst(20))) == 200)
    }

    @Test func theButtonMakesAnEndOfARefusedBody() {
        var rig = SoftAPRig.open()
        #expect(rig.configure(octets("ff")) == nil)
        rig.device.press(at: rig.now, over: &rig.station)
        _ = rig.run(for: .seconds(5))
        #expect(rig.configure(SoftAPRig.golden) == 200)
    }

    // MARK: - Connections

    @Test func aFailedConnectionStartsTheDeviceAgain() {
        var rig = SoftAPRig.open()
        rig.device.connected(SoftAPConnection(1))
        rig.device.failed(SoftAPConnection(1), "TLS", isByApp: true, at: rig.now, over: &rig.station)
        #expect(rig.actions() == [.stopListening, .silence(goodbye: false)])
        #expect(rig.notices.suffix(2) == [.connectionFailed("TLS", isByApp: true), .restarting(.connection)])
        #expect(rig.run(for: .seconds(5)) == [.listen, .announce(.accessPoint)])
    }

    @Test func aFailedConnectionDoesNothingOnceAConfigurationIsStored() {
        var rig = SoftAPRig.open()
        #expect(rig.configure(SoftAPRig.golden) == 200)
        rig.device.failed(SoftAPConnection(1), "reset", isByApp: false, at: rig.now, over: &rig.station)
        #expect(rig.actions() == [])
    }

    @Test func octetsThatAreNoRequestAreNotAnswered() {
        var rig = SoftAPRig.open()
        rig.device.malformed(SoftAPConnection(1))
        #expect(rig.actions() == [.close(SoftAPConnection(1))])
    }

    @Test func noNoticeHasThePassphrase() {
        var rig = SoftAPRig.open()
        #expect(rig.configure(SoftAPRig.golden) == 200)
        _ = rig.run(for: .seconds(3))
        for notice in rig.notices {
            #expect(!"\(notice)".contains("thingyworld"))
            #expect(!String(reflecting: notice).contains("thingyworld"))
        }
    }
}
