// SPDX-License-Identifier: Apache-2.0

package import Commands
import Console
package import GATTDevice
import Peripheral

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

    /// Makes the description of a capture's or an export's device; an error is reported as `FILE: PLACE: PROBLEM`.
    static func description(_ path: String, peer: BluetoothAddress?) throws(CommandError) -> DeviceDescription {
        let octets = try InputFile.octets(
            path, maximum: DeviceDescription.maximumFileCount,
            "a btsnoop or pcapng capture, or an export of nRF Connect")
        do throws(DeviceImportFault) { return try DeviceDescription(importing: octets, peer: peer) } catch {
            throw .misuse("\(path): \(error)")
        }
    }

    /// The device of a description.
    static func table(
        _ description: DeviceDescription, of path: String, name: String?, tellsOfChanges: Bool
    ) throws(CommandError) -> DeviceTable {
        do throws(DeviceFault) {
            var table = try DeviceTable(
                json: description.json, name: name, holdsValues: true, tellsOfChanges: tellsOfChanges)
            table.remarks = description.remarks
            return table
        } catch {
            throw .misuse("\(path): its description has a fault: \(error)")
        }
    }
}
