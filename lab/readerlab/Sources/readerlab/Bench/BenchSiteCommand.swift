// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LabReport
import LabRuns
import Phone
import Scenario

/// `readerlab bench site`.
struct BenchSiteCommand: BenchReportCommand {
    static let configuration = CommandConfiguration(
        commandName: "site",
        abstract: "People per minute through a door, and the time from the gate's threshold to the lock's edge.",
        discussion: """
            Everything is on the virtual air and on virtual time: equal options give equal figures on every machine.

            people: more people than a turnstile lets through walk up to a reader with 1, 3 and 7 links; how many are \
            let in. edge: a phone that has been looking for readers comes within range; the time until \
            the edge of the lock's line, by kind of phone and connection interval.

              readerlab bench site
              readerlab bench site --part edge --phone iphone-locked --runs 300
              readerlab bench site --report site.html --baseline former.json

            docs/emulators/phone.md has the kinds of phones. Exit code 0 if every part was carried out and no figure \
            is worse \
            than that of --baseline, else 1; 2 for wrong use.
            """)

    @Option(help: "A part alone: people or edge.")
    var part: SiteBench.Part?

    @Option(
        help: ArgumentHelp(
            "A kind of phone alone; may be repeated: \(PhonePreset.all.map(\.name).joined(separator: ", ")).",
            valueName: "KIND"))
    var phone: [PhonePreset] = []

    @Option(help: "Runs of each row of edge; a 99th percentile needs 299.")
    var runs = EdgeBench.runs

    @Option(help: "The seed of the first run of each row.")
    var seed: UInt64 = 1

    @OptionGroup var reports: ReportOptions

    func validate() throws {
        guard (1...10_000).contains(runs) else { throw ValidationError("--runs is 1 to 10000") }
    }

    func run() throws {
        let former = try reports.former()
        let ending = try RunEnding()
        var bench = SiteBench(part, phone, runs: runs)
        try bench.run(seed: seed, isEnding: ending.look)
        var run = BenchSiteRuns.run(bench, seed: seed, command: RepeatedCommand.text())
        run.isInterrupted = ending.isAsked
        try show(BenchSiteText.lines(bench), json: { BenchSiteText.json(bench) }, run, former)
    }
}

extension SiteBench.Part: ExpressibleByArgument {}
