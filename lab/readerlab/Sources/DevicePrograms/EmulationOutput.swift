// SPDX-License-Identifier: Apache-2.0

import Console
import Demo
package import GATTDevice
import Glibc
import Octets
import Peripheral
import System

/// Prints the lines of an emulation on standard output as they occur.
package struct EmulationOutput {
    private let json: Bool

    package init(json: Bool) { self.json = json }

    /// Prints a device.
    package func begin(_ device: PlayedDevice) {
        let table = device.table
        let text =
            "\(table.name.debugDescription) at \(device.address), \(table.database.count) attributes"
            + (table.advertisingOmission.map { "; \($0)" } ?? "")
        show(EmulationLine("device", nil, text, ["name": table.name, "address": "\(device.address)", "text": text]))
    }

    /// Prints an event.
    package func report(_ notice: DeviceNotice) { show(EmulationLine(notice)) }

    private func show(_ line: EmulationLine) {
        guard let text = json ? try? JSONText.line(line.fields) : line.sentence else { return }
        ConsoleOutput.write(text, to: STDOUT_FILENO)
    }
}
