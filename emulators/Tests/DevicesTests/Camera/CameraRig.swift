// SPDX-License-Identifier: Apache-2.0

import Devices
import WiFi
import WiFiStation
import TestSupport
import Timekeeping
import WiFiTestSupport
import VirtualTime

/// A camera, its simulated network, and a clock.
struct CameraRig {
    /// The credentials that `CameraRig.simulation` accepts.
    static let good = "Home\ncorrect horse\nann\nt0k3n\n"

    static var simulation: WiFiSimulation {
        let home = WiFiNetwork(
            name: "Home", address: "aa:bb:cc:dd:ee:ff", band: .band2GHz, channel: 6, security: .wpaWPA2PSK, rssi: -50)
        return WiFiSimulation(accessPoints: [.init(home, passphrase: "correct horse")])
    }

    var camera: Camera
    var station: SimulatedWiFi
    var now = Instant.origin
    /// The maximum number of octets in a value on the client's link.
    var limit = 509
    /// The values sent to a subscribed client, each with its time in ms.
    var values: [(ms: Int64, octets: [UInt8])] = []
    /// All other actions.
    var others: [CameraAction] = []

    init(
        _ start: CameraStart = .waiting, simulation: WiFiSimulation = CameraRig.simulation,
        settings: CameraSettings = CameraSettings(),
        server: PairingServer.Policy = .issued([.init("t0k3n")])
    ) {
        camera = Camera(start, settings: settings, server: PairingServer(server))
        station = SimulatedWiFi(simulation)
        camera.start(&station, at: now)
        settle()
    }

    mutating func write(_ text: String, client: UInt32 = 1) throws(CameraRefusal) {
        try write(Array(text.utf8), client: client)
    }

    mutating func write(_ octets: [UInt8], client: UInt32 = 1) throws(CameraRefusal) {
        defer { settle() }
        try camera.write(octets.span, client: client, &station, at: now)
    }

    /// Lets time pass.
    mutating func run(_ duration: Duration) {
        now = elapse(
            from: now, to: now + duration, deadline: { Instant.earlier(camera.deadline, station.deadline) }
        ) {
            now = $0
            camera.advance(to: now, &station)
            settle()
        }
    }

    mutating func settle() {
        while let action = camera.nextAction() {
            guard case .tell(let status, let text) = action else {
                others.append(action)
                continue
            }
            let settings = camera.settings
            for value in settings.layout.values(status, text: text, limit: limit, settings.overflow) {
                values.append(((now - .origin).wholeMilliseconds, value))
            }
        }
    }

    /// The first number of each value.
    var notifications: [Int32] {
        values.map { value in
            value.octets.prefix(4).reversed().reduce(0) { $0 << 8 | Int32($1) }
        }
    }

    /// A value's octets: the numbers in hexadecimal digits, then the text.
    static func value(_ hexadecimal: String, _ text: String) -> [UInt8] {
        octets(hexadecimal) + Array(text.utf8)
    }
}
