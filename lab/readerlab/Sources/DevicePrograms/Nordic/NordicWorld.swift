// SPDX-License-Identifier: Apache-2.0

package import Commands
package import Devices

/// The simulated networks of an emulated Wi-Fi chip.
package enum NordicWorld {
    /// The default simulation with two networks.
    package static var usual: WiFiSimulation {
        let text = """
            {"networks": [
              {"ssid": "Home", "bssid": "02:00:00:00:00:01", "channel": 6, "security": "wpa2-psk", "rssi": -50,
               "passphrase": "open sesame"},
              {"ssid": "Guests", "bssid": "02:00:00:00:00:02", "channel": 36, "band": "5", "rssi": -65}]}
            """
        return (try? WiFiSimulation(json: Array(text.utf8))) ?? WiFiSimulation()
    }

    /// Loads the networks of a file; without a file, the default simulation.
    package static func load(
        _ path: String?, for use: WiFiSimulation.Use = .station
    ) throws(CommandError) -> WiFiSimulation {
        guard let path else { return usual }
        return try WiFiSimulationFile.load(path, "docs/emulators/nordic-wifi.md", for: use)
    }
}
