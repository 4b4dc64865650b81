// SPDX-License-Identifier: Apache-2.0

import System
import Glibc
import Devices
import WiFiProvisioning

/// The file in which an emulated Wi-Fi chip stores its networks, mode 0600, since it contains passphrases.
struct NordicStateFile {
    let path: String

    /// The file in this directory, which is created if missing (mode 0700).
    init(directory: String) throws(EmulationError) {
        path = "\(directory)/nordic-wifi.json"
        if mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw EmulationError(
                code: 2, "\(directory): cannot make it: \(String(cString: strerror(errno))); name a directory")
        }
    }

    /// Loads the networks of the file, if it exists. A file with an error is not changed.
    func load(into networks: inout StoredNetworks) throws(EmulationError) {
        guard access(path, F_OK) == 0 else { return }
        let octets = try EmulationFile.octets(
            path, maximum: StoredNetworks.maximumFileCount, "a state that this program has written")
        do {
            try networks.load(json: octets)
        } catch {
            throw EmulationError(code: 2, "\(path):\(error); remove the file to begin with no network")
        }
    }

    /// Replaces the file.
    func save(_ networks: StoredNetworks) throws(EmulationError) {
        do throws(DurableFile.Failure) {
            try DurableFile.replace(path, with: networks.json)
        } catch {
            throw EmulationError(
                code: 1,
                "\(error.path): cannot write it: \(String(cString: strerror(error.errno))); see to the directory")
        }
    }
}
