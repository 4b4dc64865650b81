// SPDX-License-Identifier: Apache-2.0

package import GateReport
package import LabReport
import Reader
package import Scenario
import Statistics

/// The bench of attacks as a run of the lab: on virtual time, so that equal options make equal reports.
package enum BenchAttacksRuns {
    package static func run(_ attacks: [AttackBench], _ errors: [GateBench], seed: UInt64, command: String) -> LabRun {
        var run = LabRun(suite: "bench attacks", version: FirmwareVersion.text, command: command, seed: seed)
        run.cases = attacks.map(one)
        run.tables = [LabTable("Attacks", BenchAttacksText.attackRows(attacks))]
        if !errors.isEmpty { run.tables.append(LabTable("Errors of the gate", BenchAttacksText.errorRows(errors))) }
        return run
    }

    /// The case of an attack. It fails if the attack opens the door, except for a relay, which is known to succeed.
    private static func one(_ row: AttackBench) -> LabCase {
        var one = LabCase("bench.attacks", row.attack.name)
        guard let share = row.share else {
            one.result = .skipped("the run ended before it")
            return one
        }
        if !row.attack.isRelay, row.openings > 0 {
            one.result = .failed(
                type: "opened", message: "\(row.attack.name) opened in \(row.openings) of \(row.tries) tries", text: "")
        }
        one.metrics = [
            LabMetric("openings", share.value, "", interval: share.interval, count: row.tries, isLessBetter: true)
        ]
        return one
    }
}

extension Attack {
    /// True for a relay, which no limit of the signal strength prevents.
    var isRelay: Bool { if case .relay = self { true } else { false } }
}
