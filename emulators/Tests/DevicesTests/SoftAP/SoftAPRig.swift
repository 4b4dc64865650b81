// SPDX-License-Identifier: Apache-2.0

import Devices
import NordicProvisioning
import WiFi
import WiFiStation
import TestSupport
import Timekeeping
import WiFiTestSupport
import VirtualTime

/// A device with simulated networks and a clock of its own.
struct SoftAPRig {
    var device: SoftAPDevice
    var station: SimulatedWiFi
    var now = Instant.origin
    /// The notices so far.
    var notices: [SoftAPNotice] = []

    /// The two networks of the published answer.
    static let published = [
        WiFiNetwork(
            name: "cia-linksys", address: "d8:ec:5e:8f:66:19", band: .band5GHz, channel: 112, security: .wpaWPA2PSK,
            rssi: -49),
        WiFiNetwork(
            name: "cia-asusgold", address: "c8:7f:54:de:23:b8", band: .band2GHz, channel: 9, security: .wpaWPA2PSK,
            rssi: -49),
    ]

    /// The body of the published log: `cia-asusgold`, channel 1, and its passphrase.
    static let golden = octets(
        "0a1c0a0c6369612d61737573676f6c641206c87f54de23b8180120012804120f7468696e6779776f726c6432303234")

    init(
        _ profile: NordicProfile = .exact, _ networks: [WiFiNetwork] = published, faults: [SoftAPFault] = [],
        _ change: (inout WiFiSimulation) -> Void = { _ in }
    ) {
        var simulation = WiFiSimulation(
            accessPoints: networks.map { .init($0, passphrase: "thingyworld2024") })
        change(&simulation)
        device = SoftAPDevice(SoftAPSettings(profile: profile, faults: faults))
        station = SimulatedWiFi(simulation)
    }

    /// A device that was switched on and is ready for configuration.
    static func open(
        _ profile: NordicProfile = .exact, _ networks: [WiFiNetwork] = published, faults: [SoftAPFault] = [],
        _ change: (inout WiFiSimulation) -> Void = { _ in }
    ) -> SoftAPRig {
        var rig = SoftAPRig(profile, networks, faults: faults, change)
        rig.device.begin(at: rig.now, over: &rig.station)
        _ = rig.run(for: .seconds(10))
        return rig
    }

    /// The shell's pending actions; notices are put into `notices`.
    mutating func actions() -> [SoftAPAction] {
        var actions: [SoftAPAction] = []
        while let action = device.nextAction() {
            if case .tell(let notice) = action { notices.append(notice) } else { actions.append(action) }
        }
        return actions
    }

    /// The actions within this time, with the milliseconds from its start.
    mutating func timed(for time: Duration) -> [(Int64, SoftAPAction)] {
        let begin = now
        var result = actions().map { (Int64(0), $0) }
        now = elapse(from: begin, to: begin + time, deadline: { device.deadline(over: station) }) { now in
            device.advance(to: now, over: &station)
            result += actions().map { ((now - begin).wholeMilliseconds, $0) }
        }
        return result
    }

    /// The actions within this time.
    mutating func run(for time: Duration) -> [SoftAPAction] { timed(for: time).map(\.1) }

    /// The immediate actions after a request on a new connection.
    mutating func ask(
        _ method: String, _ target: String, _ body: [UInt8] = [], on number: Int = 1
    ) -> [SoftAPAction] {
        let connection = SoftAPConnection(number)
        device.connected(connection)
        device.request(SoftAPRequest(method, target, body: body), on: connection, at: now, over: &station)
        return actions()
    }

    /// The response to a request, or nil.
    mutating func answer(_ method: String, _ target: String, _ body: [UInt8] = []) -> SoftAPResponse? {
        for action in ask(method, target, body) {
            if case .answer(_, let response) = action { return response }
        }
        return nil
    }

    /// The HTTP status of the response to a configuration, or nil.
    mutating func configure(_ body: [UInt8]) -> UInt16? { answer("POST", "/prov/configure", body)?.status }
}

/// The header lines of every response of the firmware.
let crossOrigin: [SoftAPResponse.Header] = [
    .init("Access-Control-Allow-Origin", "*"), .init("Access-Control-Allow-Methods", "GET, POST, OPTIONS"),
    .init("Access-Control-Allow-Headers", "Content-Type"), .init("Access-Control-Max-Age", "86400"),
]
