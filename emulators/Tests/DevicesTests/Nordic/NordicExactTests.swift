// SPDX-License-Identifier: Apache-2.0

import Devices
import NordicProvisioning
import WiFi
import WiFiStation
import TestSupport
import Testing
import Timekeeping
import WiFiTestSupport

/// The firmware, octet for octet: the rows of its request table, and the recorded vectors.
@Suite struct NordicExactTests {
    private static let provisioned = "0a064d7957694669" + "1206aabbccddeeff" + "20ff01" + "2802"

    @Test func withoutAnythingStoredAStatusIsEmpty() {
        var rig = NordicRig.connected(.exact)
        #expect(rig.write("0801") == ["< 080110005200"])
    }

    @Test func aStatusOfAStoredNetworkThatIsNotThere() {
        var rig = NordicRig.connected(.exact, WiFiSimulation(), stored: [.home])
        #expect(rig.write("0801") == ["< 0801" + "1000" + "5219" + "0800" + "5215" + Self.provisioned])
    }

    @Test func aStatusWithTheLinkUpHasTheAddress() {
        var rig = NordicRig.connected(.exact, stored: [.home])
        rig.run(.seconds(1))
        #expect(
            rig.write("0801") == [
                "< 0801" + "1000" + "5221" + "0804" + "5215" + Self.provisioned + "5a060a04c0a8002a"
            ])
    }

    /// Zephyr's `net_if_config_ipv4_get` succeeds without a lease.
    @Test func aStatusBeforeTheAddressIsConnectedWithoutOne() {
        var rig = NordicRig.connected(.exact, stored: [.home])
        // The link is up after two steps of 100 ms; the address takes one more.
        rig.run(.milliseconds(250))
        #expect(
            rig.write("0801") == ["< 0801" + "1000" + "5221" + "0804" + "5215" + Self.provisioned + "5a060a0400000000"])
    }

    /// Without DHCP the firmware stays in the network, and says so for ever.
    @Test func aStatusWithoutDHCPStaysConnected() {
        var simulation = NordicRig.simulation
        simulation.scripts[.address] = .init(failure: .address)
        var rig = NordicRig.connected(.exact, simulation, stored: [.home])
        rig.run(.seconds(60))
        #expect(
            rig.write("0801") == ["< 0801" + "1000" + "5221" + "0804" + "5215" + Self.provisioned + "5a060a0400000000"])
        rig.wifi.drop()
        rig.run(.seconds(1))
        #expect(rig.write("0801") == ["< 0801" + "1000" + "5219" + "0800" + "5215" + Self.provisioned])
    }

    @Test func aStatusOfAStationThatCannotBeAskedHasNoState() {
        var simulation = NordicRig.simulation
        simulation.scripts[.status] = .init(failure: .failed)
        var rig = NordicRig.connected(.exact, simulation, stored: [.home])
        #expect(rig.write("0801") == ["< 0801" + "1003" + "5217" + "5215" + Self.provisioned])
    }

    /// The number is Zephyr's, which denotes another security in the protocol.
    @Test(arguments: [
        (WiFiSecurity.open, "2800"), (.wpaWPA2PSK, "2801"), (.wpa2PSK, "2802"), (.wpa3PSK, "2803"),
    ])
    func aStatusSaysZephyrsNumbers(security: WiFiSecurity, field: String) {
        var network = WiFiJoin.home
        network.security = security
        network.address = nil
        var rig = NordicRig.connected(.exact, WiFiSimulation(), stored: [network])
        let shown = "0a064d7957694669" + "1206000000000000" + "20ff01" + field
        #expect(rig.write("0801") == ["< 0801" + "1000" + "5219" + "0800" + "5215" + shown])
    }

    // MARK: - Scans

    @Test(arguments: ["0802", "080252020800", "080252021800", "080252080802100118642001"])
    func aScanLeavesTheNetworkAndFindsEverything(request: String) {
        var rig = NordicRig.connected(.exact, stored: [.home])
        rig.run(.seconds(1))
        #expect(rig.write(request) == ["< 08021000"])
        #expect(rig.write("0801") == ["< 0801" + "1000" + "5219" + "0800" + "5215" + Self.provisioned])
        #expect(rig.run(.seconds(5)).count == 2, "both bands, and no end")
    }

    @Test(arguments: [(WiFiSimulation.Script.Failure.invalid, "01"), (.failed, "03")])
    func aScanThatTheDriverRefuses(failure: WiFiSimulation.Script.Failure, status: String) {
        var simulation = NordicRig.simulation
        simulation.scripts[.scan] = .init(failure: failure)
        var rig = NordicRig.connected(.exact, simulation)
        #expect(rig.write("0802") == ["< 080210" + status])
        #expect(rig.run(.seconds(5)) == [])
    }

    @Test func toStopAScanChangesNothing() {
        var rig = NordicRig.connected(.exact)
        rig.write("0802")
        #expect(rig.write("0803") == ["< 08031000"])
        #expect(rig.run(.seconds(5)).count == 2)
        #expect(rig.write("0803") == ["< 08031000"])
    }

    private struct Found: CustomTestStringConvertible {
        var network: WiFiNetwork
        var notified: String
        var testDescription: String { "\(network.name)" }

        init(
            _ name: WiFiName, _ band: WiFiBand, _ channel: UInt32, _ security: WiFiSecurity, _ rssi: Int8,
            _ notified: String
        ) {
            network = WiFiNetwork(
                name: name, address: "aa:bb:cc:dd:ee:ff", band: band, channel: channel, security: security, rssi: rssi)
            self.notified = notified
        }
    }

    private static let found: [Found] = [
        Found(
            "Home", .band2GHz, 6, .wpaWPA2PSK, -50,
            "0a210a140a04486f6d651206aabbccddeeff18012006280410ceffffffffffffffff01"),
        Found(
            "Home5", .band5GHz, 36, .wpa2PSK, -60,
            "0a220a150a05486f6d65351206aabbccddeeff18022024280310c4ffffffffffffffff01"),
        Found(
            "Open", .band2GHz, 1, .open, -10, "0a210a140a044f70656e1206aabbccddeeff18012001280010f6ffffffffffffffff01"),
        Found(
            "Sae", .band5GHz, 149, .wpa3PSK, -70,
            "0a210a140a035361651206aabbccddeeff1802209501280610baffffffffffffffff01"),
        Found(
            "Ent", .band2GHz, 11, .wpa2Enterprise, -80,
            "0a200a130a03456e741206aabbccddeeff1801200b280410b0ffffffffffffffff01"),
        Found("Wep", .band2GHz, 11, .wep, -80, "0a200a130a035765701206aabbccddeeff1801200b280410b0ffffffffffffffff01"),
        Found(
            "SixG", .band6GHz, 5, .wpa3PSK, -81,
            "0a210a140a04536978471206aabbccddeeff18002005280610afffffffffffffffff01"),
        Found("", .band2GHz, 3, .wpaWPA2PSK, -90, "0a1d0a100a001206aabbccddeeff18012003280410a6ffffffffffffffff01"),
    ]

    @Test(arguments: found) private func aNetworkIsToldLikeThis(found: Found) {
        var rig = NordicRig.connected(.exact, WiFiSimulation(accessPoints: [.init(found.network)]))
        rig.write("0802")
        #expect(rig.run(.seconds(2)) == ["> " + found.notified])
    }

    // MARK: - SET_CONFIG

    @Test func aJoinTellsAllStatesAtOnceWhenTheLinkIsUpAndStores() {
        var rig = NordicRig.connected(.exact)
        #expect(rig.write(NordicRig.configure) == ["< 08041000"])
        #expect(rig.run(.milliseconds(199)) == [])
        #expect(rig.run(.milliseconds(1)) == ["> 1001", "> 1002", "> 1003", "> 1004"])
        #expect(rig.storedNames == [["MyWiFi"]])
        // The address follows without a notification.
        #expect(rig.run(.seconds(2)) == [])
        #expect(rig.device.stored.networks.first?.security == .wpa2PSK)
        #expect(rig.device.stored.networks.first?.passphrase == "mypassword")
    }

    @Test(arguments: ["6d7970617373776f7265", "78"])
    func aFailureHasNoReason(passphrase: String) {
        var rig = NordicRig.connected(.exact)
        let count = passphrase.count / 2
        let whole = 28 + count
        let request =
            "08045a" + hex([UInt8(whole - 2)]) + "0a160a064d79576946691206aabbccddeeff180120062803"
            + "12" + hex([UInt8(count)]) + passphrase
        #expect(rig.write(request) == ["< 08041000"])
        #expect(rig.run(.seconds(5)) == ["> 1005"])
        #expect(rig.storedNames == [])
        #expect(rig.device.stored.isEmpty)
    }

    @Test func anUnknownNetworkIsTheSameFailure() {
        var rig = NordicRig.connected(.exact, WiFiSimulation())
        rig.write(NordicRig.configure)
        #expect(rig.run(.seconds(5)) == ["> 1005"])
    }

    @Test func aMissingAddressIsNoFailure() {
        var simulation = NordicRig.simulation
        simulation.scripts[.address] = .init(failure: .address)
        var rig = NordicRig.connected(.exact, simulation)
        rig.write(NordicRig.configure)
        #expect(rig.run(.seconds(5)) == ["> 1001", "> 1002", "> 1003", "> 1004"])
        #expect(rig.storedNames == [["MyWiFi"]])
    }

    @Test(arguments: [
        // Without a configuration, and without a network in it.
        ("0804", "08041001"), ("08045a00", "08041001"), ("08045a051203616263", "08041001"),
        // A network without its required fields, a field of another wire type.
        ("08045a050a030a0141", "1002"), ("08045a040a001a00", "1002"),
    ])
    func aConfigurationWithoutANetwork(request: String, answer: String) {
        var rig = NordicRig.connected(.exact)
        #expect(rig.write(request) == ["< " + answer])
        #expect(rig.run(.seconds(5)) == [])
    }

    @Test(arguments: [(WiFiSimulation.Script.Failure.invalid, "01"), (.failed, "03")])
    func aJoinThatTheDriverRefuses(failure: WiFiSimulation.Script.Failure, status: String) {
        var simulation = NordicRig.simulation
        simulation.scripts[.join] = .init(failure: failure)
        var rig = NordicRig.connected(.exact, simulation)
        #expect(rig.write(NordicRig.configure) == ["< 080410" + status])
        #expect(rig.run(.seconds(5)) == [])
    }

    @Test func aSecondNetworkIsJoinedAndNotStored() {
        var rig = NordicRig.connected(.exact, stored: [.away])
        rig.run(.seconds(1))
        rig.write(NordicRig.configure)
        #expect(rig.run(.seconds(5)) == ["> 1001", "> 1002", "> 1003", "> 1004"])
        #expect(rig.storedNames == [])
        #expect(rig.device.stored.networks.map(\.name) == ["Away"])
        #expect(rig.notices.contains(.notStored("MyWiFi")))
        // The status has the stored network, with the address of the connected one.
        #expect(
            rig.write("0801") == [
                "< 0801100052" + "1f" + "0804" + "5213" + "0a04417761791206aabbccddee01"
                    + "20ff01" + "2803" + "5a060a04c0a8002a"
            ])
    }

    @Test func theSameNetworkIsStoredInPlace() {
        var before = WiFiJoin.home
        before.passphrase = "oldpassword"
        var rig = NordicRig.connected(.exact, stored: [before])
        rig.run(.seconds(1))
        rig.write(NordicRig.configure)
        rig.run(.seconds(1))
        #expect(rig.device.stored.networks.map(\.passphrase) == ["mypassword"])
    }

    @Test func aVolatileNetworkIsInMemoryOnly() {
        var rig = NordicRig.connected(.exact)
        rig.write("08045a260a160a064d79576946691206aabbccddeeff180120062803120a6d7970617373776f72641801")
        #expect(rig.run(.seconds(1)) == ["> 1001", "> 1002", "> 1003", "> 1004"])
        #expect(rig.storedNames == [])
        #expect(rig.device.stored.isEmpty)
        #expect(
            rig.write("0801") == ["< 0801" + "1000" + "5221" + "0804" + "5215" + Self.provisioned + "5a060a04c0a8002a"])
        #expect(rig.write("0805") == ["< 08051000"])
        #expect(rig.write("0801") == ["< 080110005200"])
    }

    /// The status has the stored network rather than the volatile one.
    @Test func theStoredNetworkIsToldFirst() {
        var rig = NordicRig.connected(.exact, stored: [.away])
        rig.write("08045a260a160a064d79576946691206aabbccddeeff180120062803120a6d7970617373776f72641801")
        rig.run(.seconds(1))
        #expect(rig.device.volatileNetwork?.name == "MyWiFi")
        #expect(rig.write("0801").first?.contains("0a0441776179") == true)
    }

    @Test(arguments: [
        ("2800", WiFiSecurity.open), ("2801", .open), ("2802", .open), ("2803", .wpa2PSK), ("2804", .wpaWPA2PSK),
        ("2805", .open), ("2806", .wpa3PSK), ("2807", .open), ("2808", .open), ("2817", .open), ("", .open),
    ])
    func ofSecuritiesItKnowsThree(field: String, joined: WiFiSecurity) {
        let access = WiFiNetwork(
            name: "MyWiFi", address: "aa:bb:cc:dd:ee:ff", band: .band2GHz, channel: 6, security: joined, rssi: -50)
        var rig = NordicRig.connected(.exact, WiFiSimulation(accessPoints: [.init(access)]))
        let network = "0a064d79576946691206aabbccddeeff18012006" + field
        let count = network.count / 2
        let request =
            "08045a" + hex([UInt8(count + 14)]) + "0a" + hex([UInt8(count)]) + network
            + "120a6d7970617373776f7264"
        #expect(rig.write(request) == ["< 08041000"])
        #expect(rig.run(.seconds(1)) == ["> 1001", "> 1002", "> 1003", "> 1004"])
        #expect(rig.device.stored.networks.first?.security == joined)
    }

    @Test func anEmptyPassphraseIsThere() {
        let open = WiFiNetwork(
            name: "MyWiFi", address: "aa:bb:cc:dd:ee:ff", band: .band2GHz, channel: 6, security: .open, rssi: -50)
        var rig = NordicRig.connected(.exact, WiFiSimulation(accessPoints: [.init(open)]))
        #expect(rig.write("08045a1c0a160a064d79576946691206aabbccddeeff18012006280012001800") == ["< 08041000"])
        #expect(rig.run(.seconds(1)) == ["> 1001", "> 1002", "> 1003", "> 1004"])
    }

    /// 5 GHz if the client requests it; otherwise 2.4 GHz. The channel is ignored.
    @Test(arguments: [("1801", true), ("1800", true), ("", true), ("1807", true), ("1802", false)])
    func theBandIsOneOfTwo(field: String, isTwo: Bool) {
        for band in [WiFiBand.band2GHz, .band5GHz] {
            let access = WiFiNetwork(
                name: "MyWiFi", address: "aa:bb:cc:dd:ee:ff", band: band, channel: 6, security: .open, rssi: -50)
            var rig = NordicRig.connected(.exact, WiFiSimulation(accessPoints: [.init(access)]))
            let network = "0a064d79576946691206aabbccddeeff" + field + "200b2800"
            let count = network.count / 2
            rig.write("08045a" + hex([UInt8(count + 2)]) + "0a" + hex([UInt8(count)]) + network)
            let isJoined = isTwo == (band == .band2GHz)
            #expect(rig.run(.seconds(1)).last == (isJoined ? "> 1004" : "> 1005"))
        }
    }

    // MARK: - FORGET_CONFIG

    @Test func toForgetLeavesDeletesAndSaysNothing() {
        var rig = NordicRig.connected(.exact, stored: [.home])
        rig.run(.seconds(1))
        #expect(rig.write("0805") == ["< 08051000"])
        #expect(rig.storedNames == [[]])
        #expect(rig.write("0801") == ["< 080110005200"])
        #expect(rig.run(.seconds(10)) == [])
    }

    @Test func aDeviceThatCannotLeaveForgetsNothing() {
        var simulation = NordicRig.simulation
        simulation.scripts[.leave] = .init(failure: .failed)
        var rig = NordicRig.connected(.exact, simulation, stored: [.home])
        #expect(rig.write("0805") == ["< 08051003"])
        #expect(rig.device.stored.networks.map(\.name) == ["MyWiFi"])
    }

    /// A network that was due to be stored is stored again when the next link comes up.
    @Test func whatItForgotComesBack() {
        var rig = NordicRig.connected(.exact)
        rig.write(NordicRig.configure)
        rig.run(.seconds(1))
        rig.write("0805")
        #expect(rig.device.stored.isEmpty)
        // Another cause than a phone's request makes the station join.
        try? rig.wifi.join(WiFiJoin.away.anywhere, at: rig.now)
        #expect(rig.run(.seconds(1)) == ["> 1001", "> 1002", "> 1003", "> 1004"])
        #expect(rig.device.stored.networks.map(\.name) == ["MyWiFi"])
    }

    // MARK: - What is no request

    @Test(arguments: ["", "0800", "0806", "08c801", "5200", "7801"])
    func anUnknownOperationIsNotEchoed(request: String) {
        var rig = NordicRig.connected(.exact)
        #expect(rig.write(request) == ["< 1001"])
    }

    @Test(arguments: [
        "0a0101", "ff", "08", "00", "0801ff", "080152", "08015201", "0802520208", "0d01", "08ffffffffffffffffff01",
        "0b", "0801520110", "080152030a0100",
    ])
    func whatCannotBeDecodedIsNotEchoed(request: String) {
        var rig = NordicRig.connected(.exact)
        #expect(rig.write(request) == ["< 1002"])
    }

    @Test func tooLongFieldsCannotBeDecoded() {
        for (name, address, passphrase) in [(33, 6, 10), (6, 7, 10), (6, 6, 65)] {
            var network: [UInt8] = [0x0A, UInt8(name)] + [UInt8](repeating: 0x41, count: name)
            network += [0x12, UInt8(address)] + [UInt8](repeating: 0x01, count: address) + [0x20, 0x06]
            var configuration: [UInt8] = [0x0A, UInt8(network.count)] + network
            configuration += [0x12, UInt8(passphrase)] + [UInt8](repeating: 0x61, count: passphrase)
            var rig = NordicRig.connected(.exact)
            #expect(rig.write("08045a" + hex([UInt8(configuration.count)] + configuration)) == ["< 1002"])
        }
    }

    @Test func unknownFieldsAndRepeatedOnesAreFine() {
        var rig = NordicRig.connected(.exact)
        #expect(rig.write("08017801") == ["< 080110005200"])
        #expect(rig.write("08020801") == ["< 080110005200"])
    }

    // MARK: - States that nobody asked for

    @Test func theAutomaticJoinIsToldToo() {
        var rig = NordicRig.connected(.exact, stored: [.home])
        rig.write("0803")
        #expect(rig.run(.seconds(1)) == ["> 1001", "> 1002", "> 1003", "> 1004"])
        // Nothing is due to be stored: the stored network is kept.
        #expect(rig.storedNames == [])
    }

    @Test func nobodyIsToldBeforeTheFirstWriteAndTheLastWriterIs() {
        var rig = NordicRig.connected(.exact, stored: [.home])
        #expect(rig.run(.seconds(1)) == [])
        rig.connect(NordicRig.other)
        rig.write("0803")
        rig.write("0803", from: NordicRig.other)
        rig.write("0802", from: NordicRig.other)
        rig.run(.seconds(1))
        for action in rig.actions {
            if case .send(let message) = action { #expect(message.link == NordicRig.other) }
        }
        #expect(rig.sent.count == 2)
        rig.disconnect(NordicRig.other)
        try? rig.wifi.join(WiFiJoin.home.anywhere, at: rig.now)
        #expect(rig.run(.seconds(1)) == [])
    }

    @Test func aLossIsNotTold() {
        var rig = NordicRig.connected(.exact, stored: [.home])
        rig.run(.seconds(1))
        rig.write("0803")
        rig.wifi.drop()
        #expect(rig.run(.seconds(600)) == [])
        #expect(rig.write("0801").first?.contains("0800") == true)
    }
}
