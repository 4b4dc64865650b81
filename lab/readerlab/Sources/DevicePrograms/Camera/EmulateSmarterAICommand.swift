// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import HostLoop

/// `readerlab emulate smarter-ai`.
package struct EmulateSmarterAICommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "smarter-ai",
        abstract: "Play a Smarter AI camera that is onboarded and paired, until SIGINT or SIGTERM.",
        discussion: """
            An app connects, subscribes, and writes a network, a user and a pairing token; the camera tells what it makes \
            of them, signal by signal (docs/emulators/smarter-ai.md). Without --wifi-sim there are the networks Home, \
            with the \
            passphrase "correct horse", and Guest, without one, and any token is good.

              readerlab emulate smarter-ai --hci hci-socket:0
              readerlab emulate smarter-ai --hci hci-socket:0 \\
                --pairing fail --transcript run.json

            While it runs, what happens is told line by line, and faults can be typed: help lists them. At the end it \
            says what the app got wrong. Exit code 0 when a signal ends it, 1 when the controller cannot be \
            reached at first, 2 when a file has a fault.
            """)

    @OptionGroup(title: "Camera")
    var camera: CameraOptions

    @OptionGroup(title: "Run")
    var options: EmulationRunOptions

    @Option(help: ArgumentHelp("How many cameras, 1 to 16; each has its own name and address.", valueName: "COUNT"))
    var count = 1

    package init() {}

    package func validate() throws {
        guard (1...ProgramSettings.maximumDevices).contains(count) else {
            throw ValidationError("--count is 1 to \(ProgramSettings.maximumDevices)")
        }
    }

    package func run() throws {
        let units = try (0..<count).map { try camera.unit($0, of: count) }
        try EmulationRun(units: units, options: options).run()
    }
}
