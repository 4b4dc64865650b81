// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing
import Timekeeping

@testable import SharedAir

/// The observed reader on the floor plan of the air.
@Suite struct ReaderStatusTests {
    private func node(_ text: String) throws -> JSONNode { try JSONParser.parse(Array(text.utf8)) }

    @Test(
        "the gate and the door of a status",
        arguments: [
            ("secured", false), ("unlocked", true), ("held-open", true), ("lockdown", false), ("inactive", false),
        ])
    func status(state: String, lock: Bool) throws {
        let answer = try node(
            #"{"ok":true,"door":{"state":"\#(state)","open":true},"gate":{"threshold-dbm":-62,"window-ms":300,"#
                + #""interval-ms":25,"samples":3}}"#)
        let status = try #require(ReaderStatus(answer))
        #expect(status.gate.text == #"{"threshold-dbm":-62,"window-ms":300,"samples":3}"#)
        #expect(
            status.door.text
                == #"{"door":"\#(state)","lock":\#(lock),"contact":true,"lockdown":\#(state == "lockdown")}"#)
        #expect(ReaderStatus(try node(#"{"ok":true}"#)) == nil)
    }

    @Test("lights and buzzer as the status has them, and as they change")
    func lights() throws {
        let answer = try node(
            #"{"ok":true,"door":{"state":"secured","open":false,"sign":"locked","lights":{"led-granted":false,"#
                + #""led-denied":true,"buzzer":false}}}"#)
        var status = try #require(ReaderStatus(answer))
        let door = #"{"door":"secured","lock":false,"contact":false,"lockdown":false,"#
        #expect(status.door.text == door + #""granted":false,"denied":true,"buzzer":false}"#)
        status.apply(try node(#"{"name":"led-denied","on":false}"#))
        status.apply(try node(#"{"name":"buzzer","on":true}"#))
        status.apply(try node(#"{"name":"lock","on":true}"#))
        #expect(status.door.text == door + #""granted":false,"denied":false,"buzzer":true}"#)
    }

    @Test("a light that cannot be set is not shown")
    func failingLight() throws {
        let answer = try node(#"{"ok":true,"door":{"state":"secured","lights":{"led-granted":true}}}"#)
        let door = try #require(ReaderStatus(answer)).door
        #expect(door.text.hasSuffix(#""lockdown":false,"granted":true}"#))
    }

    @Test("the readings of a link are of the place that has it")
    func readings() throws {
        let rig = AirSessionRig()
        rig.connect()
        rig.session.status = ReaderStatus(try node(#"{"door":{"state":"secured","open":false}}"#))
        func entry(_ notice: String) throws -> String { rig.session.entry(of: try node(notice)).text }
        #expect(
            try entry(#"{"link":4,"what":"connected","text":"link 4: connected"}"#)
                == #"{"event":"connected","at-ms":100,"place":"reader","phone":"phone","link":4,"#
                + #""text":"link 4: connected"}"#)
        #expect(
            try entry(#"{"link":4,"what":"measured","rssi-dbm":-52,"text":"link 4: RSSI -52 dBm"}"#)
                == #"{"event":"measured","at-ms":100,"place":"reader","phone":"phone","link":4,"rssi":-52,"#
                + #""text":"link 4: RSSI -52 dBm"}"#)
        _ = try entry(#"{"link":4,"what":"disconnected","text":"link 4: disconnected"}"#)
        #expect(
            try entry(#"{"text":"door: secured"}"#)
                == #"{"event":"notice","at-ms":100,"place":"reader","text":"door: secured"}"#)
        #expect(rig.session.observedLinks.isEmpty)
        #expect(rig.session.scene.text.contains(#""power":true,"door":"secured","lock":false,"contact":false"#))
    }
}
