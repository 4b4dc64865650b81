// SPDX-License-Identifier: Apache-2.0

import JSON
import Reader
import TestSupport
import Testing
import Timekeeping

@testable import readerd

/// Questions of fault tests to a running reader: the faults that it reports, and the functions that remain.
extension ProcessRig {
    /// A fault as `readerd status` has it.
    struct ShownFault: Equatable {
        var code: String
        var text: String
        var hasSince: Bool
    }

    /// The faults that the status shows.
    func shownFaults(_ client: BlockingClient) throws -> [ShownFault] {
        let status = try JSONParser.parse(Array((client.ask(#"{"get":"status"}"#) ?? "").utf8))
        return (status["faults"]?.elements ?? []).map {
            ShownFault(
                code: $0["code"]?.text ?? "?", text: $0["text"]?.text ?? "?", hasSince: $0["since"]?.text != nil)
        }
    }

    /// Waits until the status shows this fault, or does not any more.
    @discardableResult
    func wait(_ client: BlockingClient, for code: FaultCode, isShown: Bool = true) throws -> ShownFault? {
        var found: ShownFault?
        // Nothing tells a client when a fault begins; the store's thread and the reactor need a moment.
        let isSo = try eventually {
            found = try shownFaults(client).first { $0.code == code.rawValue }
            return (found != nil) == isShown
        }
        #expect(isSo, "\(code.rawValue) is \(isShown ? "not shown" : "still shown"); the log:\n\(lines.all)")
        return found
    }

    /// Waits until what was kept of an earlier run is known, with which the clock begins.
    func waitUntilRestored() {
        let isRestored = eventually {
            var isRestored = false
            onLoop { [self] in isRestored = process.stage.isRestored }
            return isRestored
        }
        #expect(isRestored, "the store does not answer")
    }

    /// The metric of a fault.
    func metric(_ client: BlockingClient, _ code: FaultCode) throws -> String? {
        let answer = try JSONParser.parse(Array((client.ask(#"{"get":"metrics"}"#) ?? "").utf8))
        return (answer["metrics"]?.text ?? "").split(separator: "\n").first {
            $0.hasPrefix("readerd_fault{code=\"\(code.rawValue)\"} ")
        }.map { String($0.last ?? "?") }
    }

    /// The number of log lines that report this fault.
    func told(_ code: FaultCode) -> Int {
        lines.all.split(separator: "\n").count {
            $0.contains("fault \(code.rawValue): ") && !$0.contains(": over after ")
        }
    }

    /// The contact has had this level long enough to count.
    func contact(isOpen: Bool) {
        onLoop { [self] in
            let past = process.moment.instant + .seconds(-1)
            process.receive([.level(isOpen, since: past)], of: .contact)
            process.device.advance(to: process.moment)
            process.flush()
        }
    }

    /// Presses the exit's button for its debounce time, as its line reports it, and releases it: the lock is free while
    /// it is pressed. The reader's clock is moved, so that nothing depends on the speed of the machine.
    ///
    /// A press without a duration is a bounce, and has no effect however often it is repeated; only the first level of
    /// all counts at once. A free lock alone proves no press: it stays free for a pulse after an exit.
    func exitFreesTheLock() {
        onLoop { [self] in
            for isPressed in [true, false] {
                process.receive([.level(isPressed, since: process.moment.instant)], of: .exit)
                pass(InputDebouncer.defaultTime)
                #expect(process.device.reader.doorStatus.isExitRequested == isPressed)
                if isPressed { #expect(process.lines.record.level(of: .lock) == true) }
            }
        }
    }

    /// Moves the reader's clock, on the loop.
    func pass(_ duration: Duration) {
        skew.value += duration
        process.device.advance(to: process.moment)
        process.flush()
    }

    /// An operator opens the door over the control socket.
    func operatorOpens(_ client: BlockingClient) { #expect(client.ask(#"{"unlock":"pulse"}"#) == #"{"ok":true}"#) }

    /// The door's state, as the status has it.
    func doorState(_ client: BlockingClient) throws -> String? {
        try JSONParser.parse(Array((client.ask(#"{"get":"status"}"#) ?? "").utf8))["door"]?["state"]?.text
    }
}

/// Office hours that never end.
let alwaysOpen = "[door]\nschedules = [\"mon-sun 00:00-24:00\"]\n"
