// SPDX-License-Identifier: Apache-2.0

import Foundation
import Devices
import Emulation
import JSON
import MatterFaults
import MatterInteraction
import MatterNode
import MatterTLV
import TestSupport
import Testing

/// Commands, faults and scenarios of an emulated Matter device.
@Suite struct MatterCommandTests {
    private static func fault(_ line: String) -> String? {
        thrown { () throws(CommandFault) in _ = try MatterCommand(line: line) }?.description
    }

    @Test(
        arguments: [
            ("button", .button), ("close", .close), ("reset", .reset),
            ("lock", .lock(.lock, .manual)), ("  unbolt ", .lock(.unbolt, .manual)),
            ("unlock keypad", .lock(.unlock, .keypad)),
            ("unlock keypad invalid-credential", .attempt(.unlock, .keypad, .invalidCredential)),
            ("door open", .door(.open)), ("door unknown", .door(nil)), ("jam", .jam), ("state unknown", .state(nil)),
            ("refuse insufficient-battery", .refuse(.insufficientBattery)), ("refuse none", .refuse(nil)),
            ("battery 15", .battery(.charge(15))), ("battery hot", .battery(.fault(.overTemperature))),
            ("mode no-remote", .mode(.noRemote)), ("actuator off", .actuator(isEnabled: false)),
            ("hold none", .hold(MatterHold.none)),
            ("power off", .power(isOn: false)), ("contact closed", .contact(isClosed: true)),
            ("wifi\tdown", .wifi(isUp: false)), ("disconnect", .disconnect), ("codes", .codes), ("faults", .faults),
            ("clear", .clear), ("release ignore CSRRequest", .release("ignore CSRRequest")), ("findings", .findings),
            ("help", .help), ("quit", .quit),
            ("fault never-operational", .fault(.neverOperational)), ("fault lose-reports 3", .fault(.loseReports(3))),
        ] as [(String, MatterCommand)])
    func commandsAreRead(_ line: String, _ command: MatterCommand) throws {
        #expect(try MatterCommand(line: line) == command)
    }

    @Test(arguments: [
        ("", "the line is empty; help lists the commands"), ("jump", "\"jump\" is no command; help lists them"),
        ("contact ajar", "write contact open|closed"), ("hold", "write hold open|locked|none"),
        ("wifi up now", "write wifi down|up"),
        (
            "battery 101",
            "write battery PERCENT, or battery unknown|absent|present|"
                + "active|standby|unspecified|faulty|hot|cold|sound"
        ),
        ("door wide", "write door open|closed|ajar|forced-open|jammed|sensor-error|unknown"),
        ("fault lose-reports 0", "fault lose-reports wants a count, 1 to 86400"),
        ("fault refuse UnlockDoor 0", "fault refuse COMMAND wants a status of the interaction model, as 0x01"),
        ("fault delay UnlockDoor 600001", "fault delay COMMAND wants milliseconds, 1 to 600000"),
    ])
    func otherLinesAreRefused(_ line: String, _ reason: String) {
        #expect(Self.fault(line) == reason)
    }

    @Test func linesHaveALimit() {
        #expect(Self.fault(String(repeating: "a", count: 513)) == "the line has more than 512 octets")
        #expect(Self.fault("fault ignore Jump")?.hasPrefix("there is no command \"Jump\" here; there are ArmF") == true)
        #expect(Self.fault("lock now")?.hasPrefix("write lock|unlock|unbolt, or lock|unlock|unbolt manual|") == true)
        #expect(Self.fault("fault")?.hasPrefix("write fault silent-after-pase") == true)
    }

    // MARK: - Forms

    /// The lines of a form: each of its alternatives, with an argument for each word in capitals.
    private static func lines(_ form: String) -> [String] {
        let arguments = [
            "SOURCE": "keypad", "PERCENT": "7", "COUNT": "3", "COMMAND": "AddNOC", "KIND": "ignore", "STATUS": "0x01",
            "MS": "10",
        ]
        return form.split(separator: " ").reduce([""]) { lines, word in
            lines.flatMap { line in
                word.split(separator: "|").map { line + " " + (arguments[String($0)] ?? String($0)) }
            }
        }
    }

    /// Each form that help lists is read.
    @Test func eachFormIsRead() throws {
        let commands = try MatterCommand.forms.flatMap { Self.lines($0.form) }.map { line in
            try MatterCommand(line: line)
        }
        #expect(commands.count > 80)
        #expect(commands.contains(.state(.notFullyLocked)) && commands.contains(.fault(.loseReports(3))))
    }

    /// docs/emulators/matter.md lists each command with its effect.
    @Test func theFormsAreDocumented() throws {
        let wanted = MatterCommand.forms.map { form, effect in
            "| `\(form.replacing("|", with: "\\|"))` | \(effect) |"
        }
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let page = try String(contentsOf: root.appendingPathComponent("docs/emulators/matter.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").map(String.init)
            .drop { $0 != "| command | |" }.dropFirst(2).prefix { $0.hasPrefix("|") }
        #expect(Array(rows) == wanted, "docs/emulators/matter.md wants:\n\(wanted.joined(separator: "\n"))")
    }

    /// The battery's rank and replacement follow its charge, and each property can be changed.
    @Test func theBattery() throws {
        var battery = BatteryState()
        func change(_ line: String) throws -> String {
            guard case .battery(let change) = try MatterCommand(line: line) else { return "" }
            change.apply(to: &battery)
            return MatterBatteryChange.text(battery)
        }
        #expect(try change("battery 16") == "16 %, ok, active")
        #expect(try change("battery 15") == "15 %, warning, active" && battery.needsReplacement)
        #expect(try change("battery 5") == "5 %, critical, active" && battery.needsReplacement)
        #expect(try change("battery 100") == "100 %, ok, active" && !battery.needsReplacement)
        #expect(try change("battery cold") == "100 %, ok, active, cold")
        #expect(try change("battery sound") == "100 %, ok, active")
        #expect(try change("battery standby") == "100 %, ok, standby")
        #expect(try change("battery absent") == "unknown charge, ok, absent" && battery.status == .unavailable)
        #expect(try change("battery present") == "unknown charge, ok, active" && battery.isPresent)
    }

    /// Every fault as it is typed reaches the node.
    @Test func faultsReachTheNode() throws {
        let lines = [
            "silent-after-pase", "never-operational", "lose-reports 2", "wrong-error-type", "bad-attestation-nonce",
            "bad-csr-signature",
            "ignore CSRRequest", "refuse UnlockDoor 1", "delay AddNOC 1500",
        ]
        var faults = MatterFaults()
        for line in lines {
            guard case .fault(let fault) = try MatterCommand(line: "fault " + line) else { return }
            #expect(fault.description == line)
            fault.apply(to: &faults)
        }
        #expect(faults.isSilentAfterPASE && faults.isNeverOperational && faults.lostReports == 2)
        #expect(faults.sendsUnsignedErrorValue && faults.spoilsAttestationNonce && faults.spoilsCSRSignature)
        #expect(
            faults.reactions == [
                MatterFaults.Command(cluster: 0x3E, command: 4): .silence,
                MatterFaults.Command(cluster: 0x101, command: 1): .refusal(InteractionStatus(rawValue: 1)),
                MatterFaults.Command(cluster: 0x3E, command: 6): .delay(.milliseconds(1500)),
            ])
    }

    @Test func aStatusMayBeHexadecimal() throws {
        #expect(
            try MatterCommand(line: "fault refuse unlockdoor 0xc6").self
                == MatterCommand(line: "fault refuse UnlockDoor 198"))
    }

    // MARK: - Scenarios

    @Test func aScenarioIsSortedByTime() throws {
        let text = """
            {"events": [{"after-ms": 900, "do": "door open"}, {"after-ms": 0, "do": "fault never-operational"},
                        {"after-ms": 900, "do": "door closed"}]}
            """
        let scenario = try MatterScenario(json: Array(text.utf8))
        #expect(scenario.events.map(\.after) == [.zero, .milliseconds(900), .milliseconds(900)])
        #expect(
            scenario.events.map(\.command) == [.fault(.neverOperational), .door(.open), .door(.closed)])
    }

    @Test(arguments: [
        "[]", "{}", "{\"events\": [{\"after-ms\": 1}]}", "{\"events\": [{\"do\": \"lock\"}]}",
        "{\"events\": [{\"after-ms\": -1, \"do\": \"lock\"}]}", "{\"events\": [{\"after-ms\": 1, \"do\": \"jump\"}]}",
        "{\"events\": [{\"after-ms\": 1, \"do\": \"lock\", \"at\": 1}]}", "{\"event\": []}",
    ])
    func otherFilesAreRefused(_ text: String) {
        #expect(throws: JSONPlaceFault.self) { try MatterScenario(json: Array(text.utf8)) }
    }
}
