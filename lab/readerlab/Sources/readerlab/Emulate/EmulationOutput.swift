// SPDX-License-Identifier: Apache-2.0

import Demo
import GATTDevice
import Glibc
import Octets
import Peripheral
import System

/// Prints the lines of an emulation on standard output as they occur.
struct EmulationOutput {
    private let json: Bool

    init(json: Bool) { self.json = json }

    /// Prints a device.
    func begin(_ device: PlayedDevice) {
        let table = device.table
        let text =
            "\(table.name.debugDescription) at \(device.address), \(table.database.count) attributes"
            + (table.advertisingOmission.map { "; \($0)" } ?? "")
        show(EmulationLine("device", nil, text, ["name": table.name, "address": "\(device.address)", "text": text]))
    }

    /// Prints an event.
    func tell(_ notice: DeviceNotice) { show(EmulationLine(notice)) }

    private func show(_ line: EmulationLine) {
        guard let text = json ? try? JSONText.line(line.fields) : line.sentence else { return }
        EmulationOutput.write(text, to: STDOUT_FILENO)
    }

    /// Writes a line immediately, so that the reader of a pipe receives it when it occurs. Errors of a closed stream
    /// are ignored. Nothing in it controls a terminal, whatever a device or a file says.
    ///
    /// - Parameter isStyled: true for a line with colours or movements of ours, in which nobody else's text is left as
    ///   it was.
    static func write(_ line: String, to descriptor: CInt, isStyled: Bool = false) {
        WholeWrite.write((isStyled ? line : line.printableLines) + "\n", to: descriptor)
    }
}
