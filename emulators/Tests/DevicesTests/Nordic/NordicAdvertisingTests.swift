// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Devices
import NordicProvisioning
import WiFi
import WiFiStation
import TestSupport
import Testing
import Timekeeping
import WiFiTestSupport

@Suite struct NordicAdvertisingTests {
    private static let data = "020106110758b29cc8812877b8e7490c130078381409095056314132423343"
    private static let scanned = "152158b29cc8812877b8e7490c1300783814"
    private static let fast = Duration.milliseconds(100)
    private static let slow = Duration.seconds(1)

    private static func shown(_ rig: NordicRig) -> [String] {
        rig.advertised.map { $0.map { String(hex($0.scanResponse).dropFirst(36)) } ?? "off" }
    }

    /// The octets of the published facts, with the name from the Wi-Fi address 02:00:00:1a:2b:3c.
    @Test func thePackets() throws {
        var rig = NordicRig(.exact)
        rig.start()
        let first = try #require(rig.advertised.first ?? nil)
        #expect(hex(first.data) == Self.data)
        #expect(hex(first.scanResponse) == Self.scanned + "00000000")
        #expect(first.interval == Self.fast)
        #expect(first.data.count == 31)
        #expect(first.scanResponse.count == 22)
    }

    @Test(arguments: [
        ("Attic", "0609" + "4174746963"), ("Kitchens", "0909" + "4b69746368656e73"),
        ("Living room", "0908" + "4c6976696e672072"), ("Küchenbau", "0908" + "4bc3bc6368656e62"),
    ])
    func aNameOfItsOwn(name: String, structure: String) throws {
        var rig = NordicRig(.exact) { $0.name = name }
        rig.start()
        let first = try #require(rig.advertised.first ?? nil)
        #expect(hex(first.data) == "020106110758b29cc8812877b8e7490c1300783814" + structure)
    }

    @Test func theNameOfADeviceWithoutAnAddress() {
        #expect(NordicProvisioning.usualName(WiFiAddress(0, 0, 0, 0, 0, 0)) == "PV000000")
        #expect(NordicProvisioning.usualName(WiFiAddress(1, 2, 3, 0xA, 0xBC, 0xDE)) == "PV0ABCDE")
    }

    // MARK: - The firmware

    @Test func theFirmwareLooksEveryFiveSeconds() {
        var rig = NordicRig(.exact)
        rig.start()
        #expect(Self.shown(rig) == ["00000000"])
        rig.run(.milliseconds(4999))
        #expect(Self.shown(rig) == [])
        rig.run(.milliseconds(1))
        #expect(Self.shown(rig) == ["02000080"])
        rig.run(.seconds(60))
        #expect(Self.shown(rig) == [], "nothing has changed")
    }

    @Test func theFirmwareStaysFastUntilTheFirstLinkEnds() {
        var rig = NordicRig(.exact, stored: [.home])
        rig.start()
        rig.run(.seconds(5))
        #expect(Self.shown(rig) == ["020300ce"])
        #expect(rig.advertised.map { $0?.interval } == [Self.fast])
        rig.connect()
        #expect(Self.shown(rig).last == "off")
        rig.actions.removeAll()
        rig.wifi.drop()
        rig.run(.seconds(60))
        #expect(Self.shown(rig) == [], "a phone is connected")
        rig.disconnect()
        #expect(Self.shown(rig) == [])
        rig.run(.milliseconds(999))
        #expect(Self.shown(rig) == [])
        rig.run(.milliseconds(1))
        #expect(Self.shown(rig) == ["02010080"])
        #expect(rig.advertised.map { $0?.interval } == [Self.slow])
    }

    /// The state at the end of the link is advertised one second later, and unchanged for four more.
    @Test func theFirmwareLooksAtTheEndOfTheLink() {
        var rig = NordicRig.connected(.exact)
        rig.write(NordicRig.configure)
        rig.run(.seconds(1))
        rig.actions.removeAll()
        rig.disconnect()
        rig.wifi.drop()
        rig.run(.seconds(1))
        #expect(Self.shown(rig) == ["020300ce"])
        rig.run(.milliseconds(3999))
        #expect(Self.shown(rig) == [])
        rig.run(.milliseconds(1))
        #expect(Self.shown(rig) == ["02010080"])
    }

    @Test func aLinkThatComesBeforeTheRestartEndsIt() {
        var rig = NordicRig.connected(.exact)
        rig.disconnect()
        rig.run(.milliseconds(500))
        rig.connect(NordicRig.other)
        rig.actions.removeAll()
        rig.run(.seconds(10))
        #expect(Self.shown(rig) == [])
        rig.disconnect(NordicRig.other)
        rig.run(.seconds(1))
        #expect(Self.shown(rig) == ["02000080"])
    }

    @Test func theFlagsMayStandTwice() {
        for profile in NordicProfile.allCases {
            var rig = NordicRig(profile, stored: [.home]) { $0.repeatsFlags = true }
            rig.start()
            rig.actions.removeAll()
            rig.run(.seconds(5))
            #expect(Self.shown(rig).last == "020303ce")
        }
    }

    @Test func anOldVersion() {
        var rig = NordicRig(.exact) { $0.version = 1 }
        rig.start()
        rig.run(.seconds(5))
        #expect(Self.shown(rig) == ["01000080"])
        #expect(rig.device.readInformation(from: NordicRig.phone) == [0x08, 0x01])
    }

    // MARK: - The gateway

    @Test func theGatewayShowsAtOnceWhatIsSo() {
        var rig = NordicRig(.gateway, stored: [.home])
        rig.start()
        #expect(Self.shown(rig) == ["02010080"])
        #expect(rig.advertised.map { $0?.interval } == [Self.slow])
        rig.run(.milliseconds(200))
        #expect(Self.shown(rig) == ["020300ce"], "the link is up")
        rig.connect()
        rig.write("0805")
        #expect(Self.shown(rig) == ["02000080"], "also while a phone is connected")
        #expect(rig.advertised.map { $0?.interval } == [Self.fast])
    }

    /// Only the RSSI is sampled at the interval.
    @Test func theGatewayLooksAtTheSignalEveryFiveSeconds() {
        var rig = NordicRig(.gateway, stored: [.home])
        rig.start()
        rig.run(.seconds(1))
        rig.wifi = SimulatedWiFi(
            WiFiSimulation(accessPoints: [
                .init(
                    WiFiNetwork(
                        name: "MyWiFi", address: "aa:bb:cc:dd:ee:ff", band: .band2GHz, channel: 6, security: .wpa2PSK,
                        rssi: -80))
            ]))
        try? rig.wifi.join(WiFiJoin.home.anywhere, at: rig.now + .seconds(-1))
        rig.run(.seconds(3))
        #expect(Self.shown(rig) == [])
        rig.run(.seconds(2))
        #expect(Self.shown(rig) == ["020300b0"])
    }

    @Test func aPairingThatFailsEndsTheLink() {
        for profile in NordicProfile.allCases {
            var rig = NordicRig.connected(profile)
            rig.actions.removeAll()
            rig.device.pairingFailed(NordicRig.phone)
            rig.collect()
            #expect(rig.actions == [.disconnect(NordicRig.phone, .authenticationFailure)])
        }
    }
}
