// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Crypto
import Phone
import Protobuf
import Reader
import Testing
import Timekeeping

@testable import ReaderTestSupport

@Suite("Tokens that show a credential (access protocol, 6.2 and 6.3)")
struct CredentialTokenTests {
    private func step(_ token: [UInt8], clock: CivilTime? = Terminal.noon) throws -> (SessionStep, [[UInt8]]) {
        var terminal = try Terminal()
        terminal.clock = clock
        let step = try terminal.request(terminal.sealed(token))
        return (step, terminal.sent())
    }

    private func refused(_ status: StatusCode, _ name: String = "CRED000001") -> SessionStep {
        .refused(SessionRefusal(status: status, attempt: .init(info: .signature, credentialID: name)))
    }

    private func token(_ files: OssSoMobile, signature: [UInt8]) throws -> [UInt8] {
        var token: [UInt8] = []
        SessionToken(signature: try BoundedBytes(signature), payload: .ossSo(files)).encodeDelimited(into: &token)
        return token
    }

    private func sign(_ text: [UInt8], key: P256PrivateKey? = nil) throws -> [UInt8] {
        var signature: [UInt8] = []
        try (key ?? DemoKeys.signature()).sign(text.span, into: &signature)
        return signature
    }

    @Test("a good signature hands the files out, and what the phone asks for is not under it")
    func accepted() throws {
        var files = CredentialFiles()
        let plain = try files.message()
        #expect(try step(TokenIssuer.demo().standardOfflineToken(plain)).0 == .decide(.standardOffline(plain)))
        files.requestedEvents = 16
        files.supportedEvents = FixedBytes(InlineArray(repeating: 1))
        let asking = try files.message()
        var signed: [UInt8] = []
        plain.appendSigned(to: &signed)
        #expect(try step(token(asking, signature: sign(signed))).0 == .decide(.standardOffline(asking)))
    }

    @Test("a signature that leaves out the extensions, as before 2024-03-28, is wrong")
    func withoutExtensions() throws {
        let files = CredentialFiles()
        let old = try token(files.message(), signature: sign(files.info + files.data + files.blacklist))
        #expect(try step(old).0 == refused(.signature))
        #expect(try step(old).1 == [octets("0000 0000 fff4")])
    }

    @Test("each file is under the signature: one bit of any, and it is wrong")
    func tampered() throws {
        let whole = CredentialFiles()
        let signature = try sign(whole.info + whole.data + whole.blacklist + whole.extensions)
        let files: [WritableKeyPath<CredentialFiles, [UInt8]>] = [\.info, \.data, \.extensions, \.blacklist]
        for file in files {
            var changed = whole
            changed[keyPath: file][0] ^= 1
            #expect(try step(token(changed.message(), signature: signature)).0 == refused(.signature), "\(file)")
            var cut = whole
            cut[keyPath: file] = []
            let name = file == \.info ? "" : "CRED000001"
            #expect(try step(token(cut.message(), signature: signature)).0 == refused(.signature, name), "\(file)")
        }
    }

    @Test("an empty signature is -3, another's -12; a name is told only if there is one")
    func signatures() throws {
        let files = CredentialFiles()
        let signed = files.info + files.data + files.blacklist + files.extensions
        #expect(try step(token(files.message(), signature: [])).0 == refused(.invalidArguments))
        #expect(try step(token(files.message(), signature: [])).1 == [octets("0000 0000 fffd")])
        let stranger = try P256PrivateKey.generate()
        #expect(try step(token(files.message(), signature: sign(signed, key: stranger))).0 == refused(.signature))
        var nameless = files
        nameless.info = [1, 1, 0]
        #expect(try step(token(nameless.message(), signature: [1])).0 == refused(.signature, ""))
    }

    @Test("while there is no clock: silence, whatever the signature")
    func noClock() throws {
        let files = try CredentialFiles().message()
        #expect(try step(TokenIssuer.demo().standardOfflineToken(files), clock: nil).0 == .silent(.currentTime))
        #expect(try step(token(files, signature: []), clock: nil).0 == .silent(.currentTime))
    }

    @Test("a Secure Identifier: the signature is over the info file alone")
    func secureIdentifier() throws {
        let info = octets("010000 43524544303030303031")
        let files = OssSidMobile(infoFile: try BoundedBytes(info))
        func token(_ signature: [UInt8]) throws -> [UInt8] {
            var token: [UInt8] = []
            SessionToken(signature: try BoundedBytes(signature), payload: .ossSid(files)).encodeDelimited(into: &token)
            return token
        }
        #expect(try step(token(sign(info))).0 == .decide(.secureIdentifier(files)))
        #expect(try step(token(sign(info + [0]))).0 == refused(.signature))
        #expect(try step(token([])).0 == refused(.invalidArguments))
        let issued = try TokenIssuer.demo().secureIdentifierToken(
            OSSSecureIdentifierFile(credentialID: credentialID("CRED000001")))
        #expect(try step(issued).0 == .decide(.secureIdentifier(files)))
    }

    @Test("what a log may have of a refusal")
    func description() {
        let attempt = SessionRefusal.Attempt(info: .signature, credentialID: "CRED000001")
        #expect("\(attempt)" == "OSS credential, code -12" && attempt.event == .terminalOss)
        let command = SessionRefusal.Attempt(info: .validity, credentialID: "CRED000001", command: .open)
        #expect("\(command)" == "command tokn, code -13" && command.event == .terminalCommand)
    }
}
