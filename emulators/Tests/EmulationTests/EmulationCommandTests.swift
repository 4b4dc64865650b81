// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON
import Testing

/// Steps of an invented device.
let someSteps = [
    EmulatedStep("request", .request, "asks"), EmulatedStep("value", .value, "answers"),
    EmulatedStep("connect", .link, "comes"),
]

@Suite struct EmulationCommandTests {
    @Test(
        arguments: [
            ("fault drop value", .fault(FaultRule(.drop, at: "value"))),
            ("fault drop value 2", .fault(FaultRule(.drop, at: "value", occurrence: 2))),
            ("fault duplicate value every", .fault(FaultRule(.duplicate, at: "value", times: nil))),
            ("  fault\tdelay request 3000 ", .fault(FaultRule(.delay(.seconds(3)), at: "request"))),
            ("fault error request 0x0e 4", .fault(FaultRule(.error(14), at: "request", occurrence: 4))),
            ("fault code value 503", .fault(FaultRule(.code(503), at: "value"))),
            ("fault code value -1", .fault(FaultRule(.code(-1), at: "value"))),
            ("fault truncate value 0", .fault(FaultRule(.truncate(0), at: "value"))),
            ("fault replace value c0FFee", .fault(FaultRule(.replace([0xC0, 0xFF, 0xEE]), at: "value"))),
            ("fault extend value 00", .fault(FaultRule(.extend([0]), at: "value"))),
            ("fault disconnect-before request", .fault(FaultRule(.disconnectBefore, at: "request"))),
            ("fault disconnect-after connect", .fault(FaultRule(.disconnectAfter, at: "connect"))),
            ("disconnect", .disconnect(link: nil)), ("disconnect 7", .disconnect(link: 7)),
            ("wifi down", .wifi(isUp: false)), ("wifi up", .wifi(isUp: true)), ("mtu 23", .mtu(23)),
            ("mtu off", .mtu(nil)),
            ("faults", .faults), ("clear", .clear),
            ("release drop frame", .release(fault: "drop", step: "frame")), ("findings", .findings), ("steps", .steps),
            ("help", .help),
            ("quit", .quit),
            (
                #"{"fault": {"at": "value", "do": "drop", "occurrence": 2, "times": "every", "device": 3}}"#,
                .fault(FaultRule(.drop, at: "value", occurrence: 2, times: nil, device: 3))
            ),
            (
                #"{"fault": {"at": "value", "do": {"code": 503}, "times": 4}}"#,
                .fault(FaultRule(.code(503), at: "value", times: 4))
            ),
            (#"{"fault": {"at": "value", "do": {"replace": ""}}}"#, .fault(FaultRule(.replace([]), at: "value"))),
            (#"{"wifi": "down"}"#, .wifi(isUp: false)), (#"{"mtu": 517}"#, .mtu(517)), (#"{"mtu": "off"}"#, .mtu(nil)),
            ("disconnect power-off", .disconnect(link: nil, .powerOff)),
            ("disconnect 7 authentication", .disconnect(link: 7, .authentication)),
            ("disconnect timeout", .disconnect(link: nil, .timeout)),
            ("network Home down", .network(.network("Home"), .isUp(false))),
            ("network Home up", .network(.network("Home"), .isUp(true))),
            ("network \"My  Home\" signal -80", .network(.network("My  Home"), .signal(-80))),
            ("network Home passphrase \"open sesame\"", .network(.network("Home"), .passphrase("open sesame"))),
            ("dhcp down", .dhcp(isUp: false)), ("dhcp up", .dhcp(isUp: true)),
            (
                "ap 02:00:00:00:01:01 down",
                .network(.accessPoint([2, 0, 0, 0, 1, 1]), .isUp(false))
            ),
            (
                #"{"ap": {"bssid": "02:00:00:00:01:01", "signal": -80}}"#,
                .network(.accessPoint([2, 0, 0, 0, 1, 1]), .signal(-80))
            ),
            (#"{"network": {"ssid": "Home", "is": "down"}}"#, .network(.network("Home"), .isUp(false))),
            (#"{"network": {"ssid": "Home", "signal": -80}}"#, .network(.network("Home"), .signal(-80))),
            (#"{"network": {"ssid": "a b", "passphrase": "c d"}}"#, .network(.network("a b"), .passphrase("c d"))),
            (#"{"dhcp": "up"}"#, .dhcp(isUp: true)),
            (#"{"disconnect": {"reason": "timeout"}}"#, .disconnect(link: nil, .timeout)),
            (#"{"disconnect": {"link": 3, "reason": "power-off"}}"#, .disconnect(link: 3, .powerOff)),
            (#"{"disconnect": true}"#, .disconnect(link: nil)), (#"{"disconnect": 7}"#, .disconnect(link: 7)),
            (#"{"clear": true}"#, .clear), (#"{"help": true}"#, .help), (#"{"quit": true}"#, .quit),
        ] as [(String, EmulationCommand)])
    func aLineIsACommand(_ line: String, _ command: EmulationCommand) throws {
        #expect(try EmulationCommand(line: line, steps: someSteps) == command)
    }

    @Test(
        arguments: [
            ("", "the line is empty; help lists them"),
            ("jump", "\"jump\" is no command; help lists them"),
            ("clear all", "\"clear\" is no command; help lists them"),
            ("fault", "write fault KIND STEP, as fault drop parsing-succeeded; help lists them"),
            (
                "fault lose value",
                "\"lose\" is no fault; write drop, duplicate, disconnect-before, disconnect-after, "
                    + "delay, code, truncate, replace, extend"
            ),
            ("fault drop values", "there is no step \"values\"; here are request, value, connect"),
            (
                "fault drop request",
                "drop does not suit request, a request; what does is disconnect-before, "
                    + "disconnect-after, delay, error"
            ),
            (
                "fault error value 1",
                "error does not suit value, a value; what does is drop, duplicate, disconnect-before, "
                    + "disconnect-after, delay, code, truncate, replace, extend"
            ),
            ("fault error request", "fault error STEP wants an ATT error, 0x01 to 0xff"),
            ("fault error request 0", "fault error STEP wants an ATT error, 0x01 to 0xff"),
            ("fault error request 256", "fault error STEP wants an ATT error, 0x01 to 0xff"),
            ("fault delay value 600001", "fault delay STEP wants milliseconds, 0 to 600000"),
            ("fault replace value abc", "fault replace STEP wants octets, two hexadecimal digits each, at most 512"),
            ("fault drop value 0", "behind it stands the time that is meant, 1 to 100000, or every"),
            ("fault drop value 1 2", "too many words; help lists the commands"),
            ("mtu 22", "write mtu 23 to 517, or mtu off"), ("wifi", "write wifi down, or wifi up"),
            ("network Home passphrase \"open sesame", "a quotation mark is not closed"),
            (
                "disconnect x",
                "name a link by its number, and behind it the reason: user, authentication, low-resources, power-off, "
                    + "unsupported, parameters, timeout"
            ),
            ("disconnect 3 timeout", "all links end by timeout, or none; leave the number out"),
            (
                "network Home",
                "write network NAME down, up, signal -80 or passphrase TEXT, with quotation marks around spaces"
            ),
            (
                "network Home signal 5",
                "write network NAME down, up, signal -80 or passphrase TEXT, with quotation marks around spaces"
            ),
            ("dhcp", "write dhcp down, or dhcp up"),
            (
                "fault refuse value",
                "refuse does not suit value, a value; what does is drop, duplicate, disconnect-before, "
                    + "disconnect-after, delay, code, truncate, replace, extend"
            ),
            ("{", "the text ends where a name in quotation marks is expected"),
            (
                #"{"fault": {"at": "values", "do": "drop"}}"#,
                "fault: there is no step \"values\"; here are request, value, connect"
            ),
            (#"{"clear": false}"#, "clear: is false; write true, or leave the line out"),
        ] as [(String, String)])
    func aLineThatIsNoneIsExplained(_ line: String, _ why: String) {
        #expect { try EmulationCommand(line: line, steps: someSteps) } throws: { "\($0)" == why }
    }

    @Test func aLineIsBounded() {
        let line = "fault replace value " + String(repeating: "00", count: 1100)
        #expect(throws: CommandFault.self) { try EmulationCommand(line: line, steps: someSteps) }
    }

    // MARK: - Files

    @Test func aScenarioHasFaultsAndEvents() throws {
        let text = """
            {"faults": [{"at": "value", "do": {"delay": 3000}}, {"at": "request", "do": {"error": "0x0e"}, "times": 2}],
             "events": [{"after-ms": 9000, "wifi": "up"}, {"after-ms": 5000, "wifi": "down"},
                        {"after-ms": 5000, "fault": {"at": "value", "do": "drop"}}],
             "mtu": 23}
            """
        let scenario = try EmulationScenario(json: Array(text.utf8), steps: someSteps)
        #expect(
            scenario.faults == [
                FaultRule(.delay(.seconds(3)), at: "value"), FaultRule(.error(14), at: "request", times: 2),
            ])
        #expect(
            scenario.events == [
                .init(after: .seconds(5), .wifi(isUp: false)),
                .init(after: .seconds(5), .fault(FaultRule(.drop, at: "value"))),
                .init(after: .seconds(9), .wifi(isUp: true)),
            ])
        #expect(scenario.mtu == 23)
        #expect(try EmulationScenario(json: Array("{}".utf8), steps: []) == EmulationScenario())
    }

    @Test(
        arguments: [
            ("[]", "1: is a list, and must be an object"),
            ("{\n\"mtu\": 22}", "2: mtu: 22 is not a whole number from 23 to 517"),
            ("{\"faults\":\n[{\"at\": \"value\"}]}", "2: faults[0]: lacks \"do\""),
            (
                "{\"faults\": [\n\n{\"at\": \"value\", \"do\": \"lose\"}]}",
                "3: faults[0].do: \"lose\" is not known; write "
                    + "disconnect-after, disconnect-before, drop, duplicate, refuse, wrong-confirm, wrong-proof"
            ),
            (
                "{\"faults\": [{\"at\": \"value\", \"do\": {}}]}",
                "1: faults[0].do: has 0 members, and must have one: what goes wrong"
            ),
            (
                "{\"faults\": [{\"at\": \"value\", \"do\": {\"replace\": \"0\"}}]}",
                "1: faults[0].do.replace: is not octets, two hexadecimal digits each, at most 512"
            ),
            ("{\"events\": [{\"wifi\": \"up\"}]}", "1: events[0]: lacks \"after-ms\""),
            (
                "{\"events\": [{\"after-ms\": 1, \"wifi\": \"up\", \"quit\": true}]}",
                "1: events[0]: has 2 commands, and must have one of fault, disconnect, wifi, network, ap, dhcp, mtu, clear, "
                    + "faults, findings, steps, help, quit"
            ),
        ] as [(String, String)])
    func aFaultInAScenarioHasItsPlace(_ text: String, _ why: String) {
        #expect { try EmulationScenario(json: Array(text.utf8), steps: someSteps) } throws: { "\($0)" == why }
    }

    /// An HTTP request can be answered with another status, and not with an ATT error.
    @Test(
        arguments: [
            ("fault code networks 503", nil), ("fault truncate networks 10", nil), ("fault drop networks", nil),
            ("fault code networks 99", "code at networks is an HTTP status, 200 to 599"),
            (
                "fault error networks 5",
                "error does not suit networks, an exchange; what does is drop, disconnect-before, delay, code, truncate, "
                    + "replace"
            ),
        ] as [(String, String?)])
    func anExchangeHasFaultsOfItsOwn(line: String, problem: String?) {
        let steps = [EmulatedStep("networks", .exchange, "asks")]
        do throws(CommandFault) {
            _ = try EmulationCommand(line: line, steps: steps)
            #expect(problem == nil)
        } catch {
            #expect(error.description == problem)
        }
    }

    /// A pairing and a connection have faults of their own; nothing suits a pairing that ends a link.
    @Test(arguments: [
        ("fault refuse pairing", true), ("fault drop pairing", true), ("fault wrong-confirm pairing every", true),
        ("fault refuse connect", true), ("fault disconnect-after connect", true),
        ("fault wrong-confirm connect", false),
        ("fault disconnect-before connect", false), ("fault disconnect-after pairing", false),
        ("fault error pairing 5", false), ("fault delay pairing 5", false),
    ])
    func connectionsAndPairings(line: String, isTaken: Bool) {
        let steps = [EmulatedStep("connect", .connection, "comes"), EmulatedStep("pairing", .pairing, "pairs")]
        #expect(((try? EmulationCommand(line: line, steps: steps)) != nil) == isTaken)
    }

    /// The reasons that HCI_Disconnect has (Core 5.4, Vol 4, Part E, 7.1.6).
    @Test func reasonsAreThoseOfTheController() {
        #expect(LinkEnd.allCases.compactMap(\.reason).sorted() == [0x05, 0x13, 0x14, 0x15, 0x1A, 0x3B])
    }
}
