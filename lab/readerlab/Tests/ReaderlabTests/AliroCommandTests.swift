// SPDX-License-Identifier: Apache-2.0

import BackEnd
import CBOR
import Glibc
import Testing

@testable import readerlab

/// Aliro without Matter (docs/operate/aliro.md): the list, the issuer's key, and documents. Readers accept these in
/// `test_aliro.py`.
@Suite struct AliroCommandTests {
    private static let key =
        "049fad84aeae08bbef7f010014d82cef6a09de2b0cf871b5ce0c4f1d13a59a5934"
        + "07cb45769f1070e2c2470fe5b1bfe63133c0b0cdc64ea4bf3791a8ec2a07fd4f"

    private let bench: CredentialBench

    init() throws { bench = try CredentialBench() }

    @Test func kindsShareTheListAndAreShownApart() throws {
        let list = bench.file("cards.json")
        _ = try bench.run(AddKeyCommand<AliroGroup>.self, ["PHONE00001", "--list", list, "--key", Self.key])
        _ = try bench.run(AddKeyCommand<PKOCGroup>.self, ["CARD000001", "--list", list, "--key", Self.key])
        #expect(
            try bench.run(ListCardsCommand<AliroGroup>.self, ["--list", list, "--json"])
                == [#"{"kind":"aliro","id":"PHONE00001","key":"\#(Self.key)"}"#])
        #expect(throws: CredentialError("\(list): has no CARD000001")) {
            try bench.run(RemoveCardCommand<AliroGroup>.self, ["CARD000001", "--list", list])
        }
        _ = try bench.run(RemoveCardCommand<AliroGroup>.self, ["PHONE00001", "--list", list])
        #expect(try bench.run(ListCardsCommand<PKOCGroup>.self, ["--list", list]).count == 2)
    }

    @Test func issuersKeyIsMadeOnceAndForItsOwnerOnly() throws {
        let path = bench.file("issuer.pem")
        let point = try bench.run(AliroIssuerCommand.self, [path])
        #expect(point.first?.count == 130)
        #expect(try bench.run(AliroIssuerCommand.self, [path]) == point)
        #expect(try bench.run(AliroIssuerCommand.self, [path, "--json"]) == point.map { "{\"key\":\"\($0)\"}" })
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        chmod(path, 0o640)
        #expect(throws: CredentialError("\(path): others may read or write it; do: chmod 600 \(path)")) {
            try bench.run(AliroIssuerCommand.self, [path])
        }
        try bench.write("damaged.pem", Array("-----BEGIN".utf8))
        chmod(bench.file("damaged.pem"), 0o600)
        #expect(throws: CredentialError.self) {
            try bench.run(AliroIssuerCommand.self, [bench.file("damaged.pem")])
        }
    }

    @Test func aDocumentWithoutAStartIsValidFromThisMinute() throws {
        let (issuer, output) = (bench.file("issuer.pem"), bench.file("document.cbor"))
        _ = try bench.run(AliroIssuerCommand.self, [issuer])
        let options = ["--issuer", issuer, "--element", "floor1", "--until", "2040-01-01", "--out", output]
        _ = try bench.run(AliroAccessCommand.self, options + ["--key", Self.key])
        let octets = try #require(try CredentialStore.octets(output))
        let payload = try #require(try CBORNode(decoding: octets.span)["1"]?["2"]?.array?[2].octets)
        let object = try #require(try CBORNode(decoding: payload.span).tagged(24)?.octets)
        let start = try #require(try CBORNode(decoding: object.span)["6"]?["2"]?.tagged(0)?.text)
        #expect(start.hasSuffix(":00Z"))
    }

    @Test func documentsHaveTheirStructure() throws {
        let (issuer, output) = (bench.file("issuer.pem"), bench.file("document.cbor"))
        _ = try bench.run(AliroIssuerCommand.self, [issuer])
        let options = ["--issuer", issuer, "--element", "floor1", "--until", "2040-01-01", "--out", output]
        _ = try bench.run(AliroAccessCommand.self, options + ["--key", Self.key, "--iteration", "7"])
        var octets = try #require(try CredentialStore.octets(output))
        var document = try CBORNode(decoding: octets.span)
        #expect(document["5"]?.text == "aliro-a")
        #expect(document["1"]?["2"]?.array?.count == 4)
        unlink(output)
        _ = try bench.run(AliroRevocationCommand.self, options + ["--key", Self.key, "--key", Self.key])
        octets = try #require(try CredentialStore.octets(output))
        document = try CBORNode(decoding: octets.span)
        #expect(document["5"]?.text == "aliro-r")
    }

    @Test(arguments: [
        ["--element", ""], ["--key", "02"], ["--until", "2020-01-01"], ["--from", "2041-01-01"], ["--iteration", "-1"],
    ]) func invalidDocumentsAreRefused(_ changed: [String]) throws {
        let (issuer, output) = (bench.file("issuer.pem"), bench.file("document.cbor"))
        _ = try bench.run(AliroIssuerCommand.self, [issuer])
        let options = [
            "--issuer": issuer, "--element": "floor1", "--until": "2040-01-01", "--out": output, "--key": Self.key,
        ].merging([changed[0]: changed[1]]) { $1 }
        #expect(throws: (any Error).self) {
            try bench.run(AliroAccessCommand.self, options.flatMap { ["\($0)=\($1)"] })
        }
        #expect(access(output, F_OK) != 0)
    }
}
