// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import Commands
package import Emulation
package import JSON

/// The options for the output of an emulation.
package struct EmulationOutputOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write down everything that happened, and what the app got wrong, as JSON at the end.", valueName: "FILE"))
    package var transcript: String?

    @Option(help: ArgumentHelp("Write what the app got wrong as JUnit XML at the end.", valueName: "FILE"))
    package var junit: String?

    @Option(
        help: ArgumentHelp(
            "Write the run as an HTML page at the end: what the app got wrong, the entries before it, and the command that "
                + "repeats it.", valueName: "FILE"))
    package var report: String?

    @Flag(help: "Exit with code 3 if the app got something wrong.")
    package var failOnFindings = false

    @Flag(help: "One JSON object a line.")
    package var json = false

    package init() {}
}

/// The file that receives the timeline at the end of a run; nothing is written without a path.
package struct EmulationTranscript {
    package let path: String?

    private var file: EmulationReportFile? { path.map { EmulationReportFile(path: $0, content: "the transcript") } }

    /// Verifies that the file can be written, since at the end an error would be too late.
    package func check() throws(CommandError) { try file?.check() }

    /// Writes the timeline, with a description of each device.
    package func write(_ timeline: Timeline, _ devices: [JSONObject]) throws(CommandError) {
        try file?.write(timeline.transcript(devices: devices))
    }
}
