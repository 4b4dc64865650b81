// SPDX-License-Identifier: Apache-2.0

import TestSupport
import GPIO
import Glibc
import JSON
import Reader
import Testing
import Timekeeping

@testable import readerd

/// A line that fails leaves the others (docs/operate/faults.md). No machine that tests run on has a chip to take away,
/// so what is real here is the chip that is not there; the errors of others are put in the kernel's place
/// (GPIOErrorTests).
@Suite struct LineFaultTests {
    @Test(arguments: DoorInput.allCases) func anInputThatIsNotThereAtTheStartLeavesTheRest(input: DoorInput) throws {
        let rig = try ProcessRig(configuration: "[gpio]\n\(input.rawValue) = \"\(missingLine)\"\n")
        try rig.serve { client, rig in
            let shown = try rig.wait(client, for: FaultCode(input))
            #expect(
                shown?.text
                    == "gpio.\(input.rawValue): GPIO line \(missingLine): no such chip; list chips: gpiodetect; retry "
                    + "every 5 s")
            rig.operatorOpens(client)
            if input != .exit { rig.exitFreesTheLock() }
        }
        #expect(rig.told(FaultCode(input)) == 1)
        #expect(try rig.events().count { $0.contains(#""kind":"line-failed""#) && $0.contains(input.rawValue) } == 1)
    }

    @Test(
        arguments: [
            GPIOError.noSuchChip, GPIOError.notPermitted, GPIOError.busy,
            { GPIOError.failed($0, operation: .get, errno: ENODEV) },
        ] as [@Sendable (LineReference) -> GPIOError])
    func anInputThatIsLostWhileRunningComesBack(error: @Sendable (LineReference) -> GPIOError) throws {
        let rig = try ProcessRig()
        let error = error(try LineReference("gpiochip0:17"))
        try rig.serve { client, rig throws in
            rig.onLoop {
                let now = rig.process.moment.instant
                rig.process.receive([.level(true, since: now)], of: .exit)
                rig.process.receive([.lost(error)], of: .exit)
            }
            // The loss ends the exit with its pulse, and nothing opens for it.
            #expect(try rig.shownFaults(client).map(\.code) == ["line-rex"])
            #expect(try rig.shownFaults(client).first?.text.contains("\(error)") == true)
            rig.operatorOpens(client)
            rig.onLoop {
                rig.process.receive([.restored, .level(false, since: rig.process.moment.instant)], of: .exit)
            }
            #expect(try rig.shownFaults(client) == [])
            rig.exitFreesTheLock()
        }
        #expect(rig.told(.exitLine) == 1)
    }

    /// The lights and the buzzer of a chip that is not there; the lock moves.
    @Test func signalsThatCannotBeTakenLeaveTheLock() throws {
        let keys = ["led-granted", "led-denied", "buzzer"]
        let lines = keys.enumerated().map { "\($1) = \"gpiochip4294967295:\($0)\"\n" }.joined()
        let rig = try ProcessRig(configuration: "[gpio]\n" + lines)
        try rig.serve { client, rig throws in
            #expect(try rig.shownFaults(client).map(\.code) == keys.map { "line-" + $0 })
            rig.operatorOpens(client)
            rig.exitFreesTheLock()
            rig.onLoop { #expect(rig.process.lines.record.level(of: .lock) == true) }
            #expect(try rig.metric(client, .buzzerLine) == "1")
            // Each is set again each second, as a lock that fails is.
            rig.onLoop {
                for _ in 0..<20 { rig.pass(.seconds(1)) }
            }
        }
        for code in [FaultCode.grantedIndicatorLine, .deniedIndicatorLine, .buzzerLine] { #expect(rig.told(code) == 1) }
    }

    /// Without its lock a reader would tell people that they are let in, and not do so.
    @Test func withoutItsLockAReaderDoesNotStart() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(
            "a.toml", "allow-demo-identity = true\n[gpio]\nlock = \"\(missingLine)\"\n")
        let outcome = Program.outcome(of: [
            "run", "--config", file, "--state", directory.path + "/state", "--hci", "tcp-client:127.0.0.1:1",
        ])
        #expect(outcome.code == 1)
        #expect(
            outcome.complaints == [
                "readerd: gpio.lock: GPIO line \(missingLine): no such chip; list chips: gpiodetect"
            ])
    }
}

/// The door's own alarms are shown with the faults.
@Suite struct DoorFaultTests {
    @Test func aForcedDoorIsShownUntilItIsClosed() throws {
        let rig = try ProcessRig()
        try rig.serve { client, rig in
            rig.contact(isOpen: false)
            rig.contact(isOpen: true)
            try rig.wait(client, for: .doorForced)
            rig.operatorOpens(client)
            rig.contact(isOpen: false)
            try rig.wait(client, for: .doorForced, isShown: false)
        }
        // The door's own line is the one that is said.
        #expect(rig.told(.doorForced) == 0 && rig.lines.all.contains("door: "))
        #expect(try rig.events().contains { $0.contains(#""kind":"door-forced""#) })
    }

    /// A contact that is stuck is a door that stands open.
    @Test func aStuckContactIsShown() throws {
        let rig = try ProcessRig(configuration: "[door]\nopen-time-s = 10\nopen-warning-s = 1\n")
        try rig.serve { client, rig in
            rig.contact(isOpen: false)
            rig.exitFreesTheLock()
            rig.contact(isOpen: true)
            rig.onLoop {
                rig.pass(.seconds(60))
                // The exit's pulse is over.
                #expect(rig.process.lines.record.level(of: .lock) == false)
            }
            try rig.wait(client, for: .doorHeldOpenTooLong)
            let status = try JSONParser.parse(Array((client.ask(#"{"get":"status"}"#) ?? "").utf8))
            #expect(status["door"]?["alarm"]?.text == "ajar", "docs/operate/control.md")
            rig.exitFreesTheLock()
            rig.contact(isOpen: false)
            try rig.wait(client, for: .doorHeldOpenTooLong, isShown: false)
        }
    }

    @Test func anOpenHousingThatBlocksIsShownUntilItIsReset() throws {
        let rig = try ProcessRig(configuration: "[door]\ntamper = \"block\"\n")
        try rig.serve { client, rig in
            rig.onLoop {
                rig.process.receive([.level(true, since: rig.process.moment.instant)], of: .tamper)
            }
            let shown = try rig.wait(client, for: .tampered)
            #expect(shown?.text.contains("readerd tamper-reset") == true)
            #expect(client.ask(#"{"unlock":"pulse"}"#)?.contains(#""refused":"tampered""#) == true)
            rig.exitFreesTheLock()
            rig.onLoop {
                let past = rig.process.moment.instant + .seconds(-1)
                rig.process.receive([.level(false, since: past)], of: .tamper)
                rig.process.device.advance(to: rig.process.moment)
            }
            #expect(try rig.shownFaults(client).map(\.code) == ["tampered"])
            #expect(client.ask(#"{"tamper":"reset"}"#) == #"{"ok":true}"#)
            #expect(try rig.shownFaults(client) == [])
        }
    }
}
