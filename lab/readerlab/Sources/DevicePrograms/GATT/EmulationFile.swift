// SPDX-License-Identifier: Apache-2.0

package import Console
package import GATTDevice

/// Reads the files of emulated devices.
package enum EmulationFile {
    /// Loads the device file at `path`; an error is reported as `FILE:LINE: PLACE: PROBLEM`.
    package static func load(
        _ path: String, name: String?, tellsOfChanges: Bool
    ) throws(CommandError) -> DeviceTable {
        try InputFile.load(path, maximum: DeviceTable.maximumFileCount, "a device file") { octets throws(DeviceFault) in
            try DeviceTable(json: octets, name: name, holdsValues: true, tellsOfChanges: tellsOfChanges)
        }
    }
}
