// SPDX-License-Identifier: Apache-2.0

import Testing

import Commands
@testable import Console
@testable import PhoneTool

/// Lines of a control socket, docs/operate/control.md, as those of a timeline.
@Suite struct WatchedReaderTests {
    private static let status =
        #"{"ok":true,"device":"012345678A","door":{"state":"secured"},"controller":{"name":"hci-socket:0"},"#
        + #""faults":[{"code":"disk-full"}]}"#

    private func line(_ text: String, after status: String? = status) throws -> WatchedReader.Line? {
        var watched = WatchedReader()
        if let status { _ = try watched.receive(Array(status.utf8), atMilliseconds: 0) }
        return try watched.receive(Array(text.utf8), atMilliseconds: 61_002)
    }

    @Test func theReaderComesFirst() throws {
        let line = try #require(try line(Self.status, after: nil))
        #expect(
            line.json
                == #"{"at-ms":61002,"event":"emulation","name":"012345678A","address":"hci-socket:0, door secured"}"#)
        #expect(
            line.sentence == "   61.002  reader 012345678A, controller hci-socket:0, door secured, faults: disk-full")
        // The answers to the two subscriptions.
        #expect(try self.line(#"{"ok":true}"#) == nil)
    }

    /// A page asks again, and shows what the reader says then.
    @Test func aFurtherStatusIsForAPage() throws {
        var watched = WatchedReader()
        for answer in [Self.status, #"{"ok":true}"#, #"{"ok":true}"#] {
            _ = try watched.receive(Array(answer.utf8), atMilliseconds: 0)
        }
        let status = #"{"ok":true,"door":{"state":"lockdown"}}"#
        let line = try #require(try watched.receive(Array(status.utf8), atMilliseconds: 7))
        #expect(line.json == #"{"at-ms":7,"event":"status","status":{"ok":true,"door":{"state":"lockdown"}}}"#)
        #expect(line.sentence == nil)
    }

    @Test func aReaderThatDoesNotAdvertiseSaysSo() throws {
        let name = #""name":"hci-socket:0""#
        let status = Self.status.replacing(name, with: name + #","advertising":false"#)
        let line = try #require(try line(status, after: nil))
        #expect(line.sentence?.contains("controller hci-socket:0, not advertising, door secured") == true)
    }

    @Test func aReadingIsOfItsLink() throws {
        let line = try #require(
            try line(#"{"notice":{"link":3,"what":"measured","rssi-dbm":-52,"text":"link 3: RSSI -52 dBm"}}"#))
        #expect(
            line.json
                == #"{"at-ms":61002,"event":"measured","link":3,"rssi-dbm":-52,"text":"RSSI -52 dBm"}"#)
        #expect(line.sentence == "   61.002  link 3: RSSI -52 dBm")
    }

    @Test func aStoredEventHasItsWords() throws {
        let line = try #require(
            try line(#"{"event":{"sequence":12,"kind":"unlocked","command":"pulse","actor":"uid 0"}}"#))
        #expect(line.json == #"{"at-ms":61002,"event":"stored","text":"event 12: unlocked pulse uid 0"}"#)
    }

    /// Details of an event are by phones and back ends.
    @Test func nothingOrdersATerminalAbout() throws {
        let line = try #require(try line(#"{"event":{"sequence":1,"kind":"a","detail":"\u001b[2J\u202e"}}"#))
        #expect(line.sentence == #"   61.002  event 1: a \u{1b}[2J\u{202e}"#)
    }

    @Test(arguments: [
        ("{\"ok\":false,\"why\":\"no\\n\"}", #"the reader refuses: no\u{a}"#),
        ("{}", "the reader refuses: the socket is no reader's: it answers neither ok nor why"),
        ("hello", "the socket is no reader's: it says no JSON"),
    ])
    func whatIsNoneEndsIt(_ text: String, _ reason: String) throws {
        do {
            _ = try line(text)
            Issue.record("\(text) is taken")
        } catch {
            let error = try #require(error as? CommandError)
            #expect(error.text == reason && error.code == 1)
        }
    }
}
