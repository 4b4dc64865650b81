// SPDX-License-Identifier: Apache-2.0

import BackEnd
import Glibc
import Testing

@testable import readerlab

/// The files that `readerlab credentials` makes. A key that is replaced cannot be made again.
@Suite struct NewFileTests {
    private static let key =
        "049fad84aeae08bbef7f010014d82cef6a09de2b0cf871b5ce0c4f1d13a59a5934"
        + "07cb45769f1070e2c2470fe5b1bfe63133c0b0cdc64ea4bf3791a8ec2a07fd4f"

    /// A file at the path of an output.
    enum Obstacle: String, CaseIterable {
        case pem, der, digits, document, empty, pipe, device, link, danglingLink, directory
    }

    private let bench: CredentialBench

    init() throws { bench = try CredentialBench() }

    private func make(_ obstacle: Obstacle, at path: String) throws {
        let name = String(path.dropFirst(bench.path.utf8.count + 1))
        switch obstacle {
        case .pem: try bench.run(AliroIssuerCommand.self, path)
        case .der: try bench.write(name, [0x30, 0x77, 0x02, 0x01, 0x01])
        case .digits: try bench.write(name, Array("00112233445566778899aabbccddeeff\n".utf8))
        case .document: try bench.write(name, [0xA2])
        case .empty: try bench.write(name, [])
        case .pipe: try #require(mkfifo(path, 0o600) == 0)
        case .device: try #require(symlink("/dev/null", path) == 0)
        case .link:
            try bench.write("linked", [0x30])
            try #require(symlink("linked", path) == 0)
        case .danglingLink: try #require(symlink("nothing", path) == 0)
        case .directory: try #require(mkdir(path, 0o700) == 0)
        }
    }

    /// The inode, the kind and the time of the last change.
    private func status(_ path: String) throws -> [Int] {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return [Int(status.st_ino), Int(status.st_mode), Int(status.st_size), status.st_mtim.tv_nsec]
    }

    @Test(arguments: Obstacle.allCases) func noOutputReplacesAFile(_ obstacle: Obstacle) throws {
        let (site, issuer, path) = (bench.file("site.json"), bench.file("issuer.pem"), bench.file("output"))
        try bench.makeSite()
        try bench.provision("front", door: 7)
        try bench.addReader("front")
        let token = try bench.commandToken("front")
        try bench.run(AliroIssuerCommand.self, issuer)
        try make(obstacle, at: path)
        let former = try status(path)
        let refusal = "\(path): exists, and is not replaced; move it away, or name a new file"
        let document = [
            "--issuer", issuer, "--element", "floor1", "--until", "2040-01-01", "--key", Self.key, "--out", path,
        ]
        let of = ["--site", site, "--reader", "front", "--credential", "ALICE04711", "--out", path]
        let register = try bench.text("site.json.register")
        let outcomes = [
            bench.failure { try bench.run(AliroAccessCommand.self, document) },
            bench.failure { try bench.run(AliroRevocationCommand.self, document) },
            bench.failure {
                try bench.run(CommandTokenCommand.self, of + ["--from", "2026-01-01", "--to", "2026-12-31"])
            },
            bench.failure {
                try bench.run(
                    OfflineTokenCommand.self, of + ["--from", "2026-01-01", "--to", "2026-12-31", "--door", "7"])
            },
            bench.failure {
                try bench.run(PhoneBundleCommand.self, "--site", site, "--token", token, "--out", path)
            },
            bench.failure { try bench.run(NewSiteCommand.self, "--site", path, "--id", "1") },
            bench.failure { try bench.run(DemoSiteCommand.self, "--site", path) },
        ]
        for outcome in outcomes { #expect(outcome == refusal) }
        #expect(try status(path) == former)
        // A token that was not made is not registered.
        #expect(try bench.text("site.json.register") == register)
    }

    @Test func noBundleOfACourierReplacesAFile() throws {
        try bench.makeSite()
        try bench.provision("front", door: 7)
        try bench.addReader("front")
        try bench.write("key", Array("00112233445566778899aabbccddeeff\n".utf8))
        let path = bench.file("key")
        #expect(
            bench.failure {
                try bench.run(
                    RevokeCommand.self, "ALICE04711", "--site", bench.file("site.json"), "--courier", "GUARD00001",
                    "--bundle", path)
            } == "\(path): exists, and is not replaced; move it away, or name a new file")
        #expect(try bench.text("key") == "00112233445566778899aabbccddeeff\n")
        #expect(try CredentialStore.register(ofSite: bench.file("site.json")).revoked.isEmpty)
    }

    /// A manufacturer's key stays, and no certificate of another key comes to stand next to it.
    @Test func noAttestationReplacesAKey() throws {
        let directory = bench.file("attestation")
        mkdir(directory, 0o700)
        try bench.write("attestation/dac-key.pem", [0x30])
        #expect(
            bench.failure { try bench.run(AttestationCommand.self, directory) }
                == "\(directory)/dac-key.pem: exists, and is not replaced; move it away, or name a new file")
        #expect(access("\(directory)/dac.der", F_OK) != 0)
        #expect(try bench.text("attestation/dac-key.pem") == "0")
    }

    /// A file of the input is not a pipe, whose writer might never come.
    @Test func noInputIsAPipe() throws {
        let pipe = bench.file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(
            bench.failure { try bench.run(AliroIssuerCommand.self, pipe) }?.contains("\(pipe): is no file of at most")
                == true)
        #expect(
            bench.failure { try bench.run(ListCardsCommand<PKOCGroup>.self, "--list", pipe) }?
                .contains("\(pipe): is no file of at most") == true)
    }
}
