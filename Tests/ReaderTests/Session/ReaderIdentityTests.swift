// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Reader
import Testing

@Suite("Reader identity")
struct ReaderIdentityTests {
    private func key(_ octet: UInt8) throws -> P256PrivateKey {
        try P256PrivateKey(scalar: [UInt8](repeating: octet, count: 32).span)
    }

    @Test("the factory's is known as such, and so is any that shares one of its keys")
    func demo() throws {
        let demo = try ReaderIdentity.demo()
        #expect(demo.isDemo)
        #expect(demo.deviceID == "wa0y1YwS")
        let own = try ReaderIdentity(
            deviceID: "reader01", terminalKey: key(1), signatureKey: key(2).publicKey)
        #expect(!own.isDemo)
        #expect(
            try ReaderIdentity(deviceID: "reader01", terminalKey: demo.terminalKey, signatureKey: key(2).publicKey)
                .isDemo)
        #expect(try ReaderIdentity(deviceID: "reader01", terminalKey: key(1), signatureKey: demo.signatureKey).isDemo)
    }

    @Test("the published scalars and points belong together")
    func points() throws {
        let demo = try ReaderIdentity.demo()
        let terminal = demo.terminalKey.publicPoint
        #expect(constantTimeEqual(terminal.octets, DemoIdentity.terminalPoint))
        let scalar = DemoIdentity.signatureScalar
        let signature = try P256PrivateKey(scalar: scalar.span).publicPoint
        #expect(constantTimeEqual(signature.octets, DemoIdentity.signaturePoint))
    }

    private func constantTimeEqual(_ a: [65 of UInt8], _ b: [65 of UInt8]) -> Bool {
        a.indices.allSatisfy { a[$0] == b[$0] }
    }

    @Test(
        "a device id is 8 printable characters", arguments: ["", "1234567", "123456789", "1234567\n", "123456\u{E9}"])
    func deviceID(id: String) throws {
        let (terminal, signature) = (try key(1), try key(2).publicKey)
        #expect(throws: StatusCode.provisioning) {
            try ReaderIdentity(deviceID: id, terminalKey: terminal, signatureKey: signature)
        }
    }
}
