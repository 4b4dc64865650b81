// SPDX-License-Identifier: Apache-2.0

package import Commands
import Crypto
package import Phone
import System
import Timekeeping

/// Runs the touches of a phone on an NFC chip. Its calls block; signals are checked between them, and end the touch in
/// an orderly way.
package struct PhoneTouchRun {
    /// The pause between two searches for a card, which keeps the chip from being always busy.
    private static let looking = Duration.milliseconds(50)

    private let plan: PhoneVisitPlan
    private let signals: EndingSignals
    private let chip: NFCInitiator
    private let clock = PhoneClock.system
    private var view: PhoneVisitView
    private var failure: VisitFailure?

    /// Touches a reader as often as the plan says. Returns the last failure.
    package static func visit(
        _ plan: PhoneVisitPlan, _ connection: String, _ view: inout PhoneVisitView
    ) throws(CommandError) -> VisitFailure? {
        let signals = try EndingSignals()
        var run = PhoneTouchRun(plan: plan, signals: signals, chip: try NFCInitiator(connection), view: view)
        defer { view = run.view }
        try run.visit()
        return run.failure
    }

    private init(plan: PhoneVisitPlan, signals: EndingSignals, chip: NFCInitiator, view: PhoneVisitView) {
        (self.plan, self.signals, self.chip, self.view) = (plan, signals, chip, view)
    }

    private mutating func visit() throws(CommandError) {
        var pause = Duration.zero
        for number in 1...plan.visits {
            if number > 1, signals.arrive(within: pause) { break }
            let ended: VisitFailure?
            do throws(NFCInitiator.Fault) { ended = try touch(number) } catch { throw chip.failure }
            failure = ended ?? failure
            if ended?.cause == .interrupted { break }
            pause = ended == nil ? plan.pauses.success : plan.pauses.failure
        }
        view.show(.finished, plan.task)
    }

    /// Touches a reader once. Returns the failure.
    private mutating func touch(_ number: Int) throws(NFCInitiator.Fault) -> VisitFailure? {
        var touch = PhoneTouch(
            plan, number: number, clock: clock, random: SystemRandomSource(), at: MonotonicClock.now)
        try find(&touch)
        show(&touch)
        while let command = touch.takeCommand() {
            try exchange(command, &touch)
            show(&touch)
        }
        if touch.isActivated { chip.release() }
        return touch.failure
    }

    /// Waits for a card in the field.
    private func find(_ touch: inout PhoneTouch<SystemRandomSource>) throws(NFCInitiator.Fault) {
        while !(try chip.activate()) {
            if signals.arrive(within: PhoneTouchRun.looking) { return touch.end(.interrupted, at: MonotonicClock.now) }
            if MonotonicClock.now >= touch.deadline { return touch.end(.notTouched, at: MonotonicClock.now) }
        }
        touch.activated(at: MonotonicClock.now)
    }

    private func exchange(
        _ command: [UInt8], _ touch: inout PhoneTouch<SystemRandomSource>
    ) throws(NFCInitiator.Fault) {
        if signals.arrive(within: .zero) { return touch.end(.interrupted, at: MonotonicClock.now) }
        do throws(NFCInitiator.Fault) {
            touch.receive(try chip.exchange(command), at: MonotonicClock.now)
        } catch .lost {
            touch.end(.cardLost, at: MonotonicClock.now)
        }
    }

    private mutating func show(_ touch: inout PhoneTouch<SystemRandomSource>) {
        for notice in touch.takeNotices() { view.show(notice, touch.task) }
    }
}
