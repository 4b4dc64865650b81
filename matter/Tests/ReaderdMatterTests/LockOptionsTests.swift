// SPDX-License-Identifier: Apache-2.0

import Logging
import System
import Testing

@testable import readerd_matter

/// The command line.
struct LockOptionsTests {
    @Test
    func commands() throws {
        #expect(try LockOptions(["--help"]) == .help)
        #expect(try LockOptions(["run", "-h"]) == .help)
        #expect(try LockOptions(["run"]) == .run(LockOptions.Run()))
        var run = LockOptions.Run()
        (run.reader, run.interface, run.port, run.logLevel) = ("/r", "eth0", 0, .debug)
        #expect(
            try LockOptions(["run", "--reader", "/r", "--interface", "eth0", "--port", "0", "--log-level", "debug"])
                == .run(run))
        let made = LockOptions.Initialise(state: "/s", attestation: "/a", vendor: 0x1234, product: 7, isJSON: true)
        #expect(
            try LockOptions([
                "init", "--state", "/s", "--attestation", "/a", "--vendor", "0x1234", "--product", "7", "--json",
            ]) == .initialise(made))
        #expect(try LockOptions(["reset", "--yes"]) == .reset(LockOptions.Reset(isConfirmed: true)))
    }

    @Test(arguments: [
        [], ["walk"], ["run", "--port"], ["run", "--port", "65536"], ["run", "--port", "0xG"], ["run", "now"], ["init"],
        ["init", "--attestation"], ["run", "--log-level", "loud"], ["reset", "no"],
    ])
    func wrongUseEndsWithTwo(arguments: [String]) {
        let error = #expect(throws: LockProgram.Failure.self) { try LockOptions(arguments) }
        #expect(error?.exitCode == 2)
    }

    @Test
    func theHelpFitsATerminalOf120Columns() {
        for line in LockOptions.helpText.split(separator: "\n") { #expect(line.count <= 120) }
    }
}
