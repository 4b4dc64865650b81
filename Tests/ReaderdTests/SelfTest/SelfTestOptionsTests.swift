// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Testing

@testable import readerd

@Suite struct SelfTestOptionsTests {
    @Test func options() throws {
        #expect(try Command(["self-test"]) == .selfTest(SelfTestOptions()))
        #expect(try Command(["self-test", "--help"]) == .help(.selfTest))
        var all = SelfTestOptions()
        all.configuration = "c.toml"
        all.hci = .hciSocket(1)
        all.stateDirectory = "s"
        all.control = "x.sock"
        all.parts = [.clock, .gpio]
        all.timeout = .seconds(3)
        all.isJSON = true
        #expect(
            try Command(["self-test", "--board", "report.txt"])
                == .selfTest(
                    {
                        var board = SelfTestOptions()
                        board.board = "report.txt"
                        return board
                    }()))
        #expect(
            try Command([
                "self-test", "--config", "c.toml", "--hci=hci-socket:1", "--state", "s", "--control", "x.sock",
                "--only", "clock,gpio", "--timeout=3", "--json",
            ]) == .selfTest(all))
    }

    @Test(arguments: [
        ["--only", "lock"], ["--only", "clock,"], ["--only="], ["--timeout", "0"], ["--timeout", "601"],
        ["--timeout", "+1"], ["--timeout", "1s"], ["--json=yes"], ["--json", "--json"], ["now"], ["--state"],
        ["--state", "--json"], ["--hci", "virtual"], ["--board"], ["--board", "report", "--only", "gpio"],
    ])
    func wrongUse(arguments: [String]) {
        #expect {
            _ = try Command(["self-test"] + arguments)
        } throws: { ($0 as? ReaderdError)?.exitCode == 2 }
    }
}
