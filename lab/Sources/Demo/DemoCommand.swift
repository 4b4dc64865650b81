// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Scenario

/// `readerlab demo`, and the program of `script/run`.
public struct DemoCommand: ParsableCommand {
    /// Name, help, and an example.
    public static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Three phones walk up to a reader: too far away, near, and with a bad token.",
        discussion: """
            Everything runs in this process on a virtual clock: the reader's whole stack down to HCI, strict virtual \
            controllers, and phones with a stack of their own. The same seed gives the same run.

              readerlab demo --seed 7
              readerlab demo --controller legacy --json

            Exit code 0 if only the near phone opened the door, else 1.
            """)

    @Flag(help: "One JSON object a line instead of the table.")
    var json = false

    @Option(help: "Seed of everything random: radio noise, timing, keys.")
    var seed: UInt64 = 1

    @Option(help: "The reader's controller: \(ControllerChoice.allValueStrings.joined(separator: ", ")).")
    var controller: ControllerChoice = .modern

    /// A run with the default options.
    public init() {}

    /// Runs the scenario and prints it. Throws exit code 1 if it ended otherwise than it should.
    public func run() throws {
        let scenario = DemoScenario(seed: seed, controller: controller.profile)
        let outcome = try scenario.run()
        if json {
            try TimelineJSON.print(outcome)
        } else {
            TimelineTable.print(outcome)
        }
        if !outcome.isAsExpected { throw ExitCode(1) }
    }
}
