// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Crypto
import Glibc
public import HostLoop
import Peripheral
public import Phone
import PhoneTool
import System
import Timekeeping

// The types meet the requirements of the loop; the conformances are here so that their libraries stay independent.
extension PhoneVisit: @retroactive HostedDevice {}
extension ReaderScan: @retroactive HostedDevice {}

/// Runs the visits of a phone, on a controller or on an NFC chip.
enum PhoneVisitRun {
    /// Visits a reader with the credentials for `need`, otherwise for `other`, and prints the progress. Throws unless
    /// all visits succeed.
    static func perform(
        _ options: PhoneVisitOptions, _ need: PhoneKeyring.Need, or other: PhoneKeyring.Need? = nil, visits: Int = 1,
        showing: PhoneVisitView.Result = .answers, _ task: (PhoneKeyring.Need) -> PhoneTask
    ) throws(CommandError) {
        let (keyring, need) = try keyring(options, need, or: other)
        var plan = try options.plan(task(need), keyring)
        plan.visits = visits
        let view = PhoneVisitView(
            json: options.radio.json, isQuiet: options.quiet, result: showing, hasTable: visits > 1)
        view.begin(keyring)
        try run(plan, options, view)
    }

    private static func keyring(
        _ options: PhoneVisitOptions, _ need: PhoneKeyring.Need, or other: PhoneKeyring.Need?
    ) throws(CommandError) -> (PhoneKeyring, PhoneKeyring.Need) {
        guard let bundle = options.bundle else { return (try PhoneKeyring(), need) }
        do throws(CommandError) {
            return (try PhoneKeyring(bundle: bundle, need: need, token: options.token), need)
        } catch {
            guard let other, let keyring = try? PhoneKeyring(bundle: bundle, need: other, token: options.token) else {
                throw error
            }
            return (keyring, other)
        }
    }

    /// Runs the visits to their end; a signal ends them in an orderly way. Throws the last failure.
    private static func run(
        _ plan: PhoneVisitPlan, _ options: PhoneVisitOptions, _ view: PhoneVisitView
    ) throws(CommandError) {
        var shown = view
        let failure: VisitFailure?
        do throws(CommandError) {
            failure =
                if let connection = options.nfc {
                    try PhoneTouchRun.visit(plan, connection, &shown)
                } else if let socket = options.asCard.map({ $0.dropFirst("unix:".count) }) {
                    try PhoneCardRun.visit(plan, String(socket), &shown)
                } else {
                    try visit(plan, options.radio, &shown)
                }
        } catch {
            shown.lost(error)
            throw error
        }
        if let failure { throw .failed(failure.explanation.description) }
        if shown.endedCount < plan.visits {
            throw .failed("interrupted after \(shown.endedCount) of \(plan.visits) visits; nothing is left connected")
        }
    }

    /// Runs the visits on a controller. Returns the last failure.
    private static func visit(
        _ plan: PhoneVisitPlan, _ radio: PhoneRadioOptions, _ view: inout PhoneVisitView
    ) throws(CommandError) -> VisitFailure? {
        let visit = PhoneVisit(plan, address: radio.ownAddress, clock: .system, random: SystemRandomSource())
        let capture = try radio.capture()
        var shown = view
        defer { view = shown }
        var failure: VisitFailure?
        do {
            let loop = try HostLoop(visit, on: TransportName(radio.controller()), capture: capture)
            loop.onEndingSignal { visit, now in visit.interrupt(at: now) }
            try loop.run { [unowned loop] visit in
                while let notice = visit.nextNotice() {
                    shown.show(notice, visit.task)
                    if case .ended(let ended?, _) = notice { failure = ended }
                    if notice == .finished { loop.stop() }
                }
            }
        } catch {
            throw .failed("\(error)")
        }
        return failure
    }
}
