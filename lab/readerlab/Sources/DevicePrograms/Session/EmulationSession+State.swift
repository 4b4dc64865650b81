// SPDX-License-Identifier: Apache-2.0

package import Devices
package import Emulation
import JSON
import Peripheral
import WiFi
import WiFiStation

extension EmulationSession {
    /// The state of the devices, for a page.
    package var observed: ObservedState {
        var state = ObservedState(faults: plan.observed)
        let stations = units.compactMap(\.wifi)
        if let station = stations.first { state.add(station) }
        let levels = ["23", "185", "off"]
        state.switches.append(.init("mtu", mtu.map { "\($0)" } ?? "off", of: levels))
        return state
    }
}

extension ObservedState {
    /// Adds the simulated Wi-Fi of a device.
    package mutating func add(_ station: SimulatedWiFi) {
        let simulation = station.simulation
        guard !simulation.accessPoints.isEmpty else { return }
        let isUp = simulation.accessPoints.contains(where: \.isUp)
        switches.append(.init("wifi", isUp ? "up" : "down", of: ["up", "down"]))
        switches.append(.init("dhcp", simulation.assignsAddresses ? "up" : "down", of: ["up", "down"]))
        let status = try? station.status()
        let joined = status.flatMap { $0.state == .disconnected ? nil : $0.network?.address }
        details.add(
            "networks",
            simulation.accessPoints.map { point -> JSONObject in
                let network = point.network
                return [
                    "name": String(decoding: point.name.octets, as: UTF8.self), "hidden": network.name != point.name,
                    "address": "\(network.address)",
                    "channel": network.channel, "security": "\(network.security)", "rssi-dbm": Int(network.rssi),
                    "up": point.isUp, "joined": network.address == joined,
                ]
            })
    }
}
