// SPDX-License-Identifier: Apache-2.0

package import Commands
import Console
import Devices
import Glibc
import System
import WiFi
package import WiFiStation

/// The file in which an emulated Wi-Fi chip stores its networks. Its mode is 0600, since it contains passphrases.
package struct NordicStateFile {
    package let path: String

    /// The file in this directory, which is created if missing (mode 0700).
    package init(directory: String) throws(CommandError) {
        path = "\(directory)/nordic-wifi.json"
        if mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw .misuse("\(directory): cannot make it: \(String(cString: strerror(errno))); name a directory")
        }
    }

    /// Loads the networks of the file, if it exists. A faulty file is not changed.
    package func load(into networks: inout StoredNetworks) throws(CommandError) {
        guard access(path, F_OK) == 0 else { return }
        let octets = try InputFile.octets(
            path, maximum: StoredNetworks.maximumFileCount, "a state that this program has written")
        do {
            try networks.load(json: octets)
        } catch {
            throw .misuse("\(path):\(error); remove the file to begin with no network")
        }
    }

    /// Replaces the file.
    func save(_ networks: StoredNetworks) throws(CommandError) {
        try CommandError.replace(path, with: networks.json, remedy: "see to the directory")
    }
}
