// SPDX-License-Identifier: Apache-2.0

import BackEnd
import Testing

@testable import readerlab

/// The list of PKOC cards (docs/operate/pkoc.md), written and read by the desk.
@Suite struct PKOCCommandTests {
    private static let key =
        "049fad84aeae08bbef7f010014d82cef6a09de2b0cf871b5ce0c4f1d13a59a5934"
        + "07cb45769f1070e2c2470fe5b1bfe63133c0b0cdc64ea4bf3791a8ec2a07fd4f"
    private static let other =
        "040ec5d87dc39d14a2c5480686da860c82b16be0b6903b525f84848b79fd463e32"
        + "bbda1f0252c33503c5287035e6eac55d138d0650dcfb5281d59a9cf4124d2831"

    private let bench: CredentialBench
    private let list: String

    init() throws {
        bench = try CredentialBench()
        list = bench.file("cards.json")
    }

    @Test func cardIsAddedListedAndRemoved() throws {
        #expect(
            try bench.run(
                AddKeyCommand<PKOCGroup>.self,
                [
                    "CARD000001", "--list", list, "--key", Self.key, "--name", "Ada", "--from", "2026-12-01",
                    "--until", "2027-12-31", "--schedule", "mon-fri 08:00-18:00", "--extended",
                ]) == ["\(list): CARD000001 added, card number 0C4F1D13A59A5934"])
        #expect(
            try bench.run(AddKeyCommand<PKOCGroup>.self, ["CARD000002", "--list", list, "--key", Self.other, "--json"])
                == [#"{"kind":"pkoc","id":"CARD000002","key":"\#(Self.other)"}"#])
        let first =
            #"{"kind":"pkoc","id":"CARD000001","key":"\#(Self.key)","name":"Ada","from":"2026-12-01T00:00","#
            + #""until":"2027-12-31T23:59","schedules":["mon-fri 08:00-18:00"],"extended":true}"#
        #expect(
            try bench.text("cards.json") == "{\"cards\": [\n  \(first),\n"
                + "  {\"kind\":\"pkoc\",\"id\":\"CARD000002\",\"key\":\"\(Self.other)\"}\n]}\n")
        let lines = try bench.run(ListCardsCommand<PKOCGroup>.self, ["--list", list])
        #expect(lines.count == 3)
        #expect(lines[1].hasPrefix("CARD000001  0C4F1D13A59A5934  2026-12-01T00:00  2027-12-31T23:59"))
        #expect(try bench.run(ListCardsCommand<PKOCGroup>.self, ["--list", list, "--json"]).first == first)
        #expect(
            try bench.run(RemoveCardCommand<PKOCGroup>.self, ["CARD000001", "--list", list])
                == ["\(list): CARD000001 removed"])
        #expect(try bench.run(ListCardsCommand<PKOCGroup>.self, ["--list", list]).count == 2)
    }

    @Test func knownKeyAndKnownNameAreRefused() throws {
        _ = try bench.run(AddKeyCommand<PKOCGroup>.self, ["A", "--list", list, "--key", Self.key])
        #expect(throws: CredentialError("\(list): A has this key; remove it first")) {
            try bench.run(AddKeyCommand<PKOCGroup>.self, ["B", "--list", list, "--key", Self.key])
        }
        #expect(throws: CredentialError("\(list): has A already; remove it first, or choose another name")) {
            try bench.run(AddKeyCommand<PKOCGroup>.self, ["A", "--list", list, "--key", Self.other])
        }
        #expect(throws: CredentialError("\(list): has no B")) {
            try bench.run(RemoveCardCommand<PKOCGroup>.self, ["B", "--list", list])
        }
    }

    @Test(arguments: [
        ["A", "--key", "02"], ["ELEVENCHARS", "--key", key], ["A", "--key", key, "--until", "soon"],
        ["A", "--key", key, "--schedule", "always"],
        ["A", "--key", key, "--from", "2027-01-02", "--until", "2027-01-01"],
    ]) func invalidArgumentsAreRefused(_ arguments: [String]) {
        #expect(throws: (any Error).self) {
            try bench.run(AddKeyCommand<PKOCGroup>.self, arguments + ["--list", list])
        }
    }

    @Test func damagedListIsNotReplaced() throws {
        try bench.write("cards.json", Array("{}".utf8))
        #expect(throws: CredentialError("\(list):1: lacks \"cards\"")) {
            try bench.run(AddKeyCommand<PKOCGroup>.self, ["A", "--list", list, "--key", Self.key])
        }
        #expect(try bench.text("cards.json") == "{}")
    }
}
