// SPDX-License-Identifier: Apache-2.0

package import Commands
import Console
package import Emulation
import Glibc
package import JSON
import Octets
package import Timekeeping

/// Prints the timeline on standard output as it grows, and writes the transcript.
package struct EmulationView {
    private let json: Bool
    private let transcript: EmulationTranscript
    private let verdict: EmulationVerdict
    private let text: TimelineText

    package init(_ options: EmulationOutputOptions, devices: Int = 1) {
        json = options.json
        transcript = EmulationTranscript(path: options.transcript)
        verdict = EmulationVerdict(
            junit: options.junit, failsOnFindings: options.failOnFindings, report: options.report,
            transcript: options.transcript)
        text = TimelineText(hasColour: EmulationView.hasColour, hasDevices: devices > 1)
    }

    /// True to use colours: on a terminal, unless disabled (no-color.org).
    private static var hasColour: Bool {
        isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil
            && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// Verifies that the files of the end of the run can be written.
    package func check() throws(CommandError) {
        try transcript.check()
        try verdict.check()
    }

    /// Prints a device, as an event of this name.
    package func begin(_ device: JSONObject, name: String = "emulation", _ lines: [String]) {
        if json {
            var object = JSONObject()
            object.add("event", name)
            object.add(contentsOf: device)
            show(object.text)
        } else {
            // Only the lines of a QR code begin with their colours.
            for line in lines { show(line, isStyled: line.hasPrefix("\u{1B}[")) }
        }
    }

    /// Prints an entry. Typed commands have been answered already.
    package func show(_ entry: TimelineEntry) {
        if !json, case .command(_, isTyped: true) = entry.event { return }
        show(json ? entry.json.text : text.line(entry), isStyled: !json)
    }

    /// Prints the entries that were not yet printed.
    package func show(_ timeline: inout Timeline) { while let entry = timeline.next() { show(entry) } }

    /// Prints a state that has changed, as JSON: the terminal has the lines that changed it.
    package func show(_ log: inout ObservedStateLog, _ state: () -> ObservedState) {
        if json, let line = log.line(state()) { show(line) }
    }

    /// Prints a picture in JPEG, as JSON.
    package func show(picture: [UInt8]) {
        guard json else { return }
        let object: JSONObject = ["event": "picture", "jpeg": Hexadecimal.text(picture)]
        show(object.text)
    }

    /// Executes a typed command by `body`, and prints its answer or its fault.
    package func answer(_ body: () throws(CommandFault) -> [String]) {
        let answer = TypedAnswer.of { () throws(CommandFault) in TypedAnswer(lines: try body()) }
        for line in json ? [answer.json().text] : answer.sentences { show(line) }
    }

    /// Applies the rules that depend on time, prints the remaining entries and the summary, and writes the transcript
    /// and the reports with these devices. An error of `outcome`, the run, comes before that of findings.
    package func end<Failure>(
        _ timeline: inout Timeline, at now: Instant, _ devices: [JSONObject], _ outcome: Result<Void, Failure>
    ) throws(CommandError) {
        timeline.advance(to: now)
        show(&timeline)
        showSummary(timeline)
        try transcript.write(timeline, devices)
        try verdict.write(timeline, devices)
        do { try outcome.get() } catch { throw CommandError(error) }
        try verdict.judge(timeline)
    }

    private func showSummary(_ timeline: Timeline) {
        guard json else {
            for line in timeline.summary { show(line) }
            return
        }
        let object: JSONObject = ["event": "summary", "findings": timeline.findings.map(\.json)]
        show(object.text)
    }

    private func show(_ line: String, isStyled: Bool = false) {
        ConsoleOutput.write(line, to: STDOUT_FILENO, isStyled: isStyled)
    }
}
