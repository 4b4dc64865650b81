// SPDX-License-Identifier: Apache-2.0

import Emulation
import Glibc
import JSON

/// Prints the timeline on standard output as it develops.
struct EmulationView {
    private let json: Bool
    private let text: TimelineText

    init(json: Bool, devices: Int) {
        self.json = json
        text = TimelineText(hasColour: EmulationView.hasColour, hasDevices: devices > 1)
    }

    /// True to use colours: on a terminal, unless disabled (no-color.org).
    private static var hasColour: Bool {
        isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil
            && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// Prints a device, as an event of this name.
    func begin(_ device: JSONObject, name: String = "emulation", _ lines: [String]) {
        if json {
            var object = JSONObject()
            object.add("event", name)
            object.add(contentsOf: device)
            show(object.text)
        } else {
            for line in lines { show(line) }
        }
    }

    /// Prints an entry. Typed commands have been answered already.
    func show(_ entry: TimelineEntry) {
        if !json, case .command(_, isTyped: true) = entry.event { return }
        show(json ? entry.json.text : text.line(entry))
    }

    /// Prints the answer to a command.
    func answer(_ lines: [String], isError: Bool) {
        guard json else {
            for line in lines { show(isError ? "error: \(line)" : "ok: \(line)") }
            return
        }
        var object = JSONObject()
        object.add("event", "answer")
        object.add("ok", !isError)
        object.add("lines", lines)
        show(object.text)
    }

    /// Prints the summary.
    func end(_ timeline: Timeline) {
        guard json else {
            for line in timeline.summary { show(line) }
            return
        }
        var object = JSONObject()
        object.add("event", "summary")
        object.add("findings", timeline.findings.map(\.json))
        show(object.text)
    }

    private func show(_ line: String) { EmulationOutput.write(line, to: STDOUT_FILENO) }
}
