// SPDX-License-Identifier: Apache-2.0

import GPIO
import PanelLine
import Reader
import Testing
import Timekeeping

@testable import readerd

/// The outcomes of cards on a panel's lines. The lines themselves: the kernel test `gpio-wiegand`.
@Suite struct WiegandProcessTests {
    private let punctual = WiegandTiming.Delays(pulse: .microseconds(55), interval: .microseconds(2005))

    @Test func aLineThatIsLostIsAFaultUntilTheNextCard() throws {
        let rig = try ProcessRig()
        try rig.run { _, rig in
            let line = try LineReference("gpiochip0:4")
            rig.onLoop {
                rig.process.receive(.failed(.noSuchChip(line)))
                #expect(rig.process.faults.has(.panelLine))
                rig.process.receive(.sent(self.punctual, isPunctual: true))
                #expect(!rig.process.faults.has(.panelLine))
                rig.process.receive(.noThread)
                let fault = rig.process.faults.faults.first { $0.code == .panelLine }
                #expect(fault?.text.hasPrefix("wiegand: no thread is left; the panel did not get a card") == true)
            }
        }
        let told = rig.lines.all
        #expect(told.contains("wiegand: \(GPIOError.noSuchChip(try LineReference("gpiochip0:4"))); the panel did not"))
    }

    /// The remedy is named where there is one.
    @Test func aCardThatWasLateIsTold() throws {
        let rig = try ProcessRig()
        var late = punctual
        late.pulse = .microseconds(180)
        let delays = late
        try rig.run { _, rig in
            rig.onLoop {
                rig.process.receive(.sent(self.punctual, isPunctual: false))
                #expect(!rig.lines.all.contains("too long"))
                rig.process.receive(.sent(delays, isPunctual: false))
                rig.process.receive(.sent(delays, isPunctual: true))
            }
        }
        let warnings = rig.lines.all.split(separator: "\n").filter { $0.contains("wiegand: a pulse of 180 µs") }
        #expect(warnings.count == 2)
        let remedy = "permit the unit real-time threads: docs/operate/wiegand.md"
        #expect(warnings.map { $0.hasSuffix(remedy) } == [true, false])
    }
}
