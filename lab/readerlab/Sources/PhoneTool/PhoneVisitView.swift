// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
package import Commands
import Emulation
import Glibc
import JSON
package import Phone
import Timekeeping

/// Prints the progress of visits as it happens: lines for people, or JSON objects.
package struct PhoneVisitView {
    /// The part of answers that is shown.
    package enum Result {
        /// Each answer.
        case answers
        /// The events that were gathered.
        case events
        /// The clock alone.
        case clock
    }

    package let json: Bool
    package let isQuiet: Bool
    package let result: Result
    /// True if there are several visits: a line for each, and a table.
    package let hasTable: Bool
    private var statistics = VisitStatistics()
    private var number = 0
    private var answers = 0

    package init(json: Bool, isQuiet: Bool = false, result: Result = .answers, hasTable: Bool = false) {
        (self.json, self.isQuiet, self.result, self.hasTable) = (json, isQuiet, result, hasTable)
    }

    /// Prints the identity.
    package func begin(_ keyring: PhoneKeyring) {
        guard json else {
            // The demo identity is reported in any case.
            if !isQuiet || keyring.isDemo { ConsoleOutput.write(keyring.introduction, to: STDERR_FILENO) }
            return
        }
        let object: JSONObject = ["event": "identity", "demo": keyring.isDemo, "text": keyring.introduction]
        print([object.text])
    }

    /// Prints a notice.
    package mutating func show(_ notice: VisitNotice, _ task: PhoneTask) { print(lines(notice, task)) }

    /// Prints that the controller is missing or gone, and the results so far.
    package func lost(_ error: CommandError) {
        if json {
            let object: JSONObject = ["event": "failed", "text": error.text]
            print([object.text])
        }
        print(table)
    }

    /// The number of visits that have ended.
    package var endedCount: Int { statistics.doneCount + statistics.failedCount }

    private func print(_ lines: [String]) {
        for line in lines { ConsoleOutput.write(line, to: STDOUT_FILENO) }
    }

    /// The lines for a notice.
    package mutating func lines(_ notice: VisitNotice, _ task: PhoneTask) -> [String] {
        statistics.record(notice)
        switch notice {
        case .began(let number):
            self.number = number
            answers = 0
            return []
        case .step(let step, let sinceStart, let took):
            if case .answer = step { answers += 1 }
            if json { return [VisitJSON.step(step, number, sinceStart, took)] }
            return lines(step, sinceStart, took)
        case .ended(let failure, let sinceStart):
            var lines: [String] = []
            if failure == nil, case .events(let reading) = task {
                lines += json ? [VisitJSON.events(reading.events)] : AnswerText.table(reading.events)
            }
            return lines + end(failure, sinceStart)
        case .finished: return hasTable ? table : []
        }
    }

    private func lines(_ step: VisitStep, _ sinceStart: Duration, _ took: Duration) -> [String] {
        // Of a long reading only the first answer is shown.
        let isShown = !isQuiet && !hasTable && (result != .events || answers == 0)
        let line = isShown ? [VisitText.line(step, sinceStart, took)] : []
        guard case .answer(_, let answer) = step, !hasTable else { return line }
        switch (result, answer) {
        case (.events, _): return line
        case (.clock, .status(let status)): return line + [AnswerText.clock(status)]
        case (.clock, _): return line
        case (.answers, _): return line + AnswerText.lines(answer)
        }
    }

    private func end(_ failure: VisitFailure?, _ sinceStart: Duration) -> [String] {
        if json { return [VisitJSON.end(failure, number, sinceStart)] }
        let milliseconds = "\(sinceStart.wholeMilliseconds) ms"
        // The last failure is reported on standard error when the program ends.
        if hasTable { return ["visit \(number): " + (failure?.explanation.description ?? "done in \(milliseconds)")] }
        return failure == nil && !isQuiet ? [VisitText.line("disconnected", sinceStart, "")] : []
    }

    /// The times of several visits.
    private var table: [String] {
        guard hasTable else { return [] }
        return json ? [VisitJSON.table(statistics)] : VisitText.table(statistics)
    }
}
