// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Reader
import Synchronization
import Testing
import Timekeeping

@testable import ReaderTestSupport

/// A key as a TPM would hold it: it works when asked, and counts how often; a defective one answers nothing.
private final class CountedKey: HeldPrivateKey {
    private let key: P256PrivateKey
    private let isDefective: Bool
    let signatures = Atomic(0)
    let agreements = Atomic(0)

    init(_ key: P256PrivateKey, isDefective: Bool = false) {
        (self.key, self.isDefective) = (key, isDefective)
    }

    var publicKey: P256PublicKey { key.publicKey }

    func sharedSecret(with point: Span<UInt8>) throws(CryptoError) -> InlineArray<32, UInt8> {
        agreements.add(1, ordering: .relaxed)
        guard !isDefective else { throw .libraryFailure }
        return try key.sharedSecret(with: point)
    }

    func sign(_ message: Span<UInt8>, into signature: inout [UInt8]) throws(CryptoError) {
        signatures.add(1, ordering: .relaxed)
        guard !isDefective else { throw .libraryFailure }
        try key.sign(message, into: &signature)
    }
}

@Suite("The terminal key, wherever it is held")
struct KeySeamTests {
    private func identity(_ key: any HeldPrivateKey) throws -> ReaderIdentity {
        try ReaderIdentity(deviceID: "reader01", terminalKey: key, signatureKey: DemoKeys.signature().publicKey)
    }

    @Test("an exchange asks it for one signature and one agreement, and for nothing else")
    func exchange() throws {
        let key = try CountedKey(.generate())
        var terminal = try Terminal(identity(key))
        guard case .execute(let command) = try terminal.ask(RawToken()) else { throw StatusCode.test }
        #expect(command.name == .open)
        #expect(terminal.finish(.ok) == .ok)
        #expect(key.signatures.load(ordering: .relaxed) == 1)
        #expect(key.agreements.load(ordering: .relaxed) == 1)
    }

    @Test("one that does not answer ends the handshake by −152 and moves nothing (facts, 8.2)")
    func defective() throws {
        let key = try CountedKey(.generate(), isDefective: true)
        var terminal = try Terminal(identity(key))
        #expect(terminal.receive(Terminal.handshake) == .refused(SessionRefusal(status: .signing)))
    }
}

@Suite("A signature key that is being replaced")
struct RetiringKeyTests {
    private let until = CivilTime(year: 2026, month: 5, day: 4, hour: 12)

    /// A reader whose signature key was the demo's neighbour and is new now.
    private func terminal(_ old: P256PrivateKey, _ new: P256PrivateKey, clock: CivilTime?) throws -> TerminalBox {
        let identity = try ReaderIdentity(
            deviceID: "reader01", terminalKey: P256PrivateKey.generate(), signatureKey: new.publicKey,
            retiringSignatureKey: RetiringKey(old.publicKey, until: until))
        return TerminalBox(identity: identity, clock: clock)
    }

    private struct TerminalBox {
        let identity: ReaderIdentity
        let clock: CivilTime?

        func ask(_ token: RawToken, key: P256PrivateKey) throws -> SessionStep {
            var terminal = try Terminal(identity)
            // The handshake needs no clock, and the token is answered by it.
            terminal.clock = clock
            return try terminal.ask(token, key: key)
        }
    }

    private func status(_ step: SessionStep) -> StatusCode? {
        switch step {
        case .execute: .ok
        case .refused(let refusal): refusal.status
        case .silent(let status): status
        default: nil
        }
    }

    @Test("tokens under it count until its last minute is over, those under the new one always")
    func overlap() throws {
        let (old, new) = (try P256PrivateKey.generate(), try P256PrivateKey.generate())
        let times: [(CivilTime, StatusCode)] = [
            (CivilTime(year: 2026, month: 5, day: 4, hour: 11, minute: 59, second: 59), .ok),
            (until, .ok),
            (CivilTime(year: 2026, month: 5, day: 4, hour: 12, minute: 0, second: 59), .ok),
            (CivilTime(year: 2026, month: 5, day: 4, hour: 12, minute: 1), .signature),
            (CivilTime(year: 2026, month: 12, day: 1), .signature),
        ]
        for (clock, expected) in times {
            let reader = try terminal(old, new, clock: clock)
            #expect(status(try reader.ask(RawToken(), key: old)) == expected, "at \(clock)")
            #expect(status(try reader.ask(RawToken(), key: new)) == .ok, "at \(clock)")
            #expect(status(try reader.ask(RawToken(), key: .generate())) == .signature, "at \(clock)")
        }
    }

    @Test("an old token has to be valid as well (−13)")
    func validity() throws {
        let (old, new) = (try P256PrivateKey.generate(), try P256PrivateKey.generate())
        let reader = try terminal(old, new, clock: until)
        var token = RawToken()
        token.end = CivilTime(year: 2026, month: 5, day: 4, hour: 11)
        #expect(status(try reader.ask(token, key: old)) == .validity)
    }

    @Test("without a clock it counts no more, even for the command that sets the clock")
    func noClock() throws {
        let (old, new) = (try P256PrivateKey.generate(), try P256PrivateKey.generate())
        let reader = try terminal(old, new, clock: nil)
        let token = RawToken(command: "time")
        #expect(status(try reader.ask(token, key: old)) == .signature)
        #expect(status(try reader.ask(token, key: new)) == .ok)
    }

    @Test("a published key that is being replaced still makes a demo identity")
    func demo() throws {
        let own = try P256PrivateKey.generate()
        let identity = try ReaderIdentity(
            deviceID: "reader01", terminalKey: own, signatureKey: own.publicKey,
            retiringSignatureKey: RetiringKey(DemoKeys.signature().publicKey, until: until))
        #expect(identity.isDemo)
    }

    @Test("serial numbers are 20 hexadecimal digits, and 20 zeros where there is none (−35)")
    func serialNumbers() throws {
        let own = try P256PrivateKey.generate()
        func serial(_ text: String?) throws -> String {
            try ReaderIdentity(
                deviceID: "reader01", terminalKey: own, signatureKey: own.publicKey, serialNumber: text
            ).serialNumber
        }
        #expect(try serial(nil) == "00000000000000000000")
        #expect(try serial("0123456789abcdefABCD") == "0123456789abcdefABCD")
        for text in ["", "0123456789abcdefABC", "0123456789abcdefABCDE", "0123456789abcdefABCg", "０１２３４５ab"] {
            #expect(throws: StatusCode.provisioning) { try serial(text) }
        }
    }
}
