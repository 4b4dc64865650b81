// SPDX-License-Identifier: Apache-2.0

import Crypto
import Devices
import WiFi
import WiFiStation
import TestSupport
import Testing
import Timekeeping
import WiFiTestSupport

@Suite struct SimulatedWiFiTests {
    private static let home = WiFiNetwork(
        name: "Home", address: "aa:bb:cc:dd:ee:ff", band: .band2GHz, channel: 6,
        security: .wpaWPA2PSK, rssi: -50)
    private static let address = WiFiSimulation.usualIPv4

    private static func at(_ milliseconds: Int64) -> Instant { .origin + .milliseconds(milliseconds) }

    private static func simulation(
        _ change: (inout WiFiSimulation) -> Void = { _ in }
    ) -> WiFiSimulation {
        var result = WiFiSimulation(accessPoints: [.init(home, passphrase: "correct horse")])
        change(&result)
        return result
    }

    private static func join(
        _ passphrase: WiFiPassphrase = "correct horse", name: WiFiName = "Home", security: WiFiSecurity = .wpaWPA2PSK
    ) -> WiFiJoin {
        WiFiJoin(name: name, security: security, passphrase: passphrase)
    }

    /// All events until none is due, each with its time in ms.
    private static func run(_ station: inout SimulatedWiFi) -> [(Int64, WiFiEvent)] {
        var result: [(Int64, WiFiEvent)] = []
        var now = Instant.origin
        while true {
            result += all { station.nextEvent() }.map { (now.nanoseconds / 1_000_000, $0) }
            guard let deadline = station.deadline else { return result }
            now = deadline
            station.advance(to: now)
        }
    }

    private static func events(_ simulation: WiFiSimulation, _ join: WiFiJoin) throws -> [WiFiEvent] {
        var station = SimulatedWiFi(simulation)
        try station.join(join, at: .origin)
        return run(&station).map(\.1)
    }

    @Test func joinsStepByStep() throws {
        var station = SimulatedWiFi(Self.simulation())
        try station.join(Self.join(), at: .origin)
        #expect(try station.status().state == .joining(.authentication))
        let happened = Self.run(&station)
        #expect(happened.map(\.0) == [0, 100, 200, 300])
        #expect(
            happened.map(\.1) == [
                .joining(.authentication), .joining(.association), .joining(.obtainingAddress),
                .joined(Self.home, Self.address),
            ])
        #expect(try station.status() == WiFiStatus(state: .connected, network: Self.home, ipv4: Self.address))
    }

    @Test func aWrongPassphraseShowsInTheHandshakeAndWithSAEInTheAuthentication() throws {
        #expect(
            try Self.events(Self.simulation(), Self.join("wrong horse!")) == [
                .joining(.authentication), .joining(.association), .joinFailed(.authentication),
            ])
        var sae = Self.home
        sae.security = .wpa3PSK
        let simulation = WiFiSimulation(accessPoints: [.init(sae, passphrase: "correct horse")])
        #expect(
            try Self.events(simulation, Self.join("wrong horse!", security: .wpa3PSK)) == [
                .joining(.authentication), .joinFailed(.authentication),
            ])
    }

    @Test func whatIsNotThereIsNotFound() throws {
        let expected: [WiFiEvent] = [.joining(.authentication), .joinFailed(.networkNotFound)]
        #expect(try Self.events(Self.simulation(), Self.join(name: "Away")) == expected)
        // A station without keys does not see a protected network.
        #expect(try Self.events(Self.simulation(), Self.join(security: .open)) == expected)
        var elsewhere = Self.join()
        elsewhere.band = .band5GHz
        #expect(try Self.events(Self.simulation(), elsewhere) == expected)
        elsewhere = Self.join()
        elsewhere.address = "aa:bb:cc:dd:ee:00"
        #expect(try Self.events(Self.simulation(), elsewhere) == expected)
        elsewhere = Self.join()
        elsewhere.channel = 11
        #expect(try Self.events(Self.simulation(), elsewhere) == expected)
    }

    @Test func aNetworkFailsAsItsFileSays() throws {
        let ends: [(WiFiJoinFailure, Int)] = [
            (.networkNotFound, 1), (.authentication, 2), (.timeout, 2), (.other, 2), (.address, 3),
        ]
        for (failure, steps) in ends {
            let happened = try Self.events(
                Self.simulation { $0.accessPoints[0].failure = failure }, Self.join())
            #expect(happened.count == steps + 1)
            #expect(happened.last == .joinFailed(failure))
        }
    }

    @Test func aStepFailsAndTakesItsTimeAsItsScriptSays() throws {
        var station = SimulatedWiFi(
            Self.simulation {
                $0.accessPoints[0].delay = .milliseconds(250)
                $0.scripts[.address] = .init(failure: .address, delay: .seconds(5))
            })
        try station.join(Self.join(), at: .origin)
        let happened = Self.run(&station)
        #expect(happened.map(\.0) == [0, 250, 350, 5350])
        #expect(happened.last?.1 == .joinFailed(.address))
        #expect(try station.status() == WiFiStatus(state: .disconnected))
    }

    @Test func aRefusedRequestChangesNothing() throws {
        var station = SimulatedWiFi(Self.simulation())
        try station.join(Self.join(), at: .origin)
        _ = Self.run(&station)
        for failure in [WiFiSimulation.Script.Failure.invalid, .failed] {
            let refusal: WiFiRefusal = failure == .invalid ? .invalid : .failed
            let script = WiFiSimulation.Script(failure: failure)
            station.simulation.scripts = [.scan: script, .join: script, .leave: script]
            #expect(throws: refusal) { try station.startScan(WiFiScan(), at: .origin) }
            #expect(throws: refusal) { try station.join(Self.join(), at: .origin) }
            #expect(throws: refusal) { try station.leave(at: .origin) }
            #expect(try station.status().state == .connected)
            #expect(station.deadline == nil)
            station.simulation.scripts = [.status: .init(failure: failure)]
            #expect(throws: refusal) { try station.status() }
        }
    }

    @Test func findsInTheOrderOfTheFileAndWithinThePeriod() throws {
        var second = Self.home
        second.band = .band5GHz
        var station = SimulatedWiFi(WiFiSimulation(accessPoints: [.init(Self.home), .init(second)]))
        try station.startScan(WiFiScan(), at: .origin)
        var happened = Self.run(&station)
        #expect(happened.map(\.0) == [200, 250, 300])
        #expect(happened.map(\.1) == [.found(Self.home), .found(second), .scanEnded(complete: true)])

        try station.startScan(WiFiScan(band: .band5GHz), at: .origin)
        #expect(Self.run(&station).map(\.1) == [.found(second), .scanEnded(complete: true)])

        try station.startScan(WiFiScan(period: .milliseconds(220)), at: .origin)
        happened = Self.run(&station)
        #expect(happened.map(\.0) == [200, 220])
        #expect(happened.map(\.1) == [.found(Self.home), .scanEnded(complete: true)])

        try station.startScan(WiFiScan(), at: .origin)
        station.advance(to: Self.at(200))
        station.stopScan(at: Self.at(210))
        #expect(Self.run(&station).map(\.1) == [.found(Self.home)])
    }

    @Test func theBestOfTheSameNameIsJoined() throws {
        var near = Self.home
        near.rssi = -40
        near.address = "aa:bb:cc:dd:ee:01"
        let simulation = WiFiSimulation(accessPoints: [.init(Self.home), .init(near)])
        #expect(try Self.events(simulation, Self.join()).last == .joined(near, Self.address))
    }

    @Test func anAccessPointThatIsGoneIsLostOrAFailure() throws {
        var station = SimulatedWiFi(Self.simulation())
        station.drop()
        #expect(station.nextEvent() == nil)
        try station.join(Self.join(), at: .origin)
        _ = station.nextEvent()
        station.drop()
        #expect(station.nextEvent() == .joinFailed(.timeout))
        #expect(station.deadline == nil)
        try station.join(Self.join(), at: .origin)
        _ = Self.run(&station)
        station.drop()
        #expect(station.nextEvent() == .lost)
        #expect(try station.status().state == .disconnected)
    }

    @Test func leavingSaysNothing() throws {
        var station = SimulatedWiFi(Self.simulation())
        try station.join(Self.join(), at: .origin)
        try station.leave(at: .origin)
        #expect(Self.run(&station).map(\.1) == [.joining(.authentication)])
        #expect(try station.status().state == .disconnected)
    }

    // MARK: - A world that changes

    private static func joined() throws -> SimulatedWiFi {
        var station = SimulatedWiFi(simulation())
        try station.join(join(), at: .origin)
        #expect(run(&station).last?.1 == .joined(home, address))
        return station
    }

    @Test func anAccessPointVanishesAndIsBack() throws {
        var station = try Self.joined()
        var hasChanged = station.change(.power(.network("Nowhere"), isUp: false), at: Self.at(500))
        #expect(!hasChanged)
        hasChanged = station.change(.power(.network(Self.home.name), isUp: false), at: Self.at(500))
        #expect(hasChanged && station.nextEvent() == .lost)
        try station.startScan(WiFiScan(), at: Self.at(500))
        #expect(Self.run(&station).map(\.1) == [.scanEnded(complete: true)])
        try station.join(Self.join(), at: Self.at(1000))
        #expect(Self.run(&station).last?.1 == .joinFailed(.networkNotFound))
        hasChanged = station.change(.all(isUp: true), at: Self.at(2000))
        try station.join(Self.join(), at: Self.at(2000))
        #expect(hasChanged && Self.run(&station).last?.1 == .joined(Self.home, Self.address))
    }

    /// As when an access point restarts with another passphrase: the station is out, and does not come in again.
    @Test func aPassphraseChanges() throws {
        var station = try Self.joined()
        let changed = WiFiPassphrase(Array("another one".utf8))
        let hasChanged = station.change(.passphrase(.network(Self.home.name), try #require(changed)), at: Self.at(500))
        #expect(hasChanged && station.nextEvent() == .lost)
        try station.join(Self.join(), at: Self.at(500))
        #expect(Self.run(&station).last?.1 == .joinFailed(.authentication))
        var open = SimulatedWiFi(
            WiFiSimulation(accessPoints: [
                .init(
                    WiFiNetwork(
                        name: "Open", address: Self.home.address, band: .band2GHz, channel: 1, security: .open,
                        rssi: -50))
            ]))
        let isTaken = open.change(.passphrase(.network("Open"), try #require(changed)), at: .origin)
        #expect(!isTaken, "an open network has none")
    }

    // MARK: - Kinds of networks

    private static func network(
        _ security: WiFiSecurity, _ passphrase: WiFiPassphrase? = "correct horse", address: WiFiAddress = home.address,
        rssi: Int8 = -50, isHidden: Bool = false
    ) -> WiFiSimulation.AccessPoint {
        var network = home
        (network.security, network.address, network.rssi) = (security, address, rssi)
        if isHidden { network.name = "" }
        return .init(network, name: "Home", passphrase: passphrase)
    }

    private static func result(_ accessPoint: WiFiSimulation.AccessPoint, _ join: WiFiJoin) throws -> WiFiEvent? {
        try events(WiFiSimulation(accessPoints: [accessPoint]), join).last
    }

    /// The usual home router: stations of both generations come in.
    @Test(arguments: [WiFiSecurity.wpa2PSK, .wpa3PSK, .wpaWPA2PSK, .wpa2WPA3PSK, .personal])
    func aTransitionNetworkTakesBothGenerations(_ security: WiFiSecurity) throws {
        let accessPoint = Self.network(.wpa2WPA3PSK)
        #expect(
            try Self.result(accessPoint, Self.join(security: security)) == .joined(accessPoint.network, Self.address))
        #expect(
            try Self.result(accessPoint, Self.join("wrong horse", security: security)) == .joinFailed(.authentication))
    }

    @Test(arguments: [
        (WiFiSecurity.wpa3PSK, WiFiSecurity.wpa2PSK), (.wpa2PSK, .wpa3PSK), (.wpa2WPA3PSK, .open), (.open, .personal),
        (.wep, .personal), (.wpa2Enterprise, .personal),
    ])
    func nothingInCommonIsNoNetwork(_ offered: WiFiSecurity, _ asked: WiFiSecurity) throws {
        let found = try Self.result(Self.network(offered, nil), Self.join(security: asked))
        #expect(found == .joinFailed(.networkNotFound))
    }

    /// A beacon without a name, a response to a probe for the name, and none to a probe for another one or to a station
    /// that only listens.
    @Test func aHiddenNetworkAnswersAProbe() throws {
        let accessPoint = Self.network(.wpa3PSK, isHidden: true)
        var station = SimulatedWiFi(WiFiSimulation(accessPoints: [accessPoint]))
        func names(_ scan: WiFiScan) throws -> [WiFiName] {
            try station.startScan(scan, at: .origin)
            return Self.run(&station).compactMap { if case .found(let network) = $0.1 { network.name } else { nil } }
        }
        #expect(try names(WiFiScan()) == [""] && names(WiFiScan(name: "Home")) == ["Home"])
        #expect(try names(WiFiScan(name: "Hom")) == [""] && names(WiFiScan(name: "Home", isPassive: true)) == [""])
        try station.join(Self.join(security: .personal), at: .origin)
        var named = accessPoint.network
        named.name = "Home"
        #expect(Self.run(&station).last?.1 == .joined(named, Self.address))
        #expect(try station.status().network?.name == "Home")
        let isGone = station.change(.power(.network("Home"), isUp: false), at: Self.at(500))
        #expect(isGone && station.nextEvent() == .lost)
    }

    /// Two access points of one network: one is taken down, and the station goes to the other.
    @Test func anAccessPointIsNotItsName() throws {
        let near = Self.network(.wpa2PSK, address: "02:00:00:00:00:01", rssi: -40)
        let far = Self.network(.wpa2PSK, address: "02:00:00:00:00:02", rssi: -70)
        var station = SimulatedWiFi(WiFiSimulation(accessPoints: [far, near]))
        try station.join(Self.join(), at: .origin)
        #expect(Self.run(&station).last?.1 == .joined(near.network, Self.address))
        var hasChanged = station.change(.power(.accessPoint(far.network.address), isUp: false), at: Self.at(500))
        #expect(hasChanged && station.nextEvent() == nil, "it is not the one in use")
        hasChanged = station.change(.all(isUp: true), at: Self.at(500))
        hasChanged = station.change(.power(.accessPoint(near.network.address), isUp: false), at: Self.at(500))
        #expect(hasChanged && station.nextEvent() == .lost)
        try station.join(Self.join(), at: Self.at(500))
        #expect(Self.run(&station).last?.1 == .joined(far.network, Self.address))
        hasChanged = station.change(.power(.accessPoint("02:00:00:00:00:03"), isUp: false), at: Self.at(900))
        #expect(!hasChanged)
        hasChanged = station.change(.signal(.accessPoint(far.network.address), -80), at: Self.at(900))
        #expect(hasChanged)
        #expect(try station.status().network?.rssi == -80)
    }

    /// A change of one name leaves the other; one of their address is for both.
    @Test func namesMayShareAnAddress() throws {
        let json =
            #"{"networks": [{"ssid": "Home", "bssid": "aa:bb:cc:dd:ee:ff", "security": "open"}, "#
            + #"{"ssid": "Guest", "bssid": "aa:bb:cc:dd:ee:ff", "security": "open"}]}"#
        var station = SimulatedWiFi(try WiFiSimulation(json: Array(json.utf8), for: .station))
        try station.join(WiFiJoin(name: "Home", security: .open, passphrase: nil), at: .origin)
        _ = Self.run(&station)
        var hasChanged = station.change(.power(.network("Guest"), isUp: false), at: Self.at(500))
        #expect(hasChanged && station.nextEvent() == nil)
        hasChanged = station.change(.power(.accessPoint("aa:bb:cc:dd:ee:ff"), isUp: false), at: Self.at(500))
        #expect(hasChanged && station.nextEvent() == .lost)
    }

    /// IEEE 802.11-2020, J.4.1 and 12.4: the key of a passphrase in the network is the same secret for WPA2, and
    /// another password for SAE.
    @Test(
        arguments: [
            (.wpa2PSK, "correct horse", "correct horse", true), (.wpa2PSK, "correct horse", "correct hors", false),
            (.wpa2PSK, "correct horse", "Correct horse", false),
            (.wpa3PSK, "correct horse", "correct horse", true), (.wpa3PSK, "short", "short", true),
            (.wpa2PSK, "password", "KEY", true), (.wpa2PSK, "KEY", "password", true),
            (.wpa2PSK, "KEY", "key in capitals", true), (.wpa2WPA3PSK, "password", "KEY", true),
            (.wpa3PSK, "password", "KEY", false), (.wpa3PSK, "KEY", "key in capitals", false),
            (.wep, "abcde", "6162636465", true), (.wep, "abcde", "abcdf", false),
            (.wep, "abcdefghijklm", "6162636465666768696A6B6C6D", true),
        ] as [(WiFiSecurity, String, String, Bool)])
    func secretsAreComparedAsTheirKeys(
        _ security: WiFiSecurity, _ held: String, _ sent: String, _ isAdmitted: Bool
    ) throws {
        let derived = try WPAPreSharedKey.derive(passphrase: Array("password".utf8).span, name: Array("Home".utf8).span)
        let digits = hex((0..<32).map { derived[$0] })
        func secret(_ text: String) throws -> WiFiPassphrase {
            let text = text.replacing("key in capitals", with: digits.uppercased()).replacing("KEY", with: digits)
            return try #require(WiFiPassphrase(Array(text.utf8)))
        }
        let accessPoint = Self.network(security, try secret(held))
        let result = try Self.result(accessPoint, Self.join(try secret(sent), security: security))
        #expect(result == (isAdmitted ? .joined(accessPoint.network, Self.address) : .joinFailed(.authentication)))
    }

    @Test func aPassphraseThatDoesNotSuitIsNotTaken() throws {
        var station = try Self.joined()
        let isShortTaken = station.change(.passphrase(.network("Home"), "seven77"), at: Self.at(500))
        let isLongTaken = station.change(.passphrase(.accessPoint(Self.home.address), "eight888"), at: Self.at(500))
        #expect(!isShortTaken && isLongTaken)
    }

    @Test func aJoinBeginsLater() throws {
        let simulation = Self.simulation { $0.scripts[.join] = .init(delay: .seconds(3)) }
        var station = SimulatedWiFi(simulation)
        try station.join(Self.join(), at: .origin)
        #expect(Self.run(&station).map(\.0) == [3000, 3100, 3200, 3300])
    }

    @Test func aSignalFalls() throws {
        var station = try Self.joined()
        let hasChanged = station.change(.signal(.network(Self.home.name), -88), at: Self.at(500))
        #expect(hasChanged && station.nextEvent() == nil)
        #expect(try station.status().network?.rssi == -88)
        try station.startScan(WiFiScan(), at: Self.at(500))
        guard case .found(let network)? = Self.run(&station).first?.1 else {
            Issue.record("nothing was found")
            return
        }
        #expect(network.rssi == -88)
    }

    /// An assigned address stays; without DHCP a join fails, or waits as Zephyr's does.
    @Test func addressesAreNoLongerAssigned() throws {
        var station = try Self.joined()
        _ = station.change(.addresses(isUp: false), at: Self.at(500))
        #expect(try station.status().state == .connected)
        try station.join(Self.join(), at: Self.at(500))
        #expect(Self.run(&station).last?.1 == .joinFailed(.address))
        station.staysWithoutAddress = true
        try station.join(Self.join(), at: Self.at(1000))
        #expect(Self.run(&station).last?.1 == .joining(.obtainingAddress))
        #expect(try station.status().isLinkUp)
        _ = station.change(.addresses(isUp: true), at: Self.at(9000))
        #expect(Self.run(&station).map { "\($0.0) \($0.1)" } == ["9100 \(WiFiEvent.joined(Self.home, Self.address))"])
    }
}
