// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// A restart that waits for a quiet moment: a program, such as an updater, asks again and again.
struct WaitingRestart {
    /// The time after the last question for which a restart counts as waiting: several intervals of a patient updater.
    static let patience = Duration.seconds(60)

    /// The first question of the series, and the last.
    private var asked: (first: Instant, last: Instant)?

    /// Handles a question, and its answer.
    mutating func ask(isQuiet: Bool, at now: Instant) {
        guard !isQuiet else { return asked = nil }
        asked = (isWaiting(at: now) ? asked?.first ?? now : now, now)
    }

    /// True while a restart waits.
    func isWaiting(at now: Instant) -> Bool { asked.map { now - $0.last <= WaitingRestart.patience } ?? false }

    /// The whole seconds for which a restart has waited; nil if none waits.
    func seconds(at now: Instant) -> Int64? {
        guard let asked, isWaiting(at: now) else { return nil }
        return (now - asked.first).wholeMilliseconds / 1000
    }
}
