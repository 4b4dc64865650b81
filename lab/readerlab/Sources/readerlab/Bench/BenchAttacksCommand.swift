// SPDX-License-Identifier: Apache-2.0

import Proximity
import Statistics
import ArgumentParser
import GateReport
import GateTrial
import LabReport
import LabRuns
import Reader
import Scenario

/// `readerlab bench attacks`.
struct BenchAttacksCommand: BenchReportCommand {
    static let configuration = CommandConfiguration(
        commandName: "attacks",
        abstract: "Attacks on a reader with the defaults, and the errors of its gate.",
        discussion: """
            attacks: relays, replays, forged, called back and ended credentials, each tried against the reader's own \
            code on the virtual air; how many released the lock. A relay passes: signal strength does not stop it.

            errors: of the files of traces, how often the default gate refuses a phone at the door, and accepts one \
            from \(DecimalText.of(GateBench.farMetres, 0)) m on. That is no attack, and no attack is among it \
            (ISO/IEC 19795-1).

              readerlab bench attacks lab/Traces/*.csv
              readerlab bench attacks --runs 300 --report attacks.html

            Equal options and files give equal figures. Exit code 0 if every attack was carried out and none but a \
            relay opened, else 1; 2 for wrong use.
            """)

    @Argument(help: ArgumentHelp("Files of traces, for the errors.", valueName: "FILE"))
    var files: [String] = []

    @Option(help: "Tries of each attack; 299 without an opening leave 1.3 % at most (95 %).")
    var runs = AttackBench.runs

    @Option(help: "The seed of the first try of each attack.")
    var seed: UInt64 = 1

    @OptionGroup var reports: ReportOptions

    func validate() throws {
        guard (1...10_000).contains(runs) else { throw ValidationError("--runs is 1 to 10000") }
    }

    func run() throws {
        let former = try reports.former()
        let ending = try RunEnding()
        var errors: [GateBench] = []
        for file in files {
            errors.append(GateBench(GateCommand.name(of: file), try GateCommand.load(file), gate: .init()))
        }
        var attacks = Attack.all.map { AttackBench($0) }
        for row in attacks.indices {
            for number in 0..<UInt64(runs) where !ending.look() {
                if number % 10 == 0 {
                    BenchProgress.show(row * runs + Int(number), of: attacks.count * runs, attacks[row].attack.name)
                }
                try attacks[row].run(seed: seed &+ number)
            }
        }
        BenchProgress.show(attacks.count * runs, of: attacks.count * runs, "")
        var run = BenchAttacksRuns.run(attacks, errors, seed: seed, command: RepeatedCommand.text())
        run.isInterrupted = ending.isAsked
        try show(
            BenchAttacksText.lines(attacks, errors), json: { BenchAttacksText.json(attacks, errors) }, run, former)
    }
}
