// SPDX-License-Identifier: Apache-2.0

package import Commands
import Console
package import Devices
import JSON

/// The simulated networks of an emulated device.
package enum WiFiSimulationFile {
    /// Loads the file of `--wifi-sim`, which `page` describes; an error is reported as `FILE:LINE: PLACE: PROBLEM`.
    package static func load(
        _ path: String, _ page: String, for use: WiFiSimulation.Use
    ) throws(CommandError) -> WiFiSimulation {
        try InputFile.load(
            path, maximum: WiFiSimulation.maximumFileCount, "a file of networks (\(page))"
        ) { octets throws(JSONPlaceFault) in try WiFiSimulation(json: octets, for: use) }
    }

    /// The default simulation: the network Home with the passphrase "correct horse", and the open network Guest.
    package static func usual() throws(CommandError) -> WiFiSimulation {
        let text = """
            {"networks": [{"ssid": "Home", "bssid": "02:00:00:00:01:01", "channel": 6, "rssi": -50,
                           "security": "wpa-wpa2-psk", "passphrase": "correct horse"},
                          {"ssid": "Guest", "bssid": "02:00:00:00:01:02", "channel": 11, "rssi": -70,
                           "security": "open"}]}
            """
        do throws(JSONPlaceFault) { return try WiFiSimulation(json: Array(text.utf8)) } catch {
            throw .failed("\(error)")
        }
    }
}
