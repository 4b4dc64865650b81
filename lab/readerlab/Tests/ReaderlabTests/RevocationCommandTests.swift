// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import ArgumentParser
import Fleet
import Glibc
import JSON
import Phone
import Protobuf
import Testing
import Timekeeping

@testable import BackEnd
@testable import readerlab

/// The desk's register: what was issued to whom, what is revoked, and what tells readers.
@Suite struct RevocationCommandTests {
    private let bench: CredentialBench
    private let site: String

    init() throws {
        bench = try CredentialBench()
        site = bench.file("site.json")
        try bench.makeSite()
        try bench.provision("front", door: 7)
        try bench.addReader("front")
    }

    private func issue(_ credential: String, holder: String? = nil, _ arguments: String...) throws {
        try bench.run(
            CommandTokenCommand.self,
            [
                "--site", site, "--reader", "front", "--credential", credential, "--from", "2026-01-01", "--to",
                "2099-12-31", "--out", bench.file("\(credential).token"),
            ] + (holder.map { ["--holder", $0] } ?? []) + arguments)
    }

    private func revoke(_ arguments: String...) throws -> [String] {
        try bench.run(RevokeCommand.self, arguments + ["--site", site])
    }

    @Test func theRegisterHasWhatWasIssuedAndToWhom() throws {
        #expect(try bench.run(ListCredentialsCommand.self, "--site", site) == ["no credential was issued yet"])
        try issue("ALICE04711", holder: "Alice Miller")
        try issue("BOB0000815")
        var status = stat()
        #expect(stat(site + ".register", &status) == 0 && status.st_mode & 0o777 == 0o600)
        let register = try bench.text("site.json.register")
        let token = try CredentialStore.token(bench.file("ALICE04711.token")).token
        #expect(!register.contains(token) && !register.contains("PRIVATE"))
        let lines = try bench.run(ListCredentialsCommand.self, "--site", site)
        #expect(lines[0].hasPrefix("credential  holder        reader  for   from              to                state"))
        #expect(
            lines[1].hasPrefix("ALICE04711  Alice Miller  front   tokn  2026-01-01T00:00  2099-12-31T23:59  ends in "))
        #expect(lines[2].hasPrefix("BOB0000815  -             front   tokn  "))
        let json = try bench.run(ListCredentialsCommand.self, "--site", site, "--json")
        let issued = try JSONParser.parse(Array(json[0].utf8))["issued"]
        guard case .array(let elements)? = issued?.content else { throw StatusCode.test }
        #expect(elements.first?["holder"]?.content == .string("Alice Miller"))
        #expect(elements.first?["command"]?.content == .string("tokn"))
    }

    /// Literal times: 2026-11-28 10:00.
    @Test func theStateIsByTheDate() throws {
        func entry(_ name: String, _ from: String?, _ to: String?) -> CredentialRegister.Issue {
            let token = TokenFile(
                reader: "front", kind: "oss-so", credential: name, from: from, to: to, token: "")
            return CredentialRegister.Issue(token, holder: nil, at: "2026-01-01T00:00Z")
        }
        var register = CredentialRegister()
        register.issued = [
            entry("ENDED", nil, "2026-11-28T09:59"), entry("SOON", nil, "2026-12-27T10:00"),
            entry("LATER", nil, "2026-12-29T10:00"), entry("NEXTYEAR", "2027-01-01T00:00", "2027-12-31T23:59"),
            entry("NOEND", nil, nil), entry("REVOKED", nil, "2026-12-01T00:00"),
            entry("OVER", nil, "2026-12-01T00:00"),
        ]
        register.revoke(["REVOKED"], until: "2026-12-01T00:00", at: "2026-11-01T00:00Z")
        register.revoke(["OVER"], until: "2026-11-28T09:59", at: "2026-11-01T00:00Z")
        register.revoke(["FOREIGN"], until: nil, at: "2026-11-01T00:00Z")
        let now = CivilTime(year: 2026, month: 11, day: 28, hour: 10)
        let lines = RegisterTable(register, now: now).lines(isSelection: false)
        let states = lines.dropFirst().map { $0.split(separator: "  ").last.map { String($0).trimmed } ?? "" }
        #expect(
            states.prefix(7) == [
                "ended", "ends in 29 d", "ends in 31 d", "not yet", "without an end", "revoked until 2026-12-01T00:00",
                "ends in 2 d",
            ])
        #expect(lines.last == "revoked, and not issued here: FOREIGN")
        let soon = RegisterTable(register, now: now, endsWithin: 30).lines(isSelection: true)
        #expect(soon.count == 3, "a revoked one needs no care")
        #expect(soon[1].hasPrefix("SOON") && soon[2].hasPrefix("OVER"))
    }

    @Test func aDamagedRegisterIsRefusedAndNamed() throws {
        try issue("ALICE04711")
        let whole = try bench.text("site.json.register")
        for text in ["", "{", String(whole.dropLast(20)), #"{"format":"readerd-register","version":2}"#] {
            try bench.write("site.json.register", Array(text.utf8))
            for attempt in [
                bench.failure { try issue("BOB0000815") }, bench.failure { _ = try revoke("ALICE04711") },
                bench.failure { try bench.run(ListCredentialsCommand.self, "--site", site) },
            ] {
                #expect(attempt?.hasPrefix(site + ".register") == true, "\(attempt ?? "taken")")
            }
            #expect(access(bench.file("BOB0000815.token"), F_OK) != 0, "no token without its entry")
            #expect(try bench.text("site.json.register") == text)
        }
        try bench.write("site.json.register", Array(whole.utf8))
        try #require(chmod(site + ".register", 0o644) == 0)
        #expect(bench.failure { try issue("BOB0000815") }?.contains("chmod 600") == true)
    }

    /// A courier's token carries the list itself, and its bundle needs no data from a person.
    @Test func aCourierCarriesWhatIsRevoked() throws {
        try issue("ALICE04711", holder: "Alice Miller")
        let lines = try revoke(
            "ALICE04711", "BOB0000815", "--until", "2098-06-30", "--courier", "GUARD00001", "--bundle",
            bench.file("courier.json"))
        #expect(lines[0] == "ALICE04711 (Alice Miller): revoked until 2098-06-30T23:59 in the register")
        #expect(lines[2].contains("2 revoked for front") && lines[2].contains("readerlab phone command BL_PUSH"))
        let bundle = try CredentialStore.bundle(bench.file("courier.json"))
        let token = try #require(bundle.readers.first?.tokens.first)
        let octets = try #require(token.octets)
        let message = try SessionToken(decodingDelimited: octets.span)
        guard case .command(let command) = message.payload else { throw StatusCode.test }
        #expect(command.command.ascii == "BL_PUSH" && command.credentialId.id.ascii == "GUARD00001")
        var data: [UInt8] = []
        command.data.append(to: &data)
        let entries = try BlacklistEntries(decodingDelimited: data.span).entries
        #expect(entries.map { $0.credentialId.id.ascii } == ["ALICE04711", "BOB0000815"])
        #expect(
            entries.allSatisfy {
                $0.expiresAt
                    == LocalTimestamp(year: 2098, month: 6, date: 30, hours: 23, minutes: 59, seconds: 0)
            })
        // Zeros are for ever.
        let ever = try RevocationDelivery.data([.init(credential: "A", until: nil, at: "")])
        #expect(
            try BlacklistEntries(decodingDelimited: ever.span).entries.first?.expiresAt
                == LocalTimestamp(year: 0, month: 0, date: 0, hours: 0, minutes: 0, seconds: 0))
        let listed = try bench.run(ListCredentialsCommand.self, "--site", site)
        #expect(listed.contains { $0.hasPrefix("GUARD00001") && $0.contains("BL_PUSH") })
        #expect(listed.contains { $0.hasPrefix("ALICE04711") && $0.hasSuffix("revoked until 2098-06-30T23:59") })
        #expect(
            bench.failure {
                _ = try revoke("--courier", "ALICE04711", "--bundle", bench.file("other.json"))
            }?.contains("is revoked itself") == true)
    }

    /// As many as a message takes, and the newest.
    @Test func aFullListFitsIntoAMessage() throws {
        var register = CredentialRegister()
        for number in 0..<RevocationDelivery.courierLimit {
            register.revoke(["CRED\(100_000 + number)"], until: "2099-12-31T23:59", at: "")
        }
        let octets = try RevocationDelivery.data(register.revoked)
        #expect(octets.count <= 1792)
        #expect(try BlacklistEntries(decodingDelimited: octets.span).entries.count == 50)
    }

    /// Other entries, and the settings, stay.
    @Test func theFleetsStateIsChangedInPlace() throws {
        let state = bench.file("state.json")
        _ = try revoke("ALICE04711", "--until", "2098-06-30", "--state", state)
        #expect(
            try bench.text("state.json")
                == "{\"blacklist\": [\n  {\"credential\":\"ALICE04711\",\"end\":\"2098-06-30 23:59\"}\n ]}\n")
        try bench.write(
            "state.json",
            Array(#"{"blacklist": [{"credential": "HAND"}], "settings": {"door.pulse-s": 5}}"#.utf8))
        _ = try revoke("BOB0000815", "--state", state)
        let changed = try DesiredFile(Array(try bench.text("state.json").utf8))
        #expect(changed.blacklist?.map(\.credential) == ["HAND", "ALICE04711", "BOB0000815"])
        #expect(changed.blacklist?.map { $0.end != nil } == [false, true, false])
        #expect(changed.settings?.count == 1)
        try bench.run(UnrevokeCommand.self, "ALICE04711", "--site", site, "--state", state)
        let less = try DesiredFile(Array(try bench.text("state.json").utf8))
        #expect(less.blacklist?.map(\.credential) == ["HAND", "BOB0000815"] && less.settings?.count == 1)
        #expect(
            bench.failure { try bench.run(UnrevokeCommand.self, "ALICE04711", "--site", site) }?
                .hasPrefix("ALICE04711 is not revoked") == true)
        try bench.write("state.json", Array(#"{"blacklist": 7}"#.utf8))
        #expect(bench.failure { _ = try revoke("--state", state) }?.hasPrefix(state) == true)
    }

    /// The output of a reader, with names.
    @Test func aReadersPolicyIsShownByName() throws {
        try issue("ALICE04711", holder: "Alice Miller")
        _ = try revoke("ALICE04711")
        _ = try revoke("CAROL00012")
        let path = bench.file("policy.json")
        try bench.write(
            "policy.json",
            Array(
                #"""
                {"sound":true,"whole":true,"blacklist":3,"revoked":[{"credential":"ALICE04711"},\#
                {"credential":"DAVE","until":"2098-01-31T12:00"},{"credential":"OLD","until":"2020-01-31T12:00"}]}
                """#.utf8))
        #expect(
            try bench.run(ReaderPolicyCommand.self, path, "--site", site) == [
                "credential  holder        at the reader           by the register",
                "ALICE04711  Alice Miller  for ever                for ever",
                "DAVE        -             until 2098-01-31T12:00  not revoked",
                "CAROL00012  -             not revoked             for ever",
                "1 missing at the reader: readerd revoke ID there, a courier, or the fleet",
            ])
        for text in [#"{"sound":false,"finding":"lost"}"#, "[]", #"{"sound":true,"revoked":[7]}"#] {
            try bench.write("policy.json", Array(text.utf8))
            let failure = bench.failure { try bench.run(ReaderPolicyCommand.self, path, "--site", site) }
            #expect(failure?.hasPrefix(path) == true)
        }
    }

    @Test func tokensThatAreGoodForNothingAreWarnedOf() throws {
        func warnings(_ arguments: String...) throws -> [String] {
            try CommandTokenCommand.parse(
                [
                    "--site", site, "--reader", "front", "--credential", "A", "--from", "2026-01-01", "--out", "x",
                ] + arguments
            ).warnings
        }
        #expect(try warnings("--to", "2099-12-31") == [])
        #expect(try warnings("--to", "2099-12-31", "--maintenance") == [])
        #expect(try warnings("--to", "2099-12-31", "--command", "BL_PUSH", "--data", "00") == [])
        #expect(try warnings("--to", "2099-12-31", "--command", "MAINTC").first?.contains("--maintenance") == true)
        #expect(try warnings("--to", "2099-12-31", "--command", "OPEN").first?.contains("do not know") == true)
        #expect(try warnings("--to", "2099-12-31", "--data", "00").first?.contains("ignore the data") == true)
        #expect(try warnings("--to", "2026-01-02").first == "the token has ended already, on 2026-01-02T23:59")
        #expect(try RevokeCommand.parse(["NOBODY", "--site", site]).warnings.count == 1)
    }

    @Test(arguments: [
        [], ["A", "--until", "2020-01-01"], ["A", "--courier", "B"], ["A", "--reader", "front"], ["ABCDEFGHIJK"],
        ["--until", "2099-01-01", "--state", "x"], ["A", "--days", "0"],
    ])
    func wrongUse(arguments: [String]) {
        #expect(throws: (any Error).self) { try RevokeCommand.parse(arguments + ["--site", "s"]) }
    }
}

extension String {
    fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
