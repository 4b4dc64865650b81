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

/// The profile `gateway`: the rows of the firmware's table where it differs, and its additions.
@Suite struct NordicGatewayTests {
    private static let home = "0a064d7957694669" + "1206aabbccddeeff" + "1801" + "2006" + "2803"

    /// SET_CONFIG of the other network, in 5 GHz with WPA3.
    private static func configureAway(_ passphrase: String = "656c73657768657265") -> String {
        let network = "0a0441776179" + "1206aabbccddee01" + "1802" + "2024" + "2806"
        let count = passphrase.count / 2
        let configuration = "0a14" + network + "12" + hex([UInt8(count)]) + passphrase + "1800"
        return "08045a" + hex([UInt8(configuration.count / 2)]) + configuration
    }

    private static func joined() -> NordicRig {
        var rig = NordicRig.connected(.gateway)
        rig.write(NordicRig.configure)
        rig.run(.seconds(1))
        return rig
    }

    // MARK: - GET_STATUS

    @Test func aStatusAlwaysHasAState() {
        var rig = NordicRig.connected(.gateway)
        #expect(rig.write("0801") == ["< 0801" + "1000" + "52020800"])
    }

    @Test func aStatusFollowsTheJoin() {
        var rig = NordicRig.connected(.gateway)
        rig.write(NordicRig.configure)
        // A network that is being tried is not stored yet.
        #expect(rig.write("0801") == ["< 0801" + "1000" + "52020801"])
        rig.run(.milliseconds(100))
        #expect(rig.write("0801") == ["< 0801" + "1000" + "52020802"])
        rig.run(.milliseconds(100))
        #expect(rig.write("0801") == ["< 0801" + "1000" + "52020803"])
        rig.run(.milliseconds(100))
        #expect(
            rig.write("0801") == [
                "< 0801" + "1000" + "5222" + "0804" + "5216" + Self.home + "5a060a04c0a8002a"
            ])
    }

    @Test func aStoredNetworkThatIsNotThereIsShownAsItWasChosen() {
        var stored = WiFiJoin.home
        stored.channel = 11
        var rig = NordicRig.connected(.gateway, WiFiSimulation(), stored: [stored])
        rig.run(.seconds(1))
        let shown = "0a064d7957694669" + "1206aabbccddeeff" + "1801" + "200b" + "2803"
        #expect(rig.write("0801") == ["< 0801" + "1000" + "521a" + "0800" + "5216" + shown])
        stored.address = nil
        stored.channel = nil
        stored.band = nil
        rig = NordicRig.connected(.gateway, WiFiSimulation(), stored: [stored])
        rig.run(.seconds(1))
        // Six octets of address, since the app for iOS crashes otherwise; no band instead of "any"; 255 is any channel.
        let bare = "0a064d7957694669" + "1206000000000000" + "20ff01" + "2803"
        #expect(rig.write("0801") == ["< 0801" + "1000" + "5219" + "0800" + "5215" + bare])
    }

    @Test func aStationThatCannotBeAskedIsAnError() {
        var simulation = NordicRig.simulation
        simulation.scripts[.status] = .init(failure: .failed)
        var rig = NordicRig.connected(.gateway, simulation)
        #expect(rig.write("0801") == ["< 0801" + "1003" + "5200"])
    }

    @Test(arguments: [
        (WiFiSecurity.open, "00"), (.wep, "01"), (.wpaPSK, "02"), (.wpa2PSK, "03"), (.wpaWPA2PSK, "04"),
        (.wpa2Enterprise, "05"), (.wpa3PSK, "06"),
    ])
    func securitiesHaveTheirOwnNumbers(security: WiFiSecurity, number: String) {
        var network = NordicRig.home
        network.security = security
        var rig = NordicRig.connected(.gateway, WiFiSimulation(accessPoints: [.init(network)]))
        rig.write("0802")
        let told = "0a064d7957694669" + "1206aabbccddeeff" + "1801" + "2006" + "28" + number
        #expect(rig.run(.seconds(1)) == ["> 0a23" + "0a16" + told + "10ceffffffffffffffff01"])
        var stored = WiFiJoin.home
        stored.security = security
        rig = NordicRig.connected(.gateway, WiFiSimulation(), stored: [stored])
        rig.run(.seconds(1))
        #expect(rig.write("0801").first?.hasSuffix("28" + number) == true)
    }

    /// A status too long for the link is shortened to its presence; nothing else has a shorter form.
    @Test func aStatusHasAShorterForm() {
        var rig = Self.joined()
        rig.write("0801")
        rig.write("0802")
        for action in rig.actions {
            if case .send(let message) = action { #expect(message.shorter == nil) }
        }
        rig.write("0801")
        guard case .send(let message)? = rig.actions.first else {
            Issue.record("nothing was sent")
            return
        }
        #expect(message.shorter.map(hex) == "08011003")
    }

    // MARK: - Scans

    /// Band and period: the status contains the scan's parameters with all four fields, and the remaining period.
    @Test func aScanIsAsItWasAskedForAndItsEndCanBeSeen() {
        var rig = Self.joined()
        #expect(rig.write("080252090801100118e8072003") == ["< 08021000"])
        // It stays connected to its network meanwhile.
        let status = "0804" + "5216" + Self.home + "5a060a04c0a8002a"
        #expect(
            rig.write("0801") == ["< 0801" + "1000" + "522d" + status + "6209" + "0801" + "1001" + "18e807" + "2003"])
        rig.run(.milliseconds(900))
        #expect(rig.write("0801") == ["< 0801" + "1000" + "5222" + status], "one network in 2.4 GHz, and then the end")
        rig.write("0802520208021805")
        #expect(rig.write("0802" + "5205" + "0802" + "18904e") == ["< 08021000"])
        #expect(rig.write("0801").first?.hasSuffix("6209" + "0802" + "1000" + "18904e" + "2000") == true)
    }

    @Test func aScanWithoutWordsHasNoLimit() {
        var rig = NordicRig.connected(.gateway)
        rig.write("0802")
        #expect(rig.write("0801") == ["< 0801" + "1000" + "520c" + "0800" + "6208" + "0800" + "1000" + "1800" + "2000"])
        #expect(rig.run(.seconds(2)).count == 2)
        #expect(rig.write("0801") == ["< 0801" + "1000" + "52020800"])
    }

    @Test func toStopAScanStopsIt() {
        var rig = NordicRig.connected(.gateway)
        rig.write("0802")
        #expect(rig.run(.milliseconds(210)).count == 1)
        #expect(rig.write("0803") == ["< 08031000"])
        #expect(rig.run(.seconds(5)) == [])
    }

    @Test func aScanEndsWithItsClient() {
        var rig = NordicRig.connected(.gateway)
        rig.write("0802")
        rig.disconnect()
        rig.connect(NordicRig.other)
        #expect(rig.run(.seconds(5)) == [])
        #expect(rig.write("0801", from: NordicRig.other) == ["< 0801" + "1000" + "52020800"])
    }

    @Test(arguments: [(WiFiSimulation.Script.Failure.invalid, "01"), (.failed, "03")])
    func aScanThatIsRefusedIsNone(failure: WiFiSimulation.Script.Failure, status: String) {
        var simulation = NordicRig.simulation
        simulation.scripts[.scan] = .init(failure: failure)
        var rig = NordicRig.connected(.gateway, simulation)
        #expect(rig.write("0802") == ["< 080210" + status])
        #expect(rig.write("0801") == ["< 0801" + "1000" + "52020800"])
    }

    /// A name that is not text crashes the app for iOS, and so does "any band".
    @Test func nothingIsFoundThatCrashesAnApp() {
        var networks: [WiFiNetwork] = []
        for octets in [[0xFF], [0xC3, 0x28], [0x41, 0xED, 0xA0, 0x80]] as [[UInt8]] {
            var network = NordicRig.home
            if let name = WiFiName(octets) { network.name = name }
            networks.append(network)
        }
        var six = NordicRig.home
        six.band = .band6GHz
        networks.append(six)
        var rig = NordicRig.connected(.gateway, WiFiSimulation(accessPoints: networks.map { .init($0) }))
        rig.write("0802")
        let told = "0a064d7957694669" + "1206aabbccddeeff" + "2006" + "2803"
        #expect(rig.run(.seconds(2)) == ["> 0a21" + "0a14" + told + "10ceffffffffffffffff01"])
        #expect(rig.notices.filter { if case .recordLeftOut = $0 { true } else { false } }.count == 3)
    }

    @Test func aStoredNameThatIsNoTextIsShownAsOne() throws {
        var stored = WiFiJoin.home
        stored.name = try #require(WiFiName([UInt8](repeating: 0xFF, count: 31) + [0x41]))
        var rig = NordicRig.connected(.gateway, WiFiSimulation(), stored: [stored])
        rig.run(.seconds(1))
        // Ten times U+FFFD: the eleventh does not fit in 32 octets.
        let answer = rig.write("0801").first
        #expect(answer?.contains("0a1e" + String(repeating: "efbfbd", count: 10) + "1206") == true)
    }

    /// The app for Android cannot handle a state during a scan.
    @Test func statesAreNotToldDuringAScan() {
        var rig = NordicRig.connected(.gateway, stored: [.home])
        rig.run(.seconds(1))
        rig.write("0802")
        rig.run(.seconds(2))
        rig.wifi.drop()
        #expect(rig.run(.seconds(5)) == [], "lost, joined again, and the app still shows its list")
        rig.write("0803")
        rig.wifi.drop()
        #expect(rig.run(.seconds(5)) == ["> 1000", "> 1004"])
    }

    /// A refused request changes nothing: the app still shows its list.
    @Test func aRefusalDoesNotEndAScan() {
        for (step, request, answer) in [
            (WiFiSimulation.Step.join, NordicRig.configure, "08041003"), (.leave, "0805", "08051003"),
        ] {
            var rig = Self.joined()
            rig.wifi.simulation.scripts[step] = .init(failure: .failed)
            rig.write("0802")
            #expect(rig.write(request) == ["< " + answer])
            rig.wifi.drop()
            #expect(rig.run(.seconds(2)).allSatisfy { $0.hasPrefix("> 0a") }, "networks, and no state")
            #expect(rig.sent.count == 2)
        }
        // An accepted request ends the scan, and the following values are states.
        var rig = Self.joined()
        rig.write("0802")
        rig.write(NordicRig.configure)
        #expect(rig.run(.seconds(2)) == ["> 1002", "> 1003", "> 1004"])
    }

    // MARK: - SET_CONFIG

    @Test func statesAreToldAsTheyCome() {
        var rig = NordicRig.connected(.gateway)
        #expect(rig.write(NordicRig.configure) == ["< 08041000", "> 1001"])
        #expect(rig.run(.milliseconds(100)) == ["> 1002"])
        #expect(rig.run(.milliseconds(100)) == ["> 1003"])
        #expect(rig.storedNames == [])
        #expect(rig.run(.milliseconds(100)) == ["> 1004"])
        #expect(rig.storedNames == [["MyWiFi"]])
    }

    @Test(arguments: [
        (WiFiJoinFailure.authentication, "00"), (.networkNotFound, "01"), (.timeout, "02"), (.address, "03"),
        (.other, "04"),
    ])
    func aFailureHasItsReason(failure: WiFiJoinFailure, reason: String) {
        var simulation = NordicRig.simulation
        simulation.accessPoints[0].failure = failure
        var rig = NordicRig.connected(.gateway, simulation)
        rig.write(NordicRig.configure)
        #expect(rig.run(.seconds(5)).last == "> 100518" + reason)
        #expect(rig.device.stored.isEmpty)
    }

    @Test(arguments: [
        "0804", "08045a00", "08045a051203616263",
        // No name; an unknown security; a security that it does not support; a passphrase too short for WPA.
        "08045a0a0a080a00120020062800",
        "08045a220a160a064d79576946691206aabbccddeeff180120062863" + "1208" + "7061737377307264",
        "08045a1a0a160a064d79576946691206aabbccddeeff180120062805" + "1200",
        "08045a210a160a064d79576946691206aabbccddeeff180120062803" + "1207" + "70617373773072",
        "08045a1a0a160a064d79576946691206aabbccddeeff180120062803" + "1200",
        "08045a1a0a160a064d79576946691206aabbccddeeff180120062806" + "1200",
    ])
    func whatNoNetworkCanBeIsRefused(request: String) {
        var rig = NordicRig.connected(.gateway)
        #expect(rig.write(request) == ["< 08041001"])
        #expect(rig.run(.seconds(2)) == [])
    }

    /// Channel, band and address restrict the join to the app's values; without them any matches.
    @Test(arguments: [
        ("1206aabbccddeeff" + "1801" + "2006", true), ("1206aabbccddee00" + "1801" + "2006", false),
        ("1206aabbccddeeff" + "1802" + "2006", false), ("1206aabbccddeeff" + "1801" + "200b", false),
        ("1200" + "1800" + "2000", true), ("1200" + "20ff01", true),
        // Zeros are what a status shows for an unknown access point.
        ("1206000000000000" + "1801" + "2006", true),
    ])
    func anAccessPointIsTheOneThatIsMeant(fields: String, isJoined: Bool) {
        var rig = NordicRig.connected(.gateway)
        let network = "0a064d7957694669" + fields + "2803"
        let passphrase = "120a6d7970617373776f7264"
        let configuration = "0a" + hex([UInt8(network.count / 2)]) + network + passphrase
        rig.write("08045a" + hex([UInt8(configuration.count / 2)]) + configuration)
        #expect(rig.run(.seconds(2)).last == (isJoined ? "> 1004" : "> 10051801"))
        // With "any channel" the channel is ignored.
        if fields.hasSuffix("200b") {
            rig.write("08045a" + hex([UInt8(configuration.count / 2 + 2)]) + configuration + "2001")
            #expect(rig.run(.seconds(2)).last == "> 1004")
        }
    }

    @Test(
        arguments: [
            (nil, true, WiFiSecurity.wpaWPA2PSK), (nil, false, .open), (NordicSecurity.open, true, .open),
            (.unprotected, false, .open), (.passphrase, true, .wpaWPA2PSK), (.passphraseSha256, true, .wpa2PSK),
            (.sae, true, .wpa3PSK), (NordicSecurity(rawValue: 19), true, nil),
        ] as [(NordicSecurity?, Bool, WiFiSecurity?)])
    func securitiesThatAreMeant(security: NordicSecurity?, hasPassphrase: Bool, meant: WiFiSecurity?) {
        #expect(WiFiSecurity(security, hasPassphrase: hasPassphrase) == meant)
    }

    @Test func aNewNetworkThatFailsLeavesTheOldOne() {
        var rig = Self.joined()
        rig.notices.removeAll()
        #expect(rig.write(Self.configureAway("7772306e67")) == ["< 08041000", "> 1001"])
        // WPA3 detects it during authentication.
        #expect(rig.run(.milliseconds(100)) == ["> 10051800"])
        #expect(rig.run(.seconds(5)) == [], "what follows a failure is not told: the app would take it for a success")
        #expect(rig.notices.contains(.joining("MyWiFi", .rollBack)))
        #expect(rig.write("0801").first?.contains("0804" + "5216" + Self.home) == true)
        #expect(rig.device.stored.networks.map(\.name) == ["MyWiFi"])
        #expect(rig.storedNames == [])
    }

    @Test func theSameNetworkWithAWrongPassphraseLeavesTheRightOne() {
        var rig = Self.joined()
        rig.write(
            "08045a260a160a064d79576946691206aabbccddeeff180120062803120a6d7970617373776f72001800")
        #expect(rig.run(.seconds(5)).suffix(1) == ["> 10051800"])
        #expect(rig.device.stored.networks.map(\.passphrase) == ["mypassword"])
        #expect(rig.write("0801").first?.contains("0804") == true)
    }

    @Test func aVolatileNetworkIsGoneBackToAsWell() {
        var rig = NordicRig.connected(.gateway)
        rig.write("08045a260a160a064d79576946691206aabbccddeeff180120062803120a6d7970617373776f72641801")
        rig.run(.seconds(1))
        #expect(rig.device.stored.isEmpty)
        rig.write(Self.configureAway("7772306e67"))
        rig.run(.seconds(5))
        #expect(rig.write("0801").first?.contains("0804" + "5216" + Self.home) == true)
        #expect(rig.storedNames == [])
    }

    @Test func aRequestWhileAnotherIsTriedTakesItsPlace() {
        var rig = Self.joined()
        rig.write(Self.configureAway("7772306e67"))
        #expect(rig.write(Self.configureAway("7772306e67")) == ["< 08041000", "> 1001"])
        #expect(rig.run(.milliseconds(100)) == ["> 10051800"])
        rig.run(.seconds(5))
        #expect(rig.write("0801").first?.contains("0804" + "5216" + Self.home) == true)
    }

    @Test(arguments: [(WiFiSimulation.Script.Failure.invalid, "01"), (.failed, "03")])
    func aJoinThatIsRefusedChangesNothing(failure: WiFiSimulation.Script.Failure, status: String) {
        var rig = Self.joined()
        rig.wifi.simulation.scripts[.join] = .init(failure: failure)
        #expect(rig.write(Self.configureAway()) == ["< 080410" + status])
        #expect(rig.run(.seconds(5)) == [])
        #expect(rig.write("0801").first?.contains("0804" + "5216" + Self.home) == true)
    }

    // MARK: - Several networks

    @Test func networksAreKeptLastJoinedFirst() {
        var rig = Self.joined()
        rig.write(Self.configureAway())
        #expect(rig.run(.seconds(1)).last == "> 1004")
        #expect(rig.device.stored.networks.map(\.name) == ["Away", "MyWiFi"])
        rig.write(NordicRig.configure)
        rig.run(.seconds(1))
        #expect(rig.device.stored.networks.map(\.name) == ["MyWiFi", "Away"])
    }

    @Test func theOldestOneMakesRoom() {
        var rig = NordicRig(.gateway, stored: [.away]) { $0.capacity = 1 }
        rig.start()
        rig.connect()
        rig.write(NordicRig.configure)
        rig.run(.seconds(1))
        #expect(rig.device.stored.networks.map(\.name) == ["MyWiFi"])
    }

    @Test func atStartTheyAreTriedInTurnAndAgain() {
        var far = WiFiJoin.away
        far.name = "Far"
        var rig = NordicRig(.gateway, stored: [far, .home])
        rig.start()
        rig.run(.seconds(2))
        #expect(
            rig.notices.prefix(4) == [
                .joining("Far", .stored), .joinFailed("Far", .networkNotFound), .joining("MyWiFi", .stored),
                .joined("MyWiFi", WiFiSimulation.usualIPv4),
            ])
        #expect(rig.device.stored.networks.map(\.name) == ["MyWiFi", "Far"])

        var alone = NordicRig(.gateway, WiFiSimulation(), stored: [.home])
        alone.start()
        var tries: [Int64] = []
        for second in 0..<120 {
            let before = alone.notices.count
            alone.run(.seconds(1))
            if alone.notices[before...].contains(.joining("MyWiFi", .stored)) { tries.append(Int64(second)) }
        }
        // 0.1 s each, then pauses of 10, 20, 40 … s.
        #expect(tries == [10, 30, 70])
        alone.wifi.simulation = NordicRig.simulation
        alone.run(.seconds(80))
        #expect(alone.notices.contains(.joined("MyWiFi", WiFiSimulation.usualIPv4)))
    }

    @Test func theWaitHasAnEnd() {
        var rig = NordicRig(.gateway, WiFiSimulation(), stored: [.home])
        rig.start()
        rig.run(.seconds(3600))
        let before = rig.notices.count
        rig.run(.seconds(301))
        #expect(rig.notices.count > before)
    }

    @Test func aLossIsToldAndItsEndToo() {
        var rig = Self.joined()
        rig.wifi.drop()
        #expect(rig.run(.milliseconds(500)) == ["> 1000"])
        #expect(rig.run(.seconds(2)) == ["> 1004"])
    }

    @Test func theAutomaticJoinIsNotTold() {
        var rig = NordicRig.connected(.gateway, stored: [.home])
        rig.write("0803")
        #expect(rig.run(.seconds(5)) == [])
        #expect(rig.write("0801").first?.contains("0804") == true)
    }

    // MARK: - FORGET_CONFIG

    @Test func toForgetIsToldAndNothingComesBack() {
        var rig = Self.joined()
        #expect(rig.write("0805") == ["< 08051000", "> 1000"])
        #expect(rig.storedNames == [[]])
        #expect(rig.run(.seconds(600)) == [])
        #expect(rig.write("0801") == ["< 0801" + "1000" + "52020800"])
        #expect(rig.write("0805") == ["< 08051000"], "it was in no network")
    }

    @Test func aDeviceThatCannotLeaveForgetsNothing() {
        var rig = Self.joined()
        rig.wifi.simulation.scripts[.leave] = .init(failure: .failed)
        #expect(rig.write("0805") == ["< 08051003"])
        #expect(rig.device.stored.networks.map(\.name) == ["MyWiFi"])
    }

    // MARK: - What is no request

    @Test(arguments: [
        ("", "08001001"), ("0800", "08001001"), ("0806", "08061001"), ("08c801", "08c8011001"),
        ("08ffffffff0f", "08ffffffff0f1001"),
        ("0a0101", "08001002"), ("ff", "08001002"), ("08", "08001002"), ("00", "08001002"),
        ("0801ff", "08011002"), ("08045a050a030a0141", "08041002"), ("0803080452ff", "08041002"),
    ])
    func everyErrorSaysToWhat(request: String, answer: String) {
        var rig = NordicRig.connected(.gateway)
        #expect(rig.write(request) == ["< " + answer])
    }
}
