// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import FoundationEssentials
import Phone
import Testing
import TestSupport
import Timekeeping

@testable import BackEnd
import Commands
@testable import Console
@testable import PhoneTool

/// A phone's choice among the tokens of a bundle.
@Suite struct PhoneKeyringTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static func token(
        _ command: CommandName, _ credential: String, signedAs: CommandName? = nil
    ) throws -> PhoneBundle.Token {
        let octets = try TokenIssuer.demo().commandToken(
            credentialID: credential, command: command,
            validity: TokenValidity(
                from: CivilTime(year: 2026, month: 1, day: 1), through: CivilTime(year: 2026, month: 12, day: 31)),
            signedAs: signedAs)
        return PhoneBundle.Token(
            TokenFile(
                reader: "front", kind: "command", credential: credential, command: command.rawValue,
                token: Data(octets).base64EncodedString()))
    }

    /// A bundle with a reader for each list of tokens: `front` (AAAAAAAA), `back` (BBBBBBBB).
    private func bundle(_ tokens: [PhoneBundle.Token]...) throws -> String {
        let key = Data(try P256PrivateKey.generate().publicKey.der()).base64EncodedString()
        let readers = zip([("front", "AAAAAAAA"), ("back", "BBBBBBBB")], tokens).map { reader, tokens in
            PhoneBundle.Reader(name: reader.0, deviceID: reader.1, terminalPublicKey: key, tokens: tokens)
        }
        let path = directory.path + "/phone.json"
        try CredentialStore.replace(path, with: PhoneBundle(site: .init(id: 1), readers: readers))
        return path
    }

    @Test func withoutABundleItIsTheDemoIdentityAndSaysSo() throws {
        let keyring = try PhoneKeyring()
        #expect(keyring.isDemo && keyring.credentials.map(\.deviceID) == ["wa0y1YwS"])
        #expect(keyring.introduction.contains("published demo identity"))
        #expect(try keyring.reader(named: "wa0y1YwS") == .deviceID("wa0y1YwS"))
        // A reader that is named is asked, whatever it is called: its key decides.
        #expect(try keyring.reader(named: "AAAAAAAA") == .deviceID("AAAAAAAA"))
        #expect(try keyring.reader(named: "C0:11:22:33:44:5F") == .address(0xC011_2233_445F))
    }

    @Test func eachReaderOfABundleGetsItsToken() throws {
        let path = try bundle([Self.token(.open, "ALICE00001")], [Self.token(.open, "ALICE00002")])
        let keyring = try PhoneKeyring(bundle: path, need: .opening, token: nil)
        #expect(keyring.credentials.map(\.deviceID) == ["AAAAAAAA", "BBBBBBBB"])
        #expect(keyring.introduction.contains("ALICE00001/tokn for front (AAAAAAAA)"))
        #expect(try keyring.reader(named: "back") == .deviceID("BBBBBBBB"))
        let error = try #require(throws: CommandError.self) { try keyring.reader(named: "CCCCCCCC") }
        #expect(error.code == 2 && error.text.contains("front (AAAAAAAA), back (BBBBBBBB)"))
    }

    @Test func oneOfSeveralTokensHasToBePicked() throws {
        let path = try bundle([Self.token(.open, "ALICE00001"), Self.token(.open, "BOB0000001")])
        let error = try #require(throws: CommandError.self) {
            try PhoneKeyring(bundle: path, need: .opening, token: nil)
        }
        #expect(error.code == 2)
        #expect(error.text.contains("--token ALICE00001/tokn, --token BOB0000001/tokn"))
        for name in ["BOB0000001", "BOB0000001/tokn"] {
            let keyring = try PhoneKeyring(bundle: path, need: .opening, token: name)
            #expect(keyring.introduction.contains("BOB0000001/tokn"))
        }
    }

    /// The command's own token comes before one of the group, and what opens maintains nothing.
    @Test func aMaintenanceTokenServesItsGroup() throws {
        let maintenance = try Self.token(.ping, "FIXER00001", signedAs: .maintenanceGroup)
        let path = try bundle([Self.token(.open, "ALICE00001"), maintenance])
        for command in [CommandName.status, .setTime, .eventQuery, .ping] {
            let keyring = try PhoneKeyring(bundle: path, need: .command(command), token: nil)
            #expect(keyring.introduction.contains("FIXER00001/PING"), "\(command.rawValue)")
        }
        let own = try bundle([maintenance, Self.token(.status, "OWN0000001")])
        #expect(
            try PhoneKeyring(bundle: own, need: .command(.status), token: nil).introduction.contains(
                "OWN0000001/STATUS"))
        let error = try #require(throws: CommandError.self) {
            try PhoneKeyring(bundle: try bundle([Self.token(.open, "ALICE00001")]), need: .command(.status), token: nil)
        }
        #expect(error.code == 2 && error.text.contains("no token for STATUS, only ALICE00001/tokn"))
        #expect(error.text.hasSuffix("; have one issued: readerlab credentials token command --maintenance"))
    }

    @Test func aFileThatIsNoBundleIsWrongUse() throws {
        for path in [directory.path + "/none.json", try directory.write("other.json", "{}")] {
            let error = try #require(throws: CommandError.self) {
                try PhoneKeyring(bundle: path, need: .opening, token: nil)
            }
            #expect(error.code == 2 && error.text.hasPrefix(path))
        }
    }
}
