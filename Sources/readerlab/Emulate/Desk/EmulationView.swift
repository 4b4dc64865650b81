import Emulation
import Glibc
import JSON

/// The timeline on standard output, as it happens.
struct EmulationView {
    private let json: Bool
    private let text: TimelineText

    init(json: Bool, devices: Int) {
        self.json = json
        text = TimelineText(hasColour: EmulationView.hasColour, hasDevices: devices > 1)
    }

    /// Colours are for terminals, and for those who have not said no (no-color.org).
    private static var hasColour: Bool {
        isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil
            && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// What is played.
    func begin(_ device: JSONObject, _ lines: [String]) {
        if json {
            var object = JSONObject()
            object.add("event", "emulation")
            object.add(contentsOf: device)
            show(object.text)
        } else {
            for line in lines { show(line) }
        }
    }

    /// What happened. What was typed has been answered.
    func show(_ entry: TimelineEntry) {
        if !json, case .command(_, isTyped: true) = entry.event { return }
        show(json ? entry.json.text : text.line(entry))
    }

    /// What is answered to a line.
    func answer(_ lines: [String], isError: Bool) {
        guard json else {
            for line in lines { show(isError ? "error: \(line)" : "ok: \(line)") }
            return
        }
        var object = JSONObject()
        object.add("event", "answer")
        object.add("ok", !isError)
        object.add("lines", json: "[" + lines.map(JSONObject.quoted).joined(separator: ",") + "]")
        show(object.text)
    }

    /// How it went.
    func end(_ timeline: Timeline) {
        guard json else {
            for line in timeline.summary { show(line) }
            return
        }
        var object = JSONObject()
        object.add("event", "summary")
        object.add("findings", json: "[" + timeline.findings.map(\.json.text).joined(separator: ",") + "]")
        show(object.text)
    }

    private func show(_ line: String) { EmulationOutput.write(line, to: STDOUT_FILENO) }
}
