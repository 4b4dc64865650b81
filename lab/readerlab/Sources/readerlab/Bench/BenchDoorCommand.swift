// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Glibc
import LabRuns
import LoadGenerator

/// `readerlab bench door`.
struct BenchDoorCommand: BenchLoadCommand {
    static let configuration = CommandConfiguration(
        commandName: "door",
        abstract: "Open a reader's door again and again: from a token's last octet to the edge of the lock's line.",
        discussion: """
            COMMAND is a readerd, started with {hci} replaced by the transport's name. Its configuration has

              allow-demo-identity = true      gpio.lock = "gpiochip0:0"
              proximity.gate = []             door.re-arm-ms = 3, or less

            and what else is to be measured, as events.audit. The line is no real one: the library that --line-clock \
            names stands for libgpiod in the reader, and notes when the reader sets it, and when the token's last octet \
            was in the process. The bare operations are those that libcrypto has to do for an opening. Another process \
            does them, woken as the reader is, once before or after each opening in turn.

            Prints a table, times in microseconds. The reader's log is shown, its last lines, if the run fails; --log \
            keeps all of it. Exit code 0 if everything was carried out and no figure is worse than that of \
            --baseline, else 1; 2 for wrong use.
            """)

    @Option(name: [.customShort("k"), .long], help: "Phones, each with a link, 1 to \(LoadPlan.maximumPhones).")
    var phones = 1

    @Option(name: [.customShort("n"), .long], help: "Openings of each kind.")
    var openings = 1000

    @Option(help: "The library that stands for the lock's line: libLineClock.so of this build.")
    var lineClock: String

    @Option(help: "The library that counts allocations in the reader: libAllocationCounter.so of this build.")
    var allocationCounter: String?

    @Option(help: ArgumentHelp("Where all of the reader's log goes.", valueName: "FILE"))
    var log: String?

    @OptionGroup var reports: ReportOptions

    @Argument(parsing: .postTerminator, help: "The reader's command, with {hci} in it.")
    var command: [String] = []

    /// The plan from the options.
    func plan() throws -> DoorPlan {
        var plan = DoorPlan()
        (plan.phones, plan.openings, plan.exchanges) = (phones, openings, openings)
        try plan.validate()
        return plan
    }

    func run() throws {
        let former = try reports.former()
        let ending = try RunEnding()
        let output = try BenchLog.ofOption(log)
        let report = try DoorLoad.run(
            HostCommand(command), plan: plan(), bare: HostCommand(["/proc/self/exe", "bench", "bare", "{hci}"]),
            lineClock: lineClock, allocationCounter: allocationCounter, output: output.descriptor,
            isEnding: ending.look)
        if report.fault != nil { for line in output.tail() { ConsoleOutput.write(line, to: STDERR_FILENO) } }
        try show(
            BenchDoorTableText.lines(report), json: { try BenchDoorJSON.text(report) },
            BenchRuns.run(report, command: RepeatedCommand.text()), former)
    }
}
