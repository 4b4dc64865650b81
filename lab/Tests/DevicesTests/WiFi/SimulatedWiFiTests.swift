// SPDX-License-Identifier: Apache-2.0

import Devices
import WiFiProvisioning
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
        var hasChanged = station.change(.network("Nowhere", isUp: false), at: Self.at(500))
        #expect(!hasChanged)
        hasChanged = station.change(.network(Self.home.name, isUp: false), at: Self.at(500))
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
        let hasChanged = station.change(.passphrase(Self.home.name, try #require(changed)), at: Self.at(500))
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
        let isTaken = open.change(.passphrase("Open", try #require(changed)), at: .origin)
        #expect(!isTaken, "an open network has none")
    }

    @Test func aSignalFalls() throws {
        var station = try Self.joined()
        let hasChanged = station.change(.signal(Self.home.name, -88), at: Self.at(500))
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
