// SPDX-License-Identifier: Apache-2.0

package import Commands
import Demo
package import Emulation
package import GATTDevice
import Glibc
import JSON
import Octets
import Peripheral
import System
import Timekeeping

/// The lines of devices from files on standard output, and their timeline for findings and reports.
package struct EmulationOutput {
    /// Reads are printed.
    private let showsReads: Bool
    private let json: Bool
    private let view: EmulationView
    private let start = MonotonicClock.now
    private let devices: [PlayedDevice]
    package private(set) var timeline: DeviceTimeline

    package init(_ options: EmulationOutputOptions, _ devices: [PlayedDevice], showsReads: Bool) {
        self.showsReads = showsReads
        self.devices = devices
        json = options.json
        view = EmulationView(options, devices: devices.count)
        timeline = DeviceTimeline(start: start, devices: devices.count)
    }

    /// Verifies that the files of the end of the run can be written.
    package func check() throws(CommandError) { try view.check() }

    /// Prints the devices.
    package func begin() {
        for device in devices {
            let table = device.table
            let text =
                "\(table.name.debugDescription) at \(device.address), \(table.database.count) attributes"
                + (table.advertisingOmission.map { "; \($0)" } ?? "")
            show(
                EmulationLine("device", nil, text, ["name": table.name, "address": "\(device.address)", "text": text]))
            for remark in table.remarks { show(EmulationLine("remark", nil, "note: \(remark)", ["text": remark])) }
        }
    }

    /// Prints an event, and the findings that it shows.
    package mutating func report(_ notice: DeviceNotice) {
        let now = MonotonicClock.now
        let entry = timeline.receive(notice, at: now)
        if case .read = notice, !showsReads {
        } else if let line = EmulationLine(notice) {
            show(line, at: now - start, entry)
        }
        showEntries()
    }

    /// Prints the state that has changed, as JSON.
    package func show(_ log: inout ObservedStateLog, _ state: () -> ObservedState) { view.show(&log, state) }

    /// Executes a typed command by `body`, prints its answer or its fault, and records it.
    package mutating func answer(_ body: (Timeline) throws(CommandFault) -> (lines: [String], isQuestion: Bool)) {
        let timeline = timeline.entries
        var recorded: String?
        view.answer { () throws(CommandFault) in
            let (lines, isQuestion) = try body(timeline)
            if !isQuestion { recorded = lines.first }
            return lines
        }
        if let recorded { self.timeline.typed(recorded, at: MonotonicClock.now) }
    }

    /// Prints the summary, and writes the reports of the run, which throw its outcome.
    package mutating func end<Failure>(_ outcome: Result<Void, Failure>) throws(CommandError) {
        showEntries()
        let facts: [JSONObject] = devices.enumerated().map {
            ["device": $0 + 1, "name": $1.table.name, "address": "\($1.address)"]
        }
        try view.end(&timeline.entries, at: MonotonicClock.now, facts, outcome)
    }

    /// Prints the entries that have no lines of their own: findings, and commands of the scenario.
    private mutating func showEntries() {
        while let entry = timeline.next() {
            switch entry.event {
            case .finding, .command(_, isTyped: false): view.show(entry)
            default: break
            }
        }
    }

    /// Prints a line, with the time since the start and the number of its entry if it has them.
    private func show(_ line: EmulationLine, at time: Duration? = nil, _ entry: Int? = nil) {
        let sentence = (time.map { TextColumn.seconds($0) + "  " } ?? "") + line.sentence
        let fields = line.fields.and(["at-ms": time?.wholeMilliseconds, "entry": entry])
        guard let text = json ? try? JSONText.line(fields) : sentence else { return }
        ConsoleOutput.write(text, to: STDOUT_FILENO)
    }
}
