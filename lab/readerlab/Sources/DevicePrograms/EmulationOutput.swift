// SPDX-License-Identifier: Apache-2.0

import Console
import Demo
import Emulation
package import GATTDevice
import Glibc
import Octets
import Peripheral
import System
import Timekeeping

/// Prints the lines of an emulation on standard output as they occur.
package struct EmulationOutput {
    private let json: Bool
    private let start = MonotonicClock.now

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
    package func report(_ notice: DeviceNotice) { show(EmulationLine(notice), at: MonotonicClock.now - start) }

    /// Prints a line, with the time since the start if it has one.
    private func show(_ line: EmulationLine, at time: Duration? = nil) {
        let sentence = (time.map { TextColumn.seconds($0) + "  " } ?? "") + line.sentence
        let fields = line.fields.and(["at-ms": time?.wholeMilliseconds])
        guard let text = json ? try? JSONText.line(fields) : sentence else { return }
        ConsoleOutput.write(text, to: STDOUT_FILENO)
    }
}
