// SPDX-License-Identifier: Apache-2.0

import JSON
import Logging
import Reader
import TestSupport
import Testing
import Timekeeping

@testable import readerd

/// The lights of a running reader: the standing sign in the status, and the outputs as they are set.
@Suite struct FaultSignTests {
    /// The sign of the door and its lights, and true if the status has a fault.
    private func sign(_ client: BlockingClient) throws -> (sign: String, green: Bool, red: Bool, isFailing: Bool) {
        let status = try JSONParser.parse(Array((client.ask(#"{"get":"status"}"#) ?? "").utf8))
        let lights = status["door"]?["lights"]
        return (
            status["door"]?["sign"]?.text ?? "?", lights?["led-granted"]?.isTrue == true,
            lights?["led-denied"]?.isTrue == true, status["faults"]?.elements.isEmpty == false
        )
    }

    @Test func aFaultIsAmberUntilItIsOver() throws {
        let rig = try ProcessRig(configuration: "[gpio]\nfire = \"\(missingLine)\"\n")
        try rig.serve { client, rig throws in
            try rig.wait(client, for: .fireLine)
            #expect(try sign(client) == (sign: "fault", green: true, red: true, isFailing: true))
            rig.onLoop {
                rig.process.receive([.restored, .level(false, since: rig.process.moment.instant)], of: .fire)
            }
            // The rig's controller answers nobody, and has its own fault in a while.
            let shown = try sign(client)
            #expect(shown.sign == (shown.isFailing ? "fault" : "locked") && shown.red && shown.green == shown.isFailing)
            rig.operatorOpens(client)
            let open = try sign(client)
            #expect(open.sign == "open" && open.green && !open.red)
        }
    }

    @Test func aLockThatCannotBeSetIsAFaultWhateverItWasToDo() throws {
        let rig = try ProcessRig()
        try rig.serve { client, rig throws in
            rig.operatorOpens(client)
            rig.onLoop {
                rig.process.raise(.lockLine, "gpio.lock: broken")
                rig.process.flush()
            }
            #expect(try sign(client).sign == "fault")
            rig.onLoop {
                rig.process.clear(.lockLine)
                rig.process.flush()
            }
            #expect(try sign(client).sign == "open")
        }
    }

    /// A warning has no light: phones are served.
    @Test func aWarningIsNoFaultSign() throws {
        let rig = try ProcessRig()
        try rig.serve { client, rig throws in
            rig.onLoop {
                rig.process.raise(.buzzerLine, "gpio.buzzer: broken")
                rig.process.flush()
                let isFailing = rig.process.faults.faults.contains { $0.code.level == .error }
                #expect((rig.process.device.reader.doorStatus.sign == .locked) != isFailing)
            }
        }
    }

    @Test func subscribersAreSentEachChangeOfAnOutput() throws {
        let rig = try ProcessRig()
        try rig.run { path, rig throws in
            let (client, watcher) = (try BlockingClient(path), try BlockingClient(path))
            #expect(watcher.ask(#"{"subscribe":"outputs"}"#) == #"{"ok":true}"#)
            rig.operatorOpens(client)
            var seen: [String] = []
            let beep = #"{"output":{"name":"buzzer","on":true}}"#
            while seen.last != beep, let line = watcher.line() { seen.append(line) }
            #expect(seen.contains(#"{"output":{"name":"lock","on":true}}"#))
            #expect(seen.contains(#"{"output":{"name":"led-denied","on":false}}"#))
        }
    }

    /// The lights follow a reloaded configuration.
    @Test func aReloadChangesTheSigns() throws {
        let rig = try ProcessRig(configuration: "[lights]\nopen = \"green\"\n")
        try rig.serve { client, rig throws in
            rig.operatorOpens(client)
            try rig.directory.write("readerd.toml", "[lights]\nopen = \"red\"\n")
            rig.onLoop { rig.process.reload() }
            let isRed = try eventually {
                let shown = try sign(client)
                return shown.sign == "open" && shown.red && !shown.green
            }
            #expect(isRed)
        }
    }
}
