// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import LabReport
import LabRuns
public import TapBench

/// `readerlab bench tap`.
struct BenchTapCommand: BenchReportCommand {
    static let configuration = CommandConfiguration(
        commandName: "tap",
        abstract: "Tap to open over NFC, by stage: field, card, air, line, reader, record.",
        discussion: """
            The reader's own transactions, decision and event store run on this machine with models of cards and \
            phones; their times are measured. The time in the field is computed from the octets, by the clock of \
            ISO/IEC 14443 with the shortest delays, and the time on the serial line to a PN532 from its frames. The \
            work of a card or phone is assumed: nobody has published it by command.

            token is a phone that reads, with the reader as its card; pkoc and desfire are cards; the Aliro kinds are \
            phones: fast with a key from before, standard, and step-up, whose phone brings its access document.

              readerlab bench tap
              readerlab bench tap --kind aliro-fast --kind aliro-standard --bit-rate 424
              readerlab bench tap --answer-ms 120 --json

            What it shows: with the card's work, the field and the line at 115,200 baud almost all of a tap is not the \
            reader's. A faster line (--line-rate 921600) and a shorter nfc.round-ms (--round-ms) save more than any \
            change of the reader. Not included: a phone that has to be woken by the polling frame, and the lock.

            Exit code 0 if every kind was measured, Aliro is within 250 ms (fast) and 500 ms (standard), and the \
            reader's own part within 10 ms, else 1; 2 for wrong use.
            """)

    @Option(
        help: ArgumentHelp(
            "A kind alone; may be repeated: \(TapKind.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "KIND"))
    var kind: [TapKind] = []

    @Option(help: "Bits in the field: 106, 212 or 424 kbit/s.")
    var bitRate = ContactlessClock.BitRate.kbit106

    @Option(help: "Bits a second on the line to the chip.")
    var lineRate = 115_200

    @Option(help: "The card's work for a command, in milliseconds.")
    var answerMs = TapAssumptions().answer / 1_000_000

    @Option(help: "The additional work for a signature or key agreement, in milliseconds.")
    var signatureMs = TapAssumptions().keyWork / 1_000_000

    @Option(help: "From one round of polling to the next, in milliseconds, as nfc.round-ms.")
    var roundMs = TapAssumptions().round / 1_000_000

    @Option(help: "Transactions of each kind; the figures are their medians.")
    var runs = 100

    @OptionGroup var reports: ReportOptions

    func validate() throws {
        guard (1...10_000).contains(runs) else { throw ValidationError("--runs is 1 to 10000") }
        guard (9600...1_288_000).contains(lineRate) else { throw ValidationError("--line-rate is 9600 to 1288000") }
        for (name, value) in [("answer", answerMs), ("signature", signatureMs), ("round", roundMs)] {
            guard (0...5000).contains(value) else { throw ValidationError("--\(name)-ms is 0 to 5000") }
        }
    }

    func run() throws {
        let former = try reports.former()
        let ending = try RunEnding()
        var assumptions = TapAssumptions()
        (assumptions.answer, assumptions.keyWork) = (answerMs * 1_000_000, signatureMs * 1_000_000)
        assumptions.round = roundMs * 1_000_000
        let bench = try BenchTap(
            kind.isEmpty ? TapKind.allCases : kind, runs: runs, ContactlessClock(bitRate, lineRate: lineRate),
            assumptions, isEnding: ending.look)
        var run = BenchTapRuns.run(bench, command: RepeatedCommand.text())
        run.isInterrupted = ending.isAsked
        try show(BenchTapText.lines(bench), json: { BenchTapText.json(bench) }, run, former)
    }
}

extension TapKind: @retroactive ExpressibleByArgument {}

extension ContactlessClock.BitRate: @retroactive ExpressibleByArgument {}
