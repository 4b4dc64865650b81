// SPDX-License-Identifier: Apache-2.0

import Devices
import NordicProvisioning
import Peripheral
import TestSupport
import Testing
import Timekeeping
import WiFi
import WiFiStation
import WiFiTestSupport

/// A station that joins stored networks by itself, and returns to them when a join has failed.
@Suite struct RememberingStationTests {
    private struct Station: WiFiStation {
        var base = SimulatedWiFi(NordicRig.simulation)
        var joins: [WiFiName] = []
        var extra: [WiFiEvent] = []

        var address: WiFiAddress { base.address }
        var remembersNetworks: Bool { true }
        var deadline: Instant? { base.deadline }

        func status() throws(WiFiRefusal) -> WiFiStatus { try base.status() }
        mutating func startScan(_ scan: WiFiScan, at now: Instant) throws(WiFiRefusal) {
            try base.startScan(scan, at: now)
        }
        mutating func stopScan(at now: Instant) { base.stopScan(at: now) }
        mutating func join(_ join: WiFiJoin, at now: Instant) throws(WiFiRefusal) {
            joins.append(join.name)
            try base.join(join, at: now)
        }
        mutating func leave(at now: Instant) throws(WiFiRefusal) { try base.leave(at: now) }
        mutating func advance(to now: Instant) { base.advance(to: now) }
        mutating func nextEvent() -> WiFiEvent? { extra.isEmpty ? base.nextEvent() : extra.removeFirst() }
    }

    private static func device(_ stored: [WiFiJoin]) -> NordicProvisioning {
        var store = NordicSettings(profile: .gateway).emptyStore
        for network in stored { store.store(network) }
        return NordicProvisioning(NordicSettings(profile: .gateway), stored: store)
    }

    /// The messages sent to the phone, in hexadecimal digits.
    private static func sent(_ device: inout NordicProvisioning) -> [String] {
        all { device.nextAction() }.compactMap {
            if case .send(let message) = $0 { hex(message.octets) } else { nil }
        }
    }

    @Test func onlyWhatAPhoneNamesIsJoined() {
        var station = Station()
        var device = Self.device([WiFiJoin(name: "MyWiFi", security: .wpa2PSK)])
        device.start(&station, at: .origin)
        device.advance(&station, to: .origin + .seconds(60))
        #expect(station.joins == [])

        device.connected(NordicRig.phone, &station, at: .origin + .seconds(60))
        let wrong = NordicRig.configure.replacing("6d7970617373776f7264", with: "6e6f70617373776f7264")
        device.write(octets(wrong).span, from: NordicRig.phone, &station, at: .origin + .seconds(60))
        device.advance(&station, to: .origin + .seconds(120))
        #expect(station.joins == ["MyWiFi"])
        #expect(Self.sent(&device) == ["08041000", "1001", "1002", "10051800"])
    }

    /// It joins a network by itself: the status that a phone requests contains that network.
    @Test func whatItJoinsByItselfIsInTheStatus() throws {
        var station = Station()
        var device = Self.device([])
        device.start(&station, at: .origin)
        device.connected(NordicRig.phone, &station, at: .origin)
        try station.base.join(
            WiFiJoin(name: "MyWiFi", security: .wpa2PSK, passphrase: "mypassword"), at: .origin)
        device.advance(&station, to: .origin + .seconds(1))
        _ = Self.sent(&device)
        device.write(octets("0801").span, from: NordicRig.phone, &station, at: .origin + .seconds(1))
        // Connected, MyWiFi on channel 6 of 2.4 GHz with WPA2, 192.168.0.42.
        #expect(
            Self.sent(&device) == [
                "080110005222080452160a064d79576946691206aabbccddeeff1801200628035a060a04c0a8002a"
            ])
    }
}
