// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LabReport

/// JUnit as Jenkins' junit-10.xsd and GitLab take it (facts of the lab, section 3). Tests/Interop validates it too.
@Suite struct JUnitReportTests {
    @Test func everyResultIsWritten() {
        let text = JUnitReport.text(Runs.ofAllResults)
        #expect(
            text == """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites name="readerlab" tests="4" failures="1" errors="1" time="31.500">
                  <testsuite name="scenario x" tests="4" failures="1" errors="1" skipped="1" time="31.500">
                    <properties>
                      <property name="version" value="1.2.3"/>
                      <property name="command" value="readerlab scenario x --seed 7"/>
                      <property name="seed" value="7"/>
                      <property name="faults" value="none"/>
                      <property name="seed 7/p50" value="0 s"/>
                    </properties>
                    <testcase classname="scenario.x" name="seed 7" time="30.000"/>
                    <testcase classname="scenario.x" name="seed 7 (2)" time="1.500">
                      <failure type="rule" message="a &lt; b">a &lt; b
                more &amp; more</failure>
                      <system-out>line 1
                line 2
                [[ATTACHMENT|swarm-7.json]]
                </system-out>
                    </testcase>
                    <testcase classname="scenario.y" name="a#b\\c" time="0.000">
                      <skipped type="skipped" message="no controller">no controller</skipped>
                    </testcase>
                    <testcase classname="scenario.y" name="e" time="0.000">
                      <error type="fault" message="the host ended">the host ended</error>
                    </testcase>
                  </testsuite>
                </testsuites>

                """)
    }

    @Test func timeAndHostAreThoseOfAMeasuredRun() {
        #expect(!JUnitReport.text(Runs.ofAllResults).contains("timestamp"))
        let text = JUnitReport.text(Runs.of(1, nil))
        #expect(text.contains(#" timestamp="2026-11-25T12:00:00Z" hostname="h">"#))
    }

    /// XML 1.0, 2.2 and 2.4.
    @Test func forbiddenCharactersAreReplaced() {
        var run = Runs.ofAllResults
        run.cases = [
            LabCase("c", "a\u{0}\u{1B}]]>\n\u{FFFE}", .failed(type: "t", message: "]]>\u{0}\t", text: "\u{85}"))
        ]
        let text = JUnitReport.text(run)
        #expect(text.contains("name=\"a\u{FFFD}\u{FFFD}]]&gt;&#10;\u{FFFD}\""))
        #expect(text.contains("message=\"]]&gt;\u{FFFD}&#9;\">]]&gt;\u{FFFD}\t\n\u{FFFD}</failure>"))
    }

    @Test func longRunsAreCutAndToldSo() {
        var run = Runs.ofAllResults
        run.cases = (0..<200).map { number in
            var one = LabCase("c", "n \(number)")
            one.output = "begin" + String(repeating: "&", count: 300_000) + "end"
            return one
        }
        let text = JUnitReport.text(run)
        #expect(text.utf8.count < 30_000_000 && text.utf8.count > 5_000_000)
        #expect(text.contains("octets left out]") && text.contains("begin&amp;") && text.contains("&amp;end"))
        #expect(!text.contains("cases-left-out"))
    }

    /// Cases that passed make room for those that failed.
    @Test func failuresOutlastPassedCases() {
        let name = String(repeating: "n", count: 1000)
        var run = Runs.ofAllResults
        run.cases = (0..<40_000).map { number in
            LabCase(
                "c", "\(number) \(name)",
                number == 39_999 ? .failed(type: "t", message: "the last", text: "") : .passed)
        }
        let text = JUnitReport.text(run)
        #expect(text.utf8.count < 30_000_000 && text.contains("the last") && text.contains("failures=\"1\""))
        #expect(text.contains("<property name=\"cases-left-out\" value="))
    }
}
