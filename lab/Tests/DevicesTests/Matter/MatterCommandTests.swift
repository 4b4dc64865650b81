// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulation
import JSON
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
            ("button", .button), ("close", .close), ("reset", .reset), ("lock", .lock(.lock)),
            ("  unbolt ", .lock(.unbolt)), ("door open", .door(isOpen: true)), ("hold none", .hold(MatterHold.none)),
            ("power off", .power(isOn: false)), ("contact closed", .contact(isClosed: true)),
            ("wifi\tdown", .wifi(isUp: false)), ("disconnect", .disconnect), ("codes", .codes), ("faults", .faults),
            ("clear", .clear), ("findings", .findings), ("help", .help), ("quit", .quit),
            ("fault never-operational", .fault(.neverOperational)), ("fault lose-reports 3", .fault(.loseReports(3))),
        ] as [(String, MatterCommand)])
    func commandsAreRead(_ line: String, _ command: MatterCommand) throws {
        #expect(try MatterCommand(line: line) == command)
    }

    @Test(arguments: [
        ("", "the line is empty; help lists the commands"), ("jump", "\"jump\" is no command; help lists them"),
        ("door ajar", "write door open|closed"), ("hold", "write hold open|locked|none"),
        ("lock now", "\"lock now\" is no command; help lists them"),
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
        #expect(Self.fault("fault")?.hasPrefix("write fault silent-after-pase") == true)
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
            scenario.events.map(\.command) == [.fault(.neverOperational), .door(isOpen: true), .door(isOpen: false)])
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
