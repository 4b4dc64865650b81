// SPDX-License-Identifier: Apache-2.0

import TestSupport
import EventStore
import Glibc
import Reader
import System
import Testing
import Timekeeping

@testable import readerd

/// `readerd events` on a log that a store has written.
@Suite struct EventsCommandTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try StoredPolicy.markFirstStart(in: StateDirectory(directory.path))
        let key = try EventLogKey.load(from: StateDirectory(directory.path))
        let store = try EventStore(
            .init(directory: directory.path, key: key, capacity: LogCapacity(records: 100, whenFull: .overwrite)))
        for event in Self.events { #expect(store.submit(.unawaited, .append(event))) }
        try #require(store.close(within: TestTimeout.seconds))
    }

    private static let time = AuditTime(
        epochSeconds: 1_795_262_400, utcOffsetMinutes: -90, quality: .synchronised, uptimeMilliseconds: 5)

    private static let events: [AuditEvent] = {
        let unset = AuditTime(epochSeconds: 0, utcOffsetMinutes: 0, quality: .unset, uptimeMilliseconds: 1234)
        var granted = AuditEvent(
            .granted, at: time, info: 2, channel: .bluetooth, credential: "CRED000001", command: "tokn")
        (granted.link, granted.mode, granted.dBm) = (7, .onTouch, -45)
        return [
            AuditEvent(.start, at: unset, detail: "readerd 0"), granted,
            AuditEvent(.denied, at: time, info: -12, channel: .bluetooth, credential: "\u{1B}[2J\"", command: "tokn"),
        ]
    }()

    private func perform(_ arguments: String...) -> ProgramOutcome {
        perform(arguments)
    }

    private func perform(_ arguments: [String]) -> ProgramOutcome {
        Program.outcome(of: ["events", "--state", directory.path] + arguments)
    }

    @Test func theTableIsAligned() {
        let (code, printed, _) = perform()
        #expect(code == 0)
        #expect(
            printed == [
                "number  time                       event                   credential  way                 what",
                "1       +1234 ms, no clock         start                               reader              readerd 0",
                "2       2026-11-21T10:30:00-01:30  granted                 CRED000001  ble on-touch        "
                    + "tokn, -45 dBm, link 7",
                "3       2026-11-21T10:30:00-01:30  denied                  \\u{1b}[2J\"  ble                 "
                    + "tokn, status -12 (invalid signature)",
            ])
    }

    private static func event(_ kind: AuditKind, _ info: Int32, detail: String = "") -> AuditEvent {
        AuditEvent(kind, at: time, info: info, channel: .control, command: "pulse", detail: detail)
    }

    /// Refusals in words; a number remains where there are none.
    @Test(
        arguments: [
            (event(.denied, 130), "blacklisted", "blacklisted"), (event(.denied, 131), "outside its validity", nil),
            (event(.denied, 132), "outside its schedule", nil),
            (event(.denied, 128, detail: "wrong site"), "wrong site", nil),
            // Of a log from before the details.
            (event(.denied, 128), "denied", nil),
            (event(.denied, 128, detail: "lockdown"), "lockdown", nil),
            (event(.denied, 200), "decision 200", nil),
            (event(.denied, -21, detail: "lockdown"), "lockdown", nil),
            (event(.denied, -21), "status -21 (busy)", "busy"),
            (event(.withdrawn, 0, detail: "lockdown"), "not opened: lockdown", "lockdown"),
            (event(.withdrawn, 0, detail: "tampered"), "not opened: housing tampered", "housing tampered"),
            (event(.withdrawn, 0, detail: "locked-out"), "not opened: lockout after refused attempts", nil),
            (event(.withdrawn, 0, detail: "left-to-panel"), "not opened: the panel is silent", nil),
            (event(.withdrawn, 0, detail: "inactive"), "not opened: door inactive", nil),
            (event(.withdrawn, 0, detail: "expired"), "not opened: expired", nil),
            (event(.withdrawn, -8), "status -8", nil),
            (event(.withdrawn, -21, detail: "panel"), "status -21 (busy), panel", "panel"),
            (event(.command, 0), "status 0 (ok)", nil),
            (event(.command, -5), "status -5 (not supported)", "not supported"),
        ] as [(AuditEvent, String, String?)]) func refusalsAreInWords(event: AuditEvent, words: String, reason: String?)
    {
        let record = AuditRecord(sequence: 7, event: event)
        #expect(EventLine.cells(record).last == "pulse, \(words)")
        guard let reason else { return }
        #expect(EventLine.json(record).contains(#""info":\#(event.info),"reason":"\#(reason)","#))
    }

    /// The last column begins in the same place, whatever stands before it.
    @Test func everyKindAndEveryWayFits() {
        let known = AuditKind.table.map(\.name)
        #expect(known.contains("credential-blacklisted"))
        for mode in AdvertisingMode.allCases {
            for kind in known {
                let row = EventLine.row(["1", "", kind, "0123456789", "ble \(mode.rawValue)", "what"])
                #expect(row.hasSuffix("  what") && row.count == EventLine.row(["", "", "", "", "", "what"]).count)
            }
        }
    }

    @Test func jsonIsALinePerEvent() {
        let printed = perform("--json", "--kind", "granted,denied").printed
        #expect(
            printed == [
                #"{"sequence":2,"time":"2026-11-21T10:30:00-01:30","clock":"synchronised","uptime-ms":5,"#
                    + #""kind":"granted","code":1,"info":2,"channel":"ble","link":7,"mode":"on-touch","#
                    + #""rssi-dbm":-45,"credential":"CRED000001","command":"tokn"}"#,
                #"{"sequence":3,"time":"2026-11-21T10:30:00-01:30","clock":"synchronised","uptime-ms":5,"#
                    + #""kind":"denied","code":2,"info":-12,"reason":"invalid signature","channel":"ble","#
                    + #""credential":"\u001b[2J\"","command":"tokn"}"#,
            ])
    }

    @Test func rangesSelect() {
        #expect(perform("--since", "3", "--json").printed.count == 1)
        #expect(perform("--last=2", "--json").printed.map { $0.prefix(13) } == ["{\"sequence\":2", "{\"sequence\":3"])
        #expect(perform("--since", "99", "--json").printed == [])
    }

    /// Dates are local, as the table shows them: all of the day from its first minute on.
    @Test func datesSelect() {
        func numbers(_ since: String, _ kinds: String...) -> [Substring] {
            perform(["--since", since, "--json"] + kinds).printed.map { $0.dropFirst(12).prefix(1) }
        }
        #expect(numbers("2026-11-21") == ["2", "3"])
        #expect(numbers("2026-11-21T10:30") == ["2", "3"])
        #expect(numbers("2026-11-21T10:31") == [])
        #expect(numbers("2026-11-22") == [])
        #expect(numbers("2020-01-01", "--kind", "denied") == ["3"])
        #expect(perform("--since", "2026-11-21").printed.count == 3)
    }

    /// An event without a time stands where it was written: behind the first event of that time.
    @Test func eventsWithoutAClockAreOfTheTimeBefore() throws {
        let key = try EventLogKey.load(from: StateDirectory(directory.path))
        let store = try EventStore(
            .init(directory: directory.path, key: key, capacity: LogCapacity(records: 100, whenFull: .overwrite)))
        #expect(store.submit(.unawaited, .append(Self.events[0])))
        try #require(store.close(within: TestTimeout.seconds))
        #expect(perform("--since", "2026-11-21", "--json").printed.count == 3)
        #expect(perform("--since", "2026-11-22", "--json").printed.isEmpty)
    }

    @Test func verifyPrintsAnAnchorThatFits() throws {
        let (code, printed, _) = perform("--verify")
        #expect(code == 0 && printed.first == "sound: 3 records, 1 to 3" && printed.count == 3)
        #expect(printed[1] == "policy: none yet")
        let anchor = try #require(printed.last?.split(separator: " ").last)
        #expect(perform("--verify", "--anchor", String(anchor)).code == 0)
        let other = "2" + anchor.dropFirst()
        let wrong = perform("--verify", "--anchor", other)
        #expect(wrong.code == 1)
        #expect(wrong.printed.first == "record 2 differs from the noted one: the log was replaced")
        #expect(
            perform("--verify", "--json").printed == [
                #"{"sound":true,"records":3,"first":1,"last":3,"dropped-through":0,"anchor":"\#(anchor)","findings":[],"#
                    + #""more":false,"policy":{"sound":true,"generation":0,"blacklist":0,"settings":[]}}"#
            ])
    }

    @Test func exportHasTheChain() throws {
        let file = directory.path + "/export"
        #expect(perform("--export", file).printed == ["\(file): 3 records"])
        let contents = try #require(try FileContents.read(file, maximumCount: 1 << 16))
        let lines = String(decoding: contents.octets, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 4 && lines[0].hasPrefix("{\"checkpoint\":0,\"chain\":\""))
        #expect(lines[2].contains("\"record\":\"010200000000000000010002") && lines[2].contains("\"chain\":\""))
        #expect(contents.permissions == 0o600)
    }

    @Test func whatCannotBeReadIsSaidInALine() throws {
        let empty = try TemporaryDirectory()
        let outcome = Program.outcome(of: ["events", "--state", empty.path])
        #expect(outcome.code == 1)
        #expect(outcome.complaints.first?.hasPrefix("readerd: \(empty.path)/events.db: cannot open it;") == true)
        // Nothing is made by looking.
        #expect(empty.names() == [])
        unlink(directory.path + "/event-log-key")
        #expect(perform("--verify").complaints.first?.contains("event-log-key: missing") == true)
    }

    @Test func theKeyIsMadeOnceAndNobodyElsesToRead() throws {
        let state = try StateDirectory(directory.path)
        #expect(directory.mode(of: "event-log-key") == 0o600)
        let before = try FileContents.read(directory.path + "/event-log-key", maximumCount: 32)?.octets
        _ = try EventLogKey.load(from: state)
        #expect(try FileContents.read(directory.path + "/event-log-key", maximumCount: 32)?.octets == before)
        chmod(directory.path + "/event-log-key", 0o644)
        #expect(throws: ReaderdError.self) { try EventLogKey.load(from: state) }
        try directory.write("event-log-key", [1, 2, 3], mode: 0o600)
        let error = try #require(throws: ReaderdError.self) { try EventLogKey.load(from: state) }
        #expect("\(error)".contains("the policy is lost"))
        #expect("\(error)".contains("readerd policy begin --yes --state \(directory.path) (docs/operate/policy.md)"))
    }

    /// A reader starts with a damaged key all the same: it makes another, keeps the old one, and has lost its policy.
    @Test func aDamagedKeyIsReplaced() throws {
        for (name, change) in StateFileDamage.all {
            let directory = try TemporaryDirectory()
            let state = try StateDirectory(directory.path)
            _ = try EventLogKey.load(from: state)
            try change(directory.path, "event-log-key")
            let damage = try EventLogKey.loadOrReplace(in: state).damage
            // Any 32 octets are a key; what another one has authenticated is lost then.
            guard name != "of another version" else {
                #expect(damage == nil)
                continue
            }
            #expect(damage?.hasSuffix("; kept as event-log-key.damaged-1, a new key is used") == true, "\(name)")
            #expect(directory.names().contains("event-log-key.damaged-1"), "\(name)")
            #expect(try EventLogKey.loadOrReplace(in: state).damage == nil, "\(name)")
        }
        // What others could read is no damage: it is for a person to find out who has.
        let state = try StateDirectory(directory.path)
        chmod(directory.path + "/event-log-key", 0o644)
        #expect(throws: ReaderdError.self) { try EventLogKey.loadOrReplace(in: state) }
    }

    @Test func wrongUseEndsWithTwo() {
        let help = "see: readerd events --help"
        let cases: [([String], String)] = [
            (["now"], "events: unknown argument \"now\"; \(help)"),
            (["--since"], "--since needs a value; \(help)"),
            (
                ["--since", "x"],
                "--since needs the number of an event or a date, 2026-11-22 or 2026-11-22T18:00, and \"x\" is neither"
            ),
            (
                ["--since", "2026-02-30"],
                "--since needs the number of an event or a date, 2026-11-22 or 2026-11-22T18:00, and \"2026-02-30\" is "
                    + "neither"
            ),
            (["--last", "0"], "--last needs a number of events from 1, not \"0\""),
            (["--json", "--json"], "--json is given twice; use it once"),
            (["--json=1"], "--json takes no value; \(help)"),
            (["--follow", "--verify"], "--follow, --verify and --export exclude each other; \(help)"),
            (
                ["--verify", "--kind", "fire"],
                "--kind cannot be combined with --verify, which checks all events; "
                    + "\(help)"
            ),
            (
                ["--export", "f", "--json"],
                "--json cannot be combined with --export, which writes all events as JSON; "
                    + "\(help)"
            ),
            (["--anchor", "1:" + String(repeating: "0", count: 64)], "--anchor needs --verify; \(help)"),
            (
                ["--anchor", "1:00"],
                "--anchor needs the output of --verify, NUMBER:64 hexadecimal digits, not \"1:00\""
            ),
            (["--since", "1", "--last", "1"], "--since and --last exclude each other"),
        ]
        for (arguments, text) in cases {
            #expect(throws: ReaderdError.usage(text)) { try EventsOptions(arguments[...]) }
        }
        #expect(throws: ReaderdError.self) { try EventsOptions(["--kind", "granted,nosuch"]) }
    }

    @Test func optionsAreTaken() throws {
        var expected = EventsOptions()
        expected.stateDirectory = "d"
        expected.action = .follow
        expected.since = .number(5)
        expected.kinds = [.fire, .granted, .denied]
        expected.includesCleared = true
        expected.isJSON = true
        #expect(
            try EventsOptions([
                "--state=d", "--follow", "--since", "5", "--kind", "fire", "--kind=granted,denied", "--cleared",
                "--json",
            ]) == expected)
    }

    /// Every kind stands in docs/operate/events.md with its number and name, and no other.
    @Test func theDocumentHasEveryKind() throws {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        let path = parts.joined(separator: "/") + "/docs/operate/events.md"
        let contents = try #require(try FileContents.read(path, maximumCount: 1 << 16))
        let rows = String(decoding: contents.octets, as: UTF8.self).split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.drop { $0 == " " } }
            return cells.count > 2 && UInt16(cells[0].split(separator: " ")[0]) != nil
                ? "\(cells[0].split(separator: " ")[0]) \(cells[1].split(separator: " ")[0])" : nil
        }
        #expect(rows == AuditKind.table.map { "\($0.kind.rawValue) `\($0.name)`" })
    }
}
