// SPDX-License-Identifier: Apache-2.0

import CBOR
import Crypto
import Fleet
import JSON
import Testing

@testable import BackEnd

/// A desired state from the desk: its file, its order, and the words for each outcome.
@Suite struct FleetDesiredTests {
    private static let stamp = FleetSigner.Stamp(
        id: [UInt8](repeating: 0xAB, count: 16), counter: 7, now: 1_800_000_000)

    private static func file(_ text: String) throws -> DesiredFile { try DesiredFile(Array(text.utf8)) }

    @Test func theFile() throws {
        let file = try Self.file(
            #"{"blacklist":[{"credential":"A1","end":"2027-01-15 08:00"},{"credential":"B2"}],"#
                + #""settings":{"door.pulse-s":5,"credentials.carried-blacklist":false,"credentials.groups":["7"]}}"#)
        // 2027-01-15 08:00:00 is 1800000000 without an offset.
        #expect(
            file.blacklist == [.init(credential: "A1", end: 1_800_000_000), .init(credential: "B2", end: nil)])
        #expect(
            file.settings == [
                "door.pulse-s": .integer(5), "credentials.carried-blacklist": .boolean(false),
                "credentials.groups": .array([.text("7")]),
            ])
        #expect(try file.chunks().count == 2)
        #expect(try Self.file(#"{"blacklist":[]}"#).settings == nil)
        #expect(try Self.file(#"{"settings":{}}"#).blacklist == nil)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"more":1}"#, #"{"blacklist":{}}"#, #"{"blacklist":[{}]}"#, #"{"blacklist":["A"]}"#,
        #"{"blacklist":[{"credential":""}]}"#, #"{"blacklist":[{"credential":"ELEVEN00000"}]}"#,
        #"{"blacklist":[{"credential":"A"},{"credential":"A"}]}"#,
        #"{"blacklist":[{"credential":"A","end":"2027-02-29 08:00"}]}"#,
        #"{"blacklist":[{"credential":"A","end":"2027-01-15T08:00"}]}"#,
        #"{"blacklist":[{"credential":"A","end":"1969-01-15 08:00"}]}"#,
        #"{"blacklist":[{"credential":"A","end":1800000000}]}"#, #"{"settings":[]}"#,
        #"{"settings":{"door.pulse-s":0}}"#, #"{"settings":{"door.pulse-s":1.5}}"#,
        #"{"settings":{"door.pulse-s":null}}"#,
        #"{"settings":{"door.fail-mode":"safe"}}"#, #"{"settings":{"credentials.groups":[{}]}}"#,
    ]) func refusedFiles(text: String) {
        #expect(throws: JSONPlaceFault.self) { try Self.file(text) }
    }

    @Test func theOrder() throws {
        let chunks: [[UInt8]] = [Array("abc".utf8), []]
        let desired = try FleetDesired(
            chunks, to: "7761307931597753", name: "Front door", key: [UInt8](repeating: 1, count: 8), Self.stamp,
            days: 30)
        #expect(desired.order.command == "desired" && desired.order.counter == 7)
        #expect(desired.order.notBefore == 1_799_999_995 && desired.order.expires == 1_802_591_995)
        let manifest = try #require(DesiredManifest(desired.order))
        // FIPS 180-4, B.1: the digest of "abc".
        #expect(manifest.digests[0].starts(with: [0xBA, 0x78, 0x16, 0xBF, 0x8F, 0x01, 0xCF, 0xEA]))
        #expect(manifest.digests[1].starts(with: [0xE3, 0xB0, 0xC4, 0x42]))
    }

    @Test func linesAndCodes() throws {
        let desired = try FleetDesired(
            [[1], [2], [3]], to: "7761307931597753", name: "Front door", key: [UInt8](repeating: 1, count: 8),
            Self.stamp, days: 30)
        func answer(_ result: RemoteAnswer.Result, _ reason: RemoteAnswer.Reason? = nil, missing: Int? = nil)
            -> RemoteAnswer
        {
            RemoteAnswer(
                device: "7761307931597753", id: Self.stamp.id, command: "desired", result, reason, missing: missing)
        }
        let rows: [(FleetDesired.Outcome, Int32, String)] = [
            (.answered(answer(.done)), 0, "Front door: version 7 is in force"),
            (.answered(answer(.refused, .full)), 1, "Front door: version 7 refused (full): the blacklist does not fit"),
            (.open(nil), 1, "Front door: version 7: no answer within 60 s; the broker has it"),
            (.open(answer(.pending, missing: 2)), 1, "Front door: version 7 not in force after 60 s, 2 of 3 chunks"),
            (.refused("x"), 1, "Front door: version 7: x; the previous state remains"),
        ]
        for (outcome, code, text) in rows {
            #expect(FleetDesired.code(outcome) == code)
            #expect(desired.line(outcome, seconds: 60).hasPrefix(text))
        }
        #expect(
            desired.json(.answered(answer(.done)), seconds: 60)
                == #"{"reader":"Front door","device":"7761307931597753","version":7,"chunks":3,"result":"done","#
                + #""text":"Front door: version 7 is in force"}"#)
        #expect(desired.json(.open(answer(.pending, missing: 2)), seconds: 60).contains(#""missing":2"#))
    }
}
