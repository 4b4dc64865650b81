// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Configuration
import Crypto
import Glibc
import Reader
import Testing

@testable import readerd

@Suite struct IdentityFilesTests {
    private let directory: TemporaryDirectory
    private let state: StateDirectory
    private let terminal: P256PrivateKey
    private let backend: P256PrivateKey

    init() throws {
        directory = try TemporaryDirectory()
        state = try StateDirectory(directory.path)
        terminal = try .generate()
        backend = try .generate()
    }

    /// Writes a whole identity.
    private func provision() throws {
        try directory.write("device-id", "Door0001\n")
        try directory.write("terminal-key.pem", terminal.pem(), mode: 0o600)
        try directory.write("signature-key.pem", backend.publicKey.pem())
    }

    private func failure() -> String? {
        thrown { () throws(ReaderdError) in _ = try IdentityFiles.load(from: state) }?.description
    }

    @Test func isReadFromItsThreeFiles() throws {
        try provision()
        let identity = try IdentityFiles.load(from: state)
        #expect(!identity.isDemo)
        #expect(identity.deviceID == "Door0001")
        #expect(identity.terminalKey.publicKey.der() == terminal.publicKey.der())
        #expect(identity.signatureKey.der() == backend.publicKey.der())
    }

    /// The published identity, `facts` 8.4 by its public points.
    @Test func isThePublishedOneWhereThereIsNone() throws {
        let identity = try IdentityFiles.load(from: state)
        #expect(identity.isDemo)
        #expect(identity.deviceID == "wa0y1YwS")
        #expect(
            identity.terminalKey.publicKey.der().suffix(64).prefix(8) == [
                0x3A, 0x66, 0x86, 0x75, 0xC9, 0x29, 0x29, 0x07,
            ])
        #expect(identity.signatureKey.der().suffix(64).prefix(8) == [0x5A, 0x0D, 0x6E, 0x67, 0x45, 0xCC, 0xD5, 0xC1])
    }

    @Test func halfAnIdentityIsNone() throws {
        try directory.write("device-id", "Door0001")
        #expect(
            failure() == "\(directory.path): the identity lacks terminal-key.pem and signature-key.pem; add that, or "
                + "remove device-id for the demo identity")
        try directory.write("signature-key.pem", backend.publicKey.pem())
        #expect(
            failure() == "\(directory.path): the identity lacks terminal-key.pem; add that, or remove device-id and "
                + "signature-key.pem for the demo identity")
    }

    @Test func aPrivateKeyIsForItsOwnerOnly() throws {
        try provision()
        let path = state.file("terminal-key.pem")
        for mode in [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644, 0o666] as [mode_t] {
            try #require(chmod(path, mode) == 0)
            #expect(failure() == "\(path): private key accessible to other users; run: chmod 600 \(path)")
        }
        for mode in [0o600, 0o400] as [mode_t] {
            try #require(chmod(path, mode) == 0)
            #expect(failure() == nil)
        }
    }

    @Test func nobodyElseMayChangeTheRest() throws {
        for name in ["signature-key.pem", "device-id"] {
            try provision()
            let path = state.file(name)
            try #require(chmod(path, 0o664) == 0)
            #expect(failure() == "\(path): writable by other users; run: chmod go-w \(path)")
        }
    }

    @Test func deviceIDsAreEightCharacters() throws {
        try provision()
        let path = state.file("device-id")
        for text in ["", "\n", "Door001", "Door00012", "Door0001\n\n", "Door 001", "Döor001", "Door\u{0}001"] {
            try directory.write("device-id", text)
            #expect(failure() == "\(path): needs exactly 8 printable ASCII characters, without a space")
        }
        try directory.write("device-id", "~!Door01")
        #expect(failure() == nil)
    }

    @Test func keysThatAreNone() throws {
        try provision()
        let path = state.file("terminal-key.pem")
        // A public key where the private one belongs, and the other way round.
        try directory.write("terminal-key.pem", backend.publicKey.pem(), mode: 0o600)
        #expect(failure()?.hasPrefix("\(path): is not a private key on P-256 in unencrypted PEM") == true)
        try provision()
        try directory.write("signature-key.pem", backend.pem())
        #expect(
            failure()?.hasPrefix("\(state.file("signature-key.pem")): is not a public key on P-256 in unencrypted PEM")
                == true)
    }

    @Test func noTruncationOfAKeyIsTakenAndNoneIsShown() throws {
        let pem = try terminal.pem()
        for count in stride(from: 0, to: pem.count - 2, by: 7) {
            try provision()
            try directory.write("terminal-key.pem", Array(pem.prefix(count)), mode: 0o600)
            let text = try #require(failure(), "the first \(count) octets were taken")
            #expect(!text.contains("BEGIN") && text.utf8.count < 200 + directory.path.utf8.count)
        }
    }

    @Test func theDemoIdentityMovesNoRealLock() throws {
        let demo = try IdentityFiles.load(from: state)
        var settings = ReaderSettings()
        try IdentityFiles.check(demo, mayDrive: settings)
        settings.gpio.lines[.lock] = "RELAY"
        #expect(throws: ReaderdError.self) { try IdentityFiles.check(demo, mayDrive: settings) }
        settings.allowsDemoIdentity = true
        try IdentityFiles.check(demo, mayDrive: settings)
        settings.allowsDemoIdentity = false
        try provision()
        try IdentityFiles.check(IdentityFiles.load(from: state), mayDrive: settings)
        // The published key in a file of one's own is the published key.
        let published = try P256PrivateKey(scalar: DemoIdentity.terminalScalar.span)
        try directory.write("terminal-key.pem", published.pem(), mode: 0o600)
        #expect(throws: ReaderdError.self) {
            try IdentityFiles.check(IdentityFiles.load(from: state), mayDrive: settings)
        }
    }
}
