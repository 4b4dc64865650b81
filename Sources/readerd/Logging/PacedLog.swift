// SPDX-License-Identifier: Apache-2.0

import Logging
import System

/// A log whose lines about each subject are limited. On the reactor's thread.
final class PacedLog {
    private let log: Logger
    private let reactor: Reactor
    private var pacing: LinePacing
    private lazy var timer = reactor.timer { [weak self] in self?.tellCounts() }

    init(_ log: Logger, _ reactor: Reactor, limit: Int) {
        (self.log, self.reactor) = (log, reactor)
        pacing = LinePacing(limit: limit)
    }

    /// Logs a line, or counts it if there were too many about its subject.
    func log(_ level: Logger.Level, about subject: String, _ line: @autoclosure () -> String) {
        guard log.logLevel <= level else { return }
        tellCounts()
        if pacing.admits(subject, at: reactor.now) { log.log(level: level, "\(line())") }
        timer.set(pacing.nextDeadline)
    }

    private func tellCounts() {
        for count in pacing.takeCounts(at: reactor.now) {
            log.warning("\(count.subject): \(count.omitted) further lines within a minute")
        }
        timer.set(pacing.nextDeadline)
    }
}
