// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LabReport

/// TAP 13 and 14. Tests/Interop reads them with prove and tap.py.
@Suite struct TAPReportTests {
    @Test func version13IsFlat() {
        #expect(
            TAPReport.text(Runs.ofAllResults, .thirteen) == """
                TAP version 13
                1..4
                ok 1 - scenario.x seed 7
                not ok 2 - scenario.x seed 7 (2)
                  ---
                  message: "a < b"
                  severity: fail
                  type: "rule"
                  text: "more & more"
                  metrics:
                    - name: "p50"
                      value: "0 s"
                      interval: "0 to 0.001"
                      n: 9
                  attachments:
                    - "swarm-7.json"
                  ...
                ok 3 - scenario.y a\\#b\\\\c # SKIP no controller
                not ok 4 - scenario.y e
                  ---
                  message: "the host ended"
                  severity: error
                  type: "fault"
                  ...

                """)
    }

    @Test func version14HasASubtestForEachClass() {
        let lines = TAPReport.text(Runs.ofAllResults, .fourteen).split(separator: "\n").map(String.init)
        #expect(
            lines.prefix(5) == [
                "TAP version 14", "1..2", "# Subtest: scenario.x", "    1..2", "    ok 1 - seed 7",
            ])
        #expect(lines.contains("      ---") && lines.contains("not ok 1 - scenario.x"))
        #expect(lines.last == "not ok 2 - scenario.y")
    }

    @Test func textStaysOnItsLine() {
        var run = Runs.ofAllResults
        run.cases = [LabCase("c", "a\nok 2 - b\u{0}", .failed(type: "t", message: "\"\n\u{0}\u{2028}\\", text: ""))]
        let lines = TAPReport.text(run, .thirteen).split(separator: "\n").map(String.init)
        #expect(lines[2] == "not ok 1 - c a ok 2 - b ")
        #expect(lines[4] == #"  message: "\"\n\u0000\u2028\\""#)
    }

    @Test func anEndedRunBailsOut() {
        var run = Runs.ofAllResults
        run.isInterrupted = true
        #expect(TAPReport.text(run, .thirteen).contains("\nBail out! A signal"))
        run.cases = []
        #expect(TAPReport.text(run, .fourteen).hasPrefix("TAP version 14\n1..0 # SKIP no case"))
    }
}
