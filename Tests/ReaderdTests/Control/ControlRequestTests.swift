// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Reader
import TestSupport
import Testing
import Timekeeping

@testable import readerd

/// docs/operate/control.md, "Requests".
@Suite struct ControlRequestTests {
    private static let alice: OSSCredentialID = {
        guard let alice = OSSCredentialID("ALICE04711") else { preconditionFailure("10 characters") }
        return alice
    }()
    private static let june = CivilTime(year: 2027, month: 6, day: 30, hour: 23, minute: 59)
    private static let forms: [(String, ControlRequest.Action)] = [
        (#"{"get":"status"}"#, .status), (#"{"get":"metrics"}"#, .metrics), (#"{"get":"quiet"}"#, .quiet),
        (#"{"unlock":"pulse"}"#, .door(.pulse)), (#"{"unlock":"extended"}"#, .door(.extended)),
        (#"{"unlock":"office-on"}"#, .door(.officeOn)), (#"{"unlock":"office-off"}"#, .door(.officeOff)),
        (#"{"lockdown":"on"}"#, .door(.lockdownOn)), (#"{"lockdown":"off"}"#, .door(.lockdownOff)),
        (#"{"tamper":"reset"}"#, .door(.tamperReset)), (#"{"set-time":1795262400}"#, .timed(.setTime, 1_795_262_400)),
        (#"{"provisioning":300}"#, .timed(.provisioning, 300)), (#"{"provisioning":0}"#, .timed(.provisioning, 0)),
        (#"{"osdp-install":300}"#, .timed(.panelInstallation, 300)),
        (#"{"osdp-install":0}"#, .timed(.panelInstallation, 0)),
        (#"{"matter-window":180}"#, .timed(.matterWindow, 180)),
        (#"{"matter-window":0}"#, .timed(.matterWindow, 0)),
        (#"{"revoke":"ALICE04711"}"#, .revocation(.revoke(alice, until: nil))),
        (#"{"revoke":"ALICE04711","until":"2027-06-30T23:59"}"#, .revocation(.revoke(alice, until: june))),
        (#"{"unrevoke":"ALICE04711"}"#, .revocation(.unrevoke(alice))),
        (#"{"subscribe":"events"}"#, .subscribe(.events)),
        (#"{"subscribe":"notices"}"#, .subscribe(.notices)),
        (#"{"subscribe":"outputs"}"#, .subscribe(.outputs)),
    ]

    private func problem(_ line: String) -> String? {
        thrown { () throws(ControlRequestError) in _ = try ControlRequest(line: Array(line.utf8)) }?.problem
    }

    @Test func everyFormIsReadAndWritten() throws {
        for (line, action) in Self.forms {
            #expect(try ControlRequest(line: Array(line.utf8)) == ControlRequest(action: action, id: nil))
            #expect(ControlRequest(action: action, id: nil).line == line)
            let withID = line.dropLast() + #","id":"a-1"}"#
            #expect(try ControlRequest(line: Array(withID.utf8)) == ControlRequest(action: action, id: "a-1"))
            #expect(ControlRequest(action: action, id: "a-1").line == withID)
        }
        // The names in event records.
        let names = DoorOrder.allCases.map(\.command) + TimedVerb.allCases.map(\.name)
        #expect(names.allSatisfy { (1...8).contains($0.utf8.count) })
        // Space and order are the client's.
        #expect(
            try ControlRequest(line: Array("\t{ \"id\" : \"x\" , \"unlock\" : \"pulse\" } ".utf8))
                == ControlRequest(action: .door(.pulse), id: "x"))
    }

    /// Its answer is long: it is kept for no repetition.
    @Test func aSurveyHasNoID() throws {
        let action = ControlRequest.Action.timed(.survey, 10)
        #expect(try ControlRequest(line: Array(#"{"survey":10}"#.utf8)) == ControlRequest(action: action, id: nil))
        #expect(ControlRequest(action: action, id: nil).line == #"{"survey":10}"#)
        #expect(TimedVerb.survey.name == "survey" && action.isChange)
        #expect(problem(#"{"survey":10,"id":"a"}"#) == #""survey" takes no "id"; remove it"#)
        for wrong in ["2", "31", "-1", "1e1", "\"on\"", "99999999999999999999"] {
            #expect(problem(#"{"survey":\#(wrong)}"#) == #""survey" takes whole seconds, 3 to 30"#)
        }
    }

    /// The log has no credential's whole identifier.
    @Test func theLogHasARedactedCredential() {
        let order = ControlRequest(action: .revocation(.revoke(Self.alice, until: Self.june)), id: "a")
        #expect(order.logLine == #"{"revoke":"AL…711","until":"2027-06-30T23:59","id":"a"}"#)
        #expect(ControlRequest(action: .door(.pulse), id: nil).logLine == #"{"unlock":"pulse"}"#)
    }

    @Test func onlyChangesAreRemembered() {
        let questions: [ControlRequest.Action] = [
            .status, .metrics, .quiet, .subscribe(.events), .subscribe(.notices), .subscribe(.outputs),
        ]
        #expect(Self.forms.filter { !$0.1.isChange }.map(\.1) == questions)
    }

    @Test func everyPrefixIsRefused() {
        for (line, _) in Self.forms {
            for count in 0..<line.utf8.count {
                #expect(throws: ControlRequestError.self) { try ControlRequest(line: Array(line.utf8.prefix(count))) }
            }
            #expect(problem(line + "x") != nil)
            #expect(problem(line + line) != nil)
        }
    }

    @Test func hostileLinesAreRefused() {
        let cases: [(String, String)] = [
            ("[]", "is a list, and must be an object, as {\"get\":\"status\"} is"),
            ("null", "is null, and must be an object, as {\"get\":\"status\"} is"),
            (
                "{}",
                "needs one of get, unlock, lockdown, tamper, set-time, provisioning, survey, osdp-install, matter-window, revoke, unrevoke, subscribe, and has 0"
            ),
            (
                #"{"id":"a"}"#,
                "needs one of get, unlock, lockdown, tamper, set-time, provisioning, survey, osdp-install, matter-window, revoke, unrevoke, subscribe, and has 0"
            ),
            (
                #"{"get":"status","unlock":"pulse"}"#,
                "needs one of get, unlock, lockdown, tamper, set-time, provisioning, survey, osdp-install, matter-window, revoke, unrevoke, subscribe, and has 2"
            ),
            (
                #"{"unlock":"pulse","force":true}"#,
                "unknown key \"force\"; the keys are id, get, unlock, lockdown, tamper, set-time, provisioning, survey, osdp-install, matter-window, revoke, unrevoke, subscribe"
            ),
            (
                #"{"unlock":"pulse","unlock":"pulse"}"#,
                "not JSON: \"unlock\" is given twice in one object; keep one"
            ),
            (#"{"revoke":"ALICE047110"}"#, #""revoke" takes a credential, 1 to 10 characters of ASCII"#),
            (#"{"unrevoke":7}"#, #""unrevoke" takes a credential, 1 to 10 characters of ASCII"#),
            (#"{"unrevoke":"A","until":"2027-06-30"}"#, #""unrevoke" takes no other key than id"#),
            (#"{"revoke":"A","unrevoke":"A"}"#, #""revoke" takes no other keys than until and id"#),
            (#"{"revoke":"A","get":"status"}"#, #""revoke" takes no other keys than until and id"#),
            (
                #"{"revoke":"A","until":"2027-02-30"}"#,
                #""until" takes a time of the reader, 2026-12-31T18:00, or a day, 2026-12-31"#
            ),
            (
                #"{"until":"2027-06-30"}"#,
                "unknown key \"until\"; the keys are id, get, unlock, lockdown, tamper, set-time, provisioning, survey, "
                    + "osdp-install, matter-window, revoke, unrevoke, subscribe"
            ),
            (#"{"unlock":"PULSE"}"#, #""unlock" takes "pulse", "extended", "office-on", "office-off""#),
            (#"{"unlock":true}"#, #""unlock" takes "pulse", "extended", "office-on", "office-off""#),
            (#"{"unlock":["pulse"]}"#, #""unlock" takes "pulse", "extended", "office-on", "office-off""#),
            (#"{"lockdown":"true"}"#, #""lockdown" takes "on", "off""#),
            (#"{"tamper":"set"}"#, #""tamper" takes "reset""#),
            (#"{"get":"keys"}"#, #""get" takes "status", "metrics", "quiet""#),
            (#"{"subscribe":"all"}"#, #""subscribe" takes "events", "notices", "outputs""#),
        ]
        for (line, expected) in cases { #expect(problem(line) == expected) }
        for id in ["", "a b", "ä", "\u{1}", String(repeating: "x", count: 65)] {
            #expect(problem("{\"get\":\"status\",\"id\":\"\(id)\"}") != nil)
        }
        #expect(problem(#"{"get":"status","id":7}"#) != nil)
        #expect(problem(#"{"get":"status","id":"\#(String(repeating: "x", count: 64))"}"#) == nil)
        for time in ["-1", "1e9", "1.5", "4102444801", "99999999999999999999", "\"1\"", "null"] {
            #expect(problem("{\"set-time\":\(time)}") != nil)
        }
        #expect(problem(#"{"set-time":0}"#) == nil && problem(#"{"set-time":4102444800}"#) == nil)
        for seconds in ["29", "3601", "-300", "30.5", "\"300\"", "true"] {
            #expect(
                problem("{\"provisioning\":\(seconds)}")
                    == "\"provisioning\" takes whole seconds, 30 to 3600, or 0 to close the window")
        }
        #expect(problem(String(repeating: "[", count: 1024)) != nil)
        #expect(problem("{\"get\":\"status\u{0}\"}") != nil)
        for octets: [UInt8] in [[0xFF], [0xC0, 0x80], [0], Array(#"{"get":"status"#.utf8) + [0xFF, 0x22, 0x7D]] {
            #expect(throws: ControlRequestError.self) { try ControlRequest(line: octets) }
        }
    }

    /// The id of what is refused comes back, so that a client finds its request.
    @Test func theIDOfARefusedRequestIsKept() {
        do throws(ControlRequestError) {
            _ = try ControlRequest(line: Array(#"{"unlock":"wide","id":"k"}"#.utf8))
            Issue.record("it was taken")
        } catch {
            #expect(error.id == "k")
        }
    }

    @Test func answersAreOneLine() {
        #expect(ControlAnswer.done.line(id: nil) == #"{"ok":true}"#)
        #expect(ControlAnswer.done.line(id: "a") == #"{"ok":true,"id":"a"}"#)
        #expect(
            ControlAnswer.refused(.lockdown).line(id: "a")
                == #"{"ok":false,"id":"a","refused":"lockdown","#
                + #""why":"lockdown is active; end it: readerd lockdown off"}"#)
        #expect(
            ControlAnswer.refused(.badRequest, "a\nb").line(id: nil)
                == #"{"ok":false,"refused":"bad-request","why":"a\u000ab"}"#)
        #expect(ControlAnswer.line(#"{"sequence":1}"#, of: .events) == #"{"event":{"sequence":1}}"#)
        #expect(ControlAnswer.line(#"{"text":"a"}"#, of: .notices) == #"{"notice":{"text":"a"}}"#)
    }

    /// The request has seconds; the command also takes what people and `date -Is` write.
    @Test func setTimeTakesATimeOrSeconds() throws {
        for word in ["1795262400", "2026-11-21T13:00:00+01:00", "2026-11-21T12:00Z"] {
            #expect(try ControlOptions(.setTime, [word]).action == .timed(.setTime, 1_795_262_400), "\(word)")
        }
        for word in ["2026-11-21T13:00:00", "2026-11-21", "now", "1969-12-31T23:59:59Z", "2200-01-01T00:00:00Z"] {
            #expect(throws: ReaderdError.self, "\(word)") { try ControlOptions(.setTime, [word]) }
        }
    }
}
