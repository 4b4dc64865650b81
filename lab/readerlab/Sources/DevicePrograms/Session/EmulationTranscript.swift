// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import Console
package import Emulation
import Glibc
package import JSON
import System

/// The options for the output of an emulation.
package struct EmulationOutputOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write down everything that happened, and what the app got wrong, as JSON at the end.", valueName: "FILE"))
    package var transcript: String?

    @Flag(help: "One JSON object a line.")
    package var json = false

    package init() {}
}

/// The file that receives the timeline at the end of a run; nothing is written without a path.
package struct EmulationTranscript {
    package let path: String?

    /// Verifies that the file can be written, since at the end an error would be too late.
    package func check() throws(CommandError) {
        guard let path else { return }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { throw unwritable(path, EISDIR) }
        guard access(DurableFile.directory(of: path), W_OK | X_OK) == 0 else { throw unwritable(path, errno) }
    }

    /// Writes the timeline, with a description of each device.
    package func write(_ timeline: Timeline, _ devices: [JSONObject]) throws(CommandError) {
        guard let path else { return }
        let text = timeline.transcript(devices: devices)
        do throws(DurableFile.Failure) { try DurableFile.replace(path, with: Array(text.utf8)) } catch {
            throw unwritable(path, error.errno)
        }
    }

    private func unwritable(_ path: String, _ code: Int32) -> CommandError {
        CommandError.failed(
            "\(path): cannot write the transcript: \(String(cString: strerror(code))); name a file in a directory that "
                + "may be written")
    }
}
