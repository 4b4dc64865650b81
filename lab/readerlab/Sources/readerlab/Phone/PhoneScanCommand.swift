// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Glibc
import HostLoop
import Peripheral
import Phone
import PhoneTool
import Timekeeping

/// `readerlab phone scan`.
struct PhoneScanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "Show which readers are around, and how well they are heard.",
        discussion: """
            On a terminal each reader has a line with a strip that moves: the last six seconds of its signal, from -100 \
            to -30 dBm. In a pipe there is a line for each reader and second. A reader has an address for each mode.

              readerlab phone scan --hci hci-socket:0
              readerlab phone scan --hci hci-socket:0 --seconds 3 --json

            Exit code 0 if a reader was heard, else 1.
            """)

    @OptionGroup var radio: PhoneRadioOptions

    @Option(help: ArgumentHelp("How long; on a terminal until Ctrl-C if not given, else 5.", valueName: "SECONDS"))
    var seconds: Double?

    @Flag(help: "Show every device that advertises, not readers alone.")
    var all = false

    private static let usualSeconds = 5.0

    func validate() throws {
        if let seconds, !(seconds.isFinite && 0.25...86_400 ~= seconds) {
            throw ValidationError("--seconds is 0.25 to 86400")
        }
        _ = try radio.controller()
    }

    func run() throws {
        let controller = try radio.controller()
        let view = ScanView(json: radio.json, isLive: ScanView.isLive)
        let duration = seconds ?? (view.isLive ? nil : PhoneScanCommand.usualSeconds)
        let scan = ReaderScan(
            for: duration.map { .milliseconds(Int64($0 * 1000)) }, showsAll: all, address: radio.ownAddress,
            scanning: radio.phone?.scanning ?? .always)
        try PhoneScanCommand.run(scan, on: controller, radio, view)
    }

    private static func run(
        _ scan: ReaderScan, on controller: String, _ radio: PhoneRadioOptions, _ view: ScanView
    ) throws(CommandError) {
        let capture = try radio.capture()
        var shown = view
        var failure: VisitFailure?
        var hasHeardReader = false
        do {
            let loop = try HostLoop(scan, on: TransportName(controller), capture: capture)
            loop.onEndingSignal { scan, now in scan.stop(at: now) }
            try loop.run { [unowned loop] scan in
                while let notice = scan.nextNotice() {
                    shown.show(notice, scan)
                    guard case .ended(let ended) = notice else { continue }
                    failure = ended
                    loop.stop()
                }
                hasHeardReader = scan.hasHeardReader
            }
        } catch {
            throw .failed("\(error)")
        }
        if let failure { throw .failed(failure.explanation.description) }
        guard hasHeardReader else {
            throw .failed(VisitFailure(.notFound([]), at: .looking).explanation.description)
        }
    }
}
