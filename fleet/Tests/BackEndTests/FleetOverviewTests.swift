// SPDX-License-Identifier: Apache-2.0

import Fleet
import Testing

@testable import BackEnd

/// The readers as they stand, for a page.
@Suite struct FleetOverviewTests {
    private static let device = "7761307931597753"

    private static func reader(_ name: String = "demo", device: String = device) -> FleetDatabase.Reader {
        FleetDatabase.Reader(
            device: device, name: name, isOnline: nil, state: "", events: 5, lost: 0, conflicts: 0, last: "")
    }

    @Test func eachChangeIsToldOnce() throws {
        var overview = FleetOverview([Self.reader(), Self.reader("Back", device: "6161616161616161")])
        #expect(overview.changes().map(\.name) == ["Back", "demo"])
        #expect(overview.changes().isEmpty)
        overview.update(.noted, Array("1".utf8), topic: "acc/v1/\(Self.device)/up/online")
        overview.update(.noted, Array(#"{"open":true}"#.utf8), topic: "acc/v1/\(Self.device)/up/state")
        let mark = DeliveryMark(log: try #require(LogID([UInt8](repeating: 7, count: 16))), upTo: 7)
        let events = [#"{"sequence":6}"#, #"{"sequence":7}"#]
        overview.update(
            .stored(name: "demo", events: events, lost: nil, mark: mark), [],
            topic: "acc/v1/\(Self.device)/up/ev")
        var expected = Self.reader()
        (expected.isOnline, expected.state, expected.events, expected.last) = (true, #"{"open":true}"#, 7, events[1])
        #expect(overview.changes() == [expected])
        overview.update(.noted, Array("0".utf8), topic: "acc/v1/\(Self.device)/up/online")
        #expect(overview.changes().map(\.isOnline) == [false])
        // The same again, and what is refused, or of no reader, is no change.
        overview.update(.noted, Array("0".utf8), topic: "acc/v1/\(Self.device)/up/online")
        overview.update(.refused(""), Array("1".utf8), topic: "acc/v1/\(Self.device)/up/online")
        overview.update(.noted, Array("1".utf8), topic: "acc/v1/6262626262626262/up/online")
        #expect(overview.changes().isEmpty)
        (expected.isOnline, expected.lost) = (false, 3)
        overview.update(
            .noted, Array(#"{"installed_version":"0.2.0"}"#.utf8), topic: "acc/v1/\(Self.device)/up/firmware")
        #expect(overview.changes().map(\.firmware) == ["0.2.0"])
        overview.count([expected])
        #expect(overview.changes() == [expected])
    }

    /// A reader cannot write a line of another reader's.
    @Test func aStateIsOnItsLine() {
        var reader = Self.reader()
        reader.state = "{\"a\":\n{\"event\":\"reader\"}\r\n}"
        #expect(
            reader.line
                == #"{"event":"reader","reader":"demo","device":"7761307931597753","online":null,"#
                + #""firmware":null,"events":5,"lost":0,"conflicts":0,"state":{"a": {"event":"reader"}  },"last":null}"#
        )
    }

    /// A broker, or a reader that was taken, has no say over the terminal of the person who looks.
    @Test func aTableHasNoCommandsForATerminal() {
        var reader = Self.reader()
        reader.state = #"{"lock":"\u001b[2J\u009b5m","faults":["\u202egnp","a\r\nb"]}"#
        reader.firmware = "\u{7}1"
        let lines = FleetStatusTable.lines([reader])
        #expect(lines.count == 2)
        #expect(
            lines[1].split(separator: " ")
                == [
                    "demo", "never", "seen", "\\u{7}1", "\\u{1b}[2j\\u{9b}5m", "5", "0", "0", "-", "\\u{202e}gnp,",
                    "a\\u{d}\\u{a}b",
                ])
    }
}
