// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LabRuns
import Scenario

/// `readerlab play`: a scenario in real time, which lines change.
struct PlayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Watch a scenario in real time, and carry its phones elsewhere.",
        discussion: """
            Without a scenario: a door with four people who stand around it. help lists the lines that can be typed; \
            save answers with the scenario as it was played. On a floor plan: readerlab web demo, readerlab web \
            scenario NAME.

              readerlab play
              readerlab play next-room --seed 7
            """)

    @Argument(help: "A scenario of readerlab scenario --list, or a file.")
    var scenario: String?

    @Option(help: "The seed of the run.")
    var seed: UInt64 = 1

    @Flag(help: "Begin when play is typed.")
    var paused = false

    @Flag(help: "One JSON object a line.")
    var json = false

    func run() throws {
        let name = scenario ?? ScenarioLibrary.demo.name
        let loaded =
            try scenario.map { try ScenarioCommand.load($0) }
            ?? SiteScenario(json: Array(ScenarioLibrary.demo.json.utf8))
        let play = try SitePlay(loaded, named: name, seed: seed, isPlaying: !paused)
        try PlayProgram(play, json: json).run()
    }
}
