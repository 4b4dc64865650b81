// SPDX-License-Identifier: Apache-2.0

import Scenario
import Testing

@testable import LabRuns

struct ScenarioTextTests {
    private func summary(ofSeeds seeds: [UInt64]) throws -> ScenarioSummary {
        let json = """
            {"seconds": 1, "phones": [
              {"name": "anna", "path": [{"at-ms": 100, "dbm": -120}], "expect": "opened"}]}
            """
        let scenario = try SiteScenario(json: Array(json.utf8))
        var summary = ScenarioSummary(scenario)
        for seed in seeds { summary.add(try SiteRun(scenario, seed: seed)) }
        return summary
    }

    @Test("each run that is not as expected is listed with its seed and phone")
    func failuresOfSeveralSeeds() throws {
        let lines = ScenarioText.lines(try summary(ofSeeds: [3, 5]), named: "mine.json")
        #expect(
            lines.filter { $0.hasPrefix("FAILED") } == ["FAILED, seed 3: anna unseen", "FAILED, seed 5: anna unseen"])
        #expect(lines.suffix(2).first == "repeat: readerlab scenario mine.json --seed 3 --timeline")
    }

    @Test("more failures than a screen has lines are counted")
    func failuresOfManySeeds() throws {
        let lines = ScenarioText.lines(try summary(ofSeeds: Array(1...23)), named: "mine.json")
        #expect(lines.count { $0.hasPrefix("FAILED") } == 20)
        #expect(lines.contains("and 3 more; --json has each run"))
    }
}
