// SPDX-License-Identifier: Apache-2.0

import Emulation
import LabReport
import Testing
import Timekeeping

@testable import DevicePrograms

/// The reports of an emulated device's run: the command that repeats it, and the entries of each finding.
@Suite struct RepeatedCommandTests {
    @Test(arguments: [
        (
            ["/usr/bin/readerlab", "emulate", "gatt", "--table", "my lamp.json", "--hci", "hci-socket:0", "--mitm"],
            "readerlab emulate gatt --table 'my lamp.json' --hci hci-socket:0 --mitm"
        ),
        (
            ["readerlab", "emulate", "matter", "--passcode", "20202021", "--discriminator=3840", "--name=it's", "x"],
            "readerlab emulate matter --passcode … --discriminator=… --name='it'\\''s' x"
        ),
        (["readerlab", "emulate", "gatt", "secret"], "readerlab emulate gatt …"),
        (["readerlab", "emulate", "gatt", "--answer", "123456", "--json"], "readerlab emulate gatt --answer … --json"),
        ([], ""),
    ])
    func secretsAreLeftOut(_ arguments: [String], _ expected: String) {
        #expect(RepeatedCommand.text(arguments) == expected)
    }

    @Test func aFindingHasTheEntriesBeforeIt() throws {
        var timeline = Timeline(start: .origin, expectations: [AppExpectations()])
        timeline.add(.connected(peer: "C4:00:00:00:00:01"), device: 0, link: 1, at: .origin)
        timeline.add(.connected(peer: "C4:00:00:00:00:02"), device: 0, link: 2, at: .origin)
        timeline.mistake("no-control", "wrote <05>", entry: 2, device: 0, link: 2, at: .origin)
        timeline.add(.mtu(185), device: 0, link: 2, at: .origin)
        let run = EmulationVerdict.run(
            timeline, devices: 1, "emulate gatt", again: "readerlab emulate gatt --profile ftms")
        let output = try #require(run.cases.first).output
        #expect(
            output.contains("C4:00:00:00:00:02") && !output.contains("C4:00:00:00:00:01") && !output.contains("185"))
        let table = EmulationVerdict.table(timeline)
        #expect(table.rows.count == 4 && table.rows[0][0] == "1")
        var page = run
        page.tables = [table]
        let text = ReportPage.text(page)
        #expect(
            text.contains("<code>readerlab emulate gatt --profile ftms</code>") && text.contains("wrote &lt;05&gt;"))
        #expect(text.contains("<caption>Timeline</caption>"))
    }
}
