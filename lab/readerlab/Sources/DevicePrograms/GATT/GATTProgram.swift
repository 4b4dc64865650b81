// SPDX-License-Identifier: Apache-2.0

import Console
package import Commands
package import Emulation
package import GATTDevice
package import HostLoop
import Timekeeping

/// The program around devices from files: typed lines, lines of events, reports.
package final class GATTProgram {
    private var output: EmulationOutput
    private let steps: [EmulatedStep]

    package init(_ output: EmulationOutput, _ steps: [EmulatedStep]) {
        self.output = output
        self.steps = steps
    }

    /// Verifies that the files of the end of the run can be written.
    package func check() throws(CommandError) { try output.check() }

    /// Runs until a signal or `quit`. The reports and the summary are written in any case.
    package func run(_ loop: HostLoop<EmulatedDevice>) throws(CommandError) {
        output.begin()
        loop.watchLines { device, now, line in
            self.output.answer { timeline throws(CommandFault) in
                let command = try DeviceCommand(line: line, steps: self.steps)
                let lines = device.execute(command, timeline, self.steps, at: now)
                guard case .shared(let shared) = command else { return (lines, false) }
                if shared == .quit { loop.stop() }
                return (lines, shared.isQuestion)
            }
        }
        var states = ObservedStateLog()
        let outcome = Result {
            try loop.run { device in
                while let notice = device.nextNotice() {
                    if case .executed(.quit, _) = notice { loop.stop() }
                    self.output.report(notice)
                }
                self.output.show(&states) { device.observed }
            }
        }
        try output.end(outcome)
    }
}
