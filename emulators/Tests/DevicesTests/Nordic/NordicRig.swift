// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Devices
import NordicProvisioning
import WiFi
import WiFiStation
import TestSupport
import Timekeeping
import WiFiTestSupport
import VirtualTime

/// A provisioning device with a simulated station, on a virtual clock.
struct NordicRig {
    var device: NordicProvisioning
    var wifi: SimulatedWiFi
    var now = Instant.origin
    /// The device's actions.
    var actions: [NordicAction] = []
    var notices: [NordicNotice] = []

    static let phone = LinkID(slot: 0, generation: 1)
    static let other = LinkID(slot: 1, generation: 2)

    static let home = WiFiNetwork(
        name: "MyWiFi", address: "aa:bb:cc:dd:ee:ff", band: .band2GHz, channel: 6, security: .wpa2PSK, rssi: -50)
    static let away = WiFiNetwork(
        name: "Away", address: "aa:bb:cc:dd:ee:01", band: .band5GHz, channel: 36, security: .wpa3PSK, rssi: -60)

    /// The SET_CONFIG of the published facts: `MyWiFi` with `mypassword`, WPA2.
    static let configure =
        "08045a260a160a064d79576946691206aabbccddeeff180120062803120a6d7970617373776f72641800"

    static var simulation: WiFiSimulation {
        WiFiSimulation(accessPoints: [
            .init(home, passphrase: "mypassword"), .init(away, passphrase: "elsewhere"),
        ])
    }

    init(
        _ profile: NordicProfile, _ simulation: WiFiSimulation = NordicRig.simulation,
        stored: [WiFiJoin] = [], change: (inout NordicSettings) -> Void = { _ in }
    ) {
        var settings = NordicSettings(profile: profile)
        change(&settings)
        var store = settings.emptyStore
        for network in stored.reversed() { store.store(network) }
        device = NordicProvisioning(settings, stored: store)
        wifi = SimulatedWiFi(simulation)
        wifi.staysWithoutAddress = profile == .exact
    }

    /// A started device with a connected phone.
    static func connected(
        _ profile: NordicProfile, _ simulation: WiFiSimulation = NordicRig.simulation, stored: [WiFiJoin] = []
    ) -> NordicRig {
        var rig = NordicRig(profile, simulation, stored: stored)
        rig.start()
        rig.connect()
        return rig
    }

    mutating func start() {
        device.start(&wifi, at: now)
        collect()
    }

    mutating func connect(_ link: LinkID = NordicRig.phone) {
        device.connected(link, &wifi, at: now)
        collect()
    }

    mutating func disconnect(_ link: LinkID = NordicRig.phone) {
        device.disconnected(link, &wifi, at: now)
        collect()
    }

    /// Writes a request; returns the immediate messages, as `sent`.
    @discardableResult
    mutating func write(_ text: String, from link: LinkID = NordicRig.phone) -> [String] {
        actions.removeAll()
        let octets = octets(text)
        device.write(octets.span, from: link, &wifi, at: now)
        collect()
        return sent
    }

    /// Advances the clock; returns the messages sent meanwhile, as `sent`.
    @discardableResult
    mutating func run(_ duration: Duration) -> [String] {
        actions.removeAll()
        now = elapse(from: now, to: now + duration, deadline: { device.deadline(wifi) }) {
            device.advance(&wifi, to: $0)
            collect()
        }
        // A loss that the test caused has no deadline.
        device.advance(&wifi, to: now)
        collect()
        return sent
    }

    mutating func collect() {
        actions += all { device.nextAction() }
        notices += all { device.nextNotice() }
    }

    /// The messages sent since the last call: an indication is `< 0801…`, a notification `> 1001`.
    var sent: [String] {
        actions.compactMap { action in
            guard case .send(let message) = action else { return nil }
            return (message.characteristic == .controlPoint ? "< " : "> ") + hex(message.octets)
        }
    }

    /// The names of the networks in each `store` action since the last call.
    var storedNames: [[WiFiName]] {
        actions.compactMap { if case .store(let networks) = $0 { networks.networks.map(\.name) } else { nil } }
    }

    /// The advertisements since the last call; nil is the end of advertising.
    var advertised: [NordicAdvertisement?] {
        actions.compactMap { action -> NordicAdvertisement?? in
            switch action {
            case .advertise(let advertisement): .some(advertisement)
            case .stopAdvertising: .some(nil)
            default: nil
            }
        }
    }
}

extension WiFiJoin {
    /// A network of the rig as it is stored after a join.
    init(_ network: WiFiNetwork, _ passphrase: WiFiPassphrase) {
        self.init(
            name: network.name, address: network.address, band: network.band, security: network.security,
            passphrase: passphrase)
    }

    static var home: WiFiJoin { WiFiJoin(NordicRig.home, "mypassword") }
    static var away: WiFiJoin { WiFiJoin(NordicRig.away, "elsewhere") }
}
