// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import ArgumentParser
import Crypto
import Glibc
import Protobuf
import Testing

@testable import BackEnd
@testable import readerlab

/// Input, output and refusals of `readerlab credentials`.
@Suite struct CredentialsTests {
    private let bench: CredentialBench

    init() throws {
        bench = try CredentialBench()
    }

    @Test func secretsAreInFilesForTheirOwnerOnly() throws {
        try bench.makeSite()
        try bench.provision("front", door: 7)
        try bench.addReader("front")
        let token = try bench.commandToken("front")
        try bench.bundle([token])
        for name in ["site.json", "front.token", "phone.json"] {
            var status = stat()
            #expect(stat(bench.file(name), &status) == 0 && status.st_mode & 0o777 == 0o600, "\(name)")
        }
        let phone = try bench.text("phone.json")
        #expect(!phone.contains("PRIVATE") && !phone.contains("signature-key"))
        let secret = try CredentialStore.token(token).token
        for name in ["site.json", "front.token", "phone.json"] {
            let lines = try bench.run(ShowCredentialsCommand.self, bench.file(name)).joined()
            #expect(!lines.contains("PRIVATE") && !lines.contains(secret), "\(name)")
        }
        try #require(chmod(bench.file("site.json"), 0o640) == 0)
        #expect(
            bench.failure { try bench.commandToken("front") }?.hasSuffix("do: chmod 600 \(bench.file("site.json"))")
                == true)
    }

    @Test func aSiteIsNotMadeOverAnother() throws {
        try bench.makeSite()
        let before = try bench.text("site.json")
        #expect(bench.failure { try bench.makeSite() }?.hasSuffix("move it away, or name a new file") == true)
        #expect(try bench.text("site.json") == before)
    }

    /// A reader can be added before it is provisioned; the printed key is the one that signs.
    @Test func aReaderMayComeLater() throws {
        try bench.makeSite()
        let pem = Array(try bench.addReader("front", withKey: false).joined(separator: "\n").utf8)
        let site = try CredentialStore.site(bench.file("site.json"))
        #expect(try P256PublicKey(pem: pem.span).point == site.readers[0].privateKey().publicPoint)
        let token = try bench.commandToken("front")
        #expect(bench.failure { try bench.bundle([token]) }?.contains("has no public key yet") == true)
        try bench.provision("front", door: 7)
        try bench.run(
            UpdateReaderCommand.self, "front", "--site", bench.file("site.json"), "--public-key",
            bench.file("front.json"))
        try bench.bundle([token])
        #expect(bench.failure { try bench.addReader("front", withKey: false) }?.contains("already") == true)
        #expect(
            bench.failure { try bench.commandToken("back") }
                == "there is no reader \"back\" at this site; the readers are front")
    }

    @Test func aPublicKeyInPEMNeedsAName() throws {
        try bench.makeSite()
        try bench.write("key.pem", P256PrivateKey.generate().publicKey.pem())
        func add(_ arguments: String...) throws {
            try bench.run(
                AddReaderCommand.self,
                ["front", "--site", bench.file("site.json"), "--public-key", bench.file("key.pem")] + arguments)
        }
        #expect(bench.failure { try add() }?.hasSuffix("does not say the device id; give it: --device-id") == true)
        try add("--device-id", "Door0001", "--door-id", "3")
        let reader = try CredentialStore.site(bench.file("site.json")).readers[0]
        #expect(reader.deviceID == "Door0001" && reader.doorID == 3 && reader.serialNumber == nil)
    }

    @Test func filesThatAreNotWhatTheyShouldBe() throws {
        try bench.makeSite()
        let path = bench.file("other.json")
        for (text, why) in [
            ("", "is no file of the format readerd-site"), ("{}", "is no file of the format readerd-site"),
            ("{\"format\":\"readerd-token\",\"version\":1}", "is no file of the format readerd-site"),
            ("{\n\"format\":\"readerd-site\",\n\"version\":1", "other.json:3: this is no JSON"),
            ("{\"format\":\"readerd-site\",\"version\":2}", "is of version 2, and this program knows version 1"),
            ("{\"format\":\"readerd-site\",\"version\":1,\"id\":1}", "readers is missing"),
            (
                "{\"format\":\"readerd-site\",\"version\":1,\"id\":1,\"readers\":[{\"name\":\"a\"}]}",
                "signature-key is missing"
            ),
        ] {
            try bench.write("other.json", Array(text.utf8))
            let failure = bench.failure { _ = try CredentialStore.site(path) }
            #expect(failure?.contains(why) == true, "\(failure ?? "none")")
        }
        try bench.write("secret.pem", P256PrivateKey.generate().pem())
        #expect(
            bench.failure { _ = try CredentialStore.provisionRecord(bench.file("secret.pem")) }
                == "\(bench.file("secret.pem")): has a private key in it, which never leaves its reader")
    }

    /// Facts 7, the data file: doors and groups; schedules numbered from 1, equal ones once.
    @Test func linesBecomeDoorsAndSchedules() throws {
        func entries(_ arguments: String...) throws -> (doors: [OSSDoorEntry], schedules: [[OSSScheduleDay]]) {
            let command = try OfflineTokenCommand.parse(
                ["--site", "s", "--reader", "r", "--credential", "C", "--out", "o", "--to", "2026-12-31"] + arguments)
            return try command.entries(ownDoor: 7)
        }
        #expect(try entries().doors == [OSSDoorEntry(id: 7)])
        #expect(try entries("--group", "0 mon 07:00-19:00").doors == [OSSDoorEntry(id: 0, isDoor: false, schedule: 1)])
        #expect(try entries("--opens", "toggle").doors == [OSSDoorEntry(id: 7, toggles: true)])
        let made = try entries(
            "--door", "7 mon-fri 07:00-19:00", "--door", "7 sat 09:00-13:58", "--door", "8", "--group", "7",
            "--group", "9 mon-fri 07:00-19:00", "--group", "10 mon-fri 07:00-19:00", "--opens", "extended")
        #expect(
            made.doors == [
                OSSDoorEntry(id: 7, schedule: 1, isExtended: true), OSSDoorEntry(id: 8, isExtended: true),
                OSSDoorEntry(id: 7, isDoor: false, isExtended: true),
                OSSDoorEntry(id: 9, isDoor: false, schedule: 2, isExtended: true),
                OSSDoorEntry(id: 10, isDoor: false, schedule: 2, isExtended: true),
            ])
        let working = OSSScheduleDay(
            weekdays: 0b001_1111, periods: [try OSSTimePeriod(fromHour: 7, fromMinute: 0, toHour: 19, toMinute: 0)])
        let saturday = OSSScheduleDay(
            weekdays: 0b010_0000, periods: [try OSSTimePeriod(fromHour: 9, fromMinute: 0, toHour: 13, toMinute: 58)])
        #expect(made.schedules == [[working, saturday], [working]])
        #expect(throws: (any Error).self) { try entries("--door", "7", "--door", "7 mon 07:00-19:00") }
    }

    @Test(arguments: [
        ["--to", "31.12.2026"], ["--to", "2026-12-31", "--from", "2027-01-01"], ["--to", "2026-12-31", "--door", "0"],
        ["--to", "2026-12-31", "--group", "65536"],
        ["--to", "2026-12-31", "--door", "7 mon 07:00-19:59"],
        ["--to", "2026-12-31", "--door", "7 mon 07:00-19:00 1-90"],
        ["--to", "2026-12-31", "--blacklist", "CRED0000001"], ["--to", "2026-12-31", "--blacklist", "C@soon"],
        ["--to", "2026-12-31", "--opens", "wide"],
    ])
    func wrongOfflineTokens(arguments: [String]) {
        #expect(throws: (any Error).self) {
            try OfflineTokenCommand.parse(
                ["--site", "s", "--reader", "r", "--credential", "C", "--out", "o"] + arguments)
        }
    }

    @Test(arguments: [
        ["--credential", "A:B"], ["--credential", "CRED0000001"], ["--command", "NINECHARS"], ["--command", "a:b"],
        ["--data", "0"], ["--data", "0g"], ["--command", "tokn", "--maintenance"], ["--to", "2025-12-31"],
    ])
    func wrongCommandTokens(arguments: [String]) {
        var all = [
            "--site": "s", "--reader": "r", "--credential": "C", "--out": "o", "--from": "2026-01-01",
            "--to": "2026-12-31",
        ]
        var rest = arguments[...]
        var flags: [String] = []
        while let option = rest.popFirst() {
            if option == "--maintenance" { flags.append(option) } else { all[option] = rest.popFirst() }
        }
        let line = all.flatMap { [$0.key, $0.value] } + flags
        #expect(throws: (any Error).self) { try CommandTokenCommand.parse(line) }
    }

    /// Facts 6.3 and 7: thirteen octets, signed unchanged, without a time.
    @Test func aSecureIdentifierIsItsNameAlone() throws {
        try bench.makeSite()
        try bench.addReader("front", withKey: false)
        let lines = try bench.run(
            SecureIdentifierTokenCommand.self, "--site", bench.file("site.json"), "--reader", "front", "--credential",
            "ALICE1", "--out", bench.file("front.token"))
        let summary = "oss-sid for reader front, credential ALICE1, without an end"
        #expect(lines == ["\(bench.file("front.token")): \(summary)"])
        let file = try CredentialStore.token(bench.file("front.token"))
        #expect(file.kind == "oss-sid" && file.from == nil && file.to == nil && file.command == nil)
        let octets = try #require(file.octets)
        let token = try SessionToken(decodingDelimited: octets.span)
        let info: [UInt8] = [1, 0, 0, 0, 0, 0, 0] + Array("ALICE1".utf8)
        guard case .ossSid(let carried)? = token.payload else { throw StatusCode.test }
        let expected = OssSidMobile(infoFile: try BoundedBytes(info))
        #expect(carried == expected)
        let key = try CredentialStore.site(bench.file("site.json")).readers[0].privateKey().publicKey
        let isSigned = token.signature.withSpan { key.isValid(signature: $0, for: info.span) }
        #expect(isSigned)
        #expect(try bench.run(ShowCredentialsCommand.self, bench.file("front.token")) == [summary])
    }

    @Test(arguments: [
        ["--credential", "A:B"], ["--credential", "CRED0000001"], ["--credential", "ALICE1", "--to", "2026-12-31"],
    ])
    func wrongSecureIdentifiers(arguments: [String]) {
        #expect(throws: (any Error).self) {
            try SecureIdentifierTokenCommand.parse(["--site", "s", "--reader", "r", "--out", "o"] + arguments)
        }
    }

    /// Facts 6.1: a maintenance token is signed for the group.
    @Test func aMaintenanceTokenIsSignedForTheGroup() throws {
        try bench.makeSite()
        try bench.addReader("front", withKey: false)
        let path = try bench.commandToken("front", "--command", "STATUS", "--maintenance")
        let octets = try #require(try CredentialStore.token(path).octets)
        let token = try SessionToken(decodingDelimited: octets.span)
        let key = try CredentialStore.site(bench.file("site.json")).readers[0].privateKey().publicKey
        let group = Array("ALICE00001:MAINTC:2026:1:1:0:0:2026:12:31:23:59".utf8)
        let own = Array("ALICE00001:STATUS:2026:1:1:0:0:2026:12:31:23:59".utf8)
        let isForGroup = token.signature.withSpan { key.isValid(signature: $0, for: group.span) }
        let isForOne = token.signature.withSpan { key.isValid(signature: $0, for: own.span) }
        #expect(isForGroup && !isForOne)
    }

    @Test func aMaintenanceTokenIsPINGUnlessItIsSaid() throws {
        try bench.makeSite()
        try bench.addReader("front", withKey: false)
        let own = try CredentialStore.token(bench.commandToken("front")).command
        let group = try CredentialStore.token(bench.commandToken("front", "--maintenance")).command
        #expect(own == "tokn" && group == "PING")
    }

    // MARK: show

    private static let offline = [
        "--door", "7 mon-fri 07:00-19:00", "--door", "7 sat,sun 09:00-24:00", "--door", "8", "--group", "0", "--opens",
        "extended", "--blacklist", "MALLORY666", "--blacklist", "BOB@2026-06-30",
    ]

    @Test func showTellsWhatACredentialOpensAndCarries() throws {
        try bench.makeSite()
        try bench.provision("front", door: 7)
        try bench.addReader("front")
        let path = try bench.offlineToken("front", Self.offline)
        let lines = [
            "oss-so for reader front, credential ALICE00001, to 2026-12-31T23:59",
            "  door 7: mon-fri 07:00-19:00, sat,sun 09:00-24:00; extended", "  door 8: always; extended",
            "  group 0: always; extended", "  refuses MALLORY666 for ever", "  refuses BOB until 2026-06-30T23:59",
        ]
        #expect(try bench.run(ShowCredentialsCommand.self, path) == lines)
        #expect(
            try bench.run(ShowCredentialsCommand.self, path, "--json") == [
                #"{"blacklist":[{"credential":"MALLORY666"},{"credential":"BOB","until":"2026-06-30T23:59"}],"#
                    + #""credential":"ALICE00001","doors":[{"id":7,"opens":"extended","#
                    + #""times":["mon-fri 07:00-19:00","sat,sun 09:00-24:00"]},{"id":8,"opens":"extended"}],"#
                    + #""groups":[{"id":0,"opens":"extended"}],"kind":"oss-so","reader":"front","site":1,"#
                    + #""to":"2026-12-31T23:59"}"#
            ])
        let bundle = try bench.bundle([path])
        let device = bundle.readers[0].deviceID
        let shown = try bench.run(ShowCredentialsCommand.self, bench.file("phone.json"))
        #expect(shown == ["for site 1, 1 reader(s)", "front (\(device)), 1 token(s):"] + lines.map { "  " + $0 })
        for name in ["site.json", "phone.json"] {
            let json = try bench.run(ShowCredentialsCommand.self, bench.file(name), "--json")
            #expect(json.count == 1 && json[0].hasPrefix("{") && json[0].contains("\"device-id\":\"\(device)\""))
            #expect(!json[0].contains("PRIVATE"))
        }
        #expect(throws: (any Error).self) {
            try ShowCredentialsCommand.parse([bench.file("site.json"), "--json", "--signature-key", "front"])
        }
    }

    @Test func showSaysThatATokenCannotBeRead() throws {
        try bench.makeSite()
        try bench.addReader("front", withKey: false)
        let path = try bench.offlineToken("front", ["--door", "7"])
        var file = try CredentialStore.token(path)
        file.token = "AAAA"
        unlink(path)
        try CredentialStore.create(file, at: path)
        #expect(
            bench.failure { try bench.run(ShowCredentialsCommand.self, path) }
                == "the token of ALICE00001 for reader front cannot be read: status \(StatusCode.decode.explained)")
    }

    @Test(arguments: [
        (UInt8(0b001_1111), "mon-fri"), (0b110_0000, "sat,sun"), (0b111_1111, "mon-sun"),
        (0b101_0101, "mon,wed,fri,sun"),
        (0b011_0111, "mon-wed,fri,sat"), (0, ""),
    ])
    func weekdaysAreAsALineHasThem(mask: UInt8, text: String) {
        #expect(CredentialContents.Entry.text(weekdays: mask) == text)
    }
}
