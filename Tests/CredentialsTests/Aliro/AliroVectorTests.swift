// SPDX-License-Identifier: Apache-2.0

@testable import Credentials
import Crypto
import TestSupport
import Testing
import Timekeeping

/// The transactions of an independent implementation, octet for octet.
@Suite struct AliroVectorTests {
    /// A reader's key whose signature is the vector's: RFC 6979's, which libcrypto does not make.
    struct VectorKey: HeldPrivateKey {
        let key: P256PrivateKey
        let message: [UInt8]
        let signature: [UInt8]

        var publicKey: P256PublicKey { key.publicKey }

        func sharedSecret(with point: Span<UInt8>) throws(CryptoError) -> InlineArray<32, UInt8> {
            try key.sharedSecret(with: point)
        }

        func sign(_ message: Span<UInt8>, into signature: inout [UInt8]) throws(CryptoError) {
            guard message.count == self.message.count, message.indices.allSatisfy({ message[$0] == self.message[$0] })
            else { throw .libraryFailure }
            func integer(_ octets: ArraySlice<UInt8>) -> [UInt8] {
                let digits = octets.drop { $0 == 0 }
                let content = (digits.first ?? 0x80) >= 0x80 ? [0] + digits : Array(digits)
                return [0x02, UInt8(content.count)] + content
            }
            let integers = integer(self.signature[..<32]) + integer(self.signature[32...])
            signature += [0x30, UInt8(integers.count)] + integers
        }
    }

    private func reader(_ vector: AliroVector) throws -> AliroReader {
        let identifier = try #require(
            AliroReader.Identifier(
                group: vector.input("reader_group_identifier"), sub: vector.input("reader_group_sub_identifier")))
        return AliroReader(
            key: VectorKey(
                key: try P256PrivateKey(vector.input("reader_private_key")),
                message: vector.key("reader_signature_input"), signature: vector.key("reader_signature")),
            identifier: identifier)
    }

    private func transaction(_ vector: AliroVector, _ reader: AliroReader, _ store: AliroStore) throws
        -> AliroTransaction
    {
        AliroTransaction(
            reader: reader, store: store, at: Moment(instant: .origin, epochSeconds: AliroDoor.noon), in: .utc,
            ephemeral: try P256PrivateKey(vector.input("reader_ephemeral_private_key")),
            transaction: vector.input("transaction_identifier"))
    }

    /// Plays the vector's phone. Each command must be the vector's.
    private func play(_ vector: AliroVector, _ transaction: inout AliroTransaction) -> Tap {
        var tap = Tap()
        var step = transaction.start()
        var index = 0
        while tap.outcome == nil {
            switch step {
            case .transmit(let command):
                guard index < vector.apdus.count else {
                    Issue.record("a command more than in the vector: \(hex(command))")
                    return tap
                }
                let exchange = vector.apdus[index]
                #expect(hex(command) == exchange.command, "\(exchange.name)")
                let response = octets(exchange.response)
                step = transaction.receive(response.span)
                index += 1
            case .decide(let evidence):
                tap.decided = evidence
                step = transaction.conclude(.opened)
            case .end(let outcome): tap.outcome = outcome
            }
        }
        #expect(index == vector.apdus.count)
        tap.effects = transaction.effects
        return tap
    }

    private func persistentKey(_ tap: Tap) -> [UInt8]? {
        for case .persistentKey(let key, _, _) in tap.effects { return key.octets }
        return nil
    }

    @Test("Check 76: the standard phase, octet for octet, and its persistent key")
    func standard() throws {
        let vector = AliroVector.standard
        let reader = try reader(vector)
        var store = AliroStore(binding: reader.binding)
        try store.include(AliroCredential(try P256PublicKey(vector.input("credential_public_key"))))
        var transaction = try transaction(vector, reader, store)
        let tap = play(vector, &transaction)
        #expect(tap.isOpened)
        #expect(tap.decided?.identity == vector.input("credential_public_key"))
        #expect(persistentKey(tap) == vector.key("Kpersistent"))
    }

    @Test("Check 76: the fast phase with the key of the standard phase")
    func fast() throws {
        let vector = AliroVector.fast
        let reader = try reader(.standard)
        var store = AliroStore(binding: reader.binding)
        let point = vector.input("credential_public_key")
        try store.include(AliroCredential(try P256PublicKey(point)))
        store.apply(.persistentKey(SecretOctets(vector.input("Kpersistent")), of: point, revocationSeen: nil))
        var transaction = try transaction(vector, reader, store)
        let tap = play(vector, &transaction)
        #expect(tap.isOpened)
        #expect(tap.decided == CardEvidence(kind: .aliro, identity: point))
        #expect(tap.effects.isEmpty)
    }

    @Test("Check 76: the step-up phase with its document")
    func stepUp() throws {
        let vector = AliroVector.stepUp
        let reader = try reader(vector)
        var store = AliroStore(binding: reader.binding)
        try store.include(AliroAnchor(try P256PublicKey(vector.input("issuer_public_key"))))
        var transaction = try transaction(vector, reader, store)
        let tap = play(vector, &transaction)
        #expect(tap.isOpened)
        #expect(tap.decided?.issuer == vector.input("issuer_public_key"))
        #expect(tap.storesCredential)
        #expect(persistentKey(tap) == vector.key("Kpersistent"))
    }

    @Test("Check 76: a certificate in LOAD CERT, and the authority in the salts")
    func certificate() throws {
        let vector = AliroVector.certified
        var reader = try reader(vector)
        try reader.present(
            AliroReaderCertificate(
                vector.input("compressed_certificate"),
                authority: P256PublicKey(vector.input("reader_ca_public_key"))))
        var store = AliroStore(binding: reader.binding)
        try store.include(AliroCredential(try P256PublicKey(vector.input("credential_public_key"))))
        var transaction = try transaction(vector, reader, store)
        let tap = play(vector, &transaction)
        #expect(tap.isOpened)
    }

    @Test("Each key and salt of the schedule")
    func schedule() throws {
        let vector = AliroVector.standard
        var parameters = AliroParameters(
            groupPoint: vector.input("reader_public_key"),
            readerIdentifier: vector.input("reader_group_identifier") + vector.input("reader_group_sub_identifier"),
            readerEphemeral: [UInt8](
                try P256PrivateKey(vector.input("reader_ephemeral_private_key")).publicPoint.octets),
            transaction: vector.input("transaction_identifier"))
        parameters.flags = [0, 1]
        parameters.application = octets("a508800200005c020100")
        parameters.deviceEphemeral = vector.input("device_ephemeral_public_key")
        #expect(parameters.salt(.volatile) == vector.key("salt"))
        #expect(
            parameters.salt(.persistent, credential: vector.input("credential_public_key"))
                == vector.key("salt_persistent"))
        #expect(parameters.info == vector.key("info"))
        #expect(parameters.signedOctets(.reader) == vector.key("reader_signature_input"))
        #expect(parameters.signedOctets(.device) == vector.key("device_signature_input"))
        var shared = try P256PrivateKey(vector.input("reader_ephemeral_private_key")).sharedSecret(
            with: parameters.deviceEphemeral.span)
        #expect([UInt8](shared) == vector.key("ecdh_x"))
        let agreed = try parameters.agreedKey(&shared)
        #expect([UInt8](shared) == [UInt8](repeating: 0, count: 32))
        #expect(agreed == vector.key("Kdh"))
        #expect(try parameters.standardKeys(agreed).stepUp == vector.key("StepUpSK"))
    }

    /// A failure's vector plays a phone that the reader knows; `play` compares the sealed status.
    @Test(
        "A wrong signature, the other kind of key, a changed tag, no common version",
        arguments: [
            (AliroVector.badSignature, CardRefusal.proof), (.wrongKind, .malformed), (.badTag, .proof),
            (.version, .version),
        ] as [(AliroVector, CardRefusal)])
    func failures(_ vector: AliroVector, _ refusal: CardRefusal) throws {
        let isVersion = refusal == .version
        // The failures' vectors do not list the reader's signature: it is in their AUTH1.
        let identifier = try #require(AliroReader.Identifier(group: AliroDoor.group, sub: AliroDoor.sub))
        let key = try P256PrivateKey(AliroDoor.key)
        var store = AliroStore(
            binding: AliroReader(key: key, identifier: identifier).binding)
        try store.include(AliroCredential(try P256PrivateKey(AliroDoor.phone).publicKey))
        let ephemeral =
            isVersion ? try P256PrivateKey.generate() : try P256PrivateKey(vector.input("reader_ephemeral_private_key"))
        var parameters = AliroParameters(
            groupPoint: [UInt8](key.publicPoint.octets), readerIdentifier: identifier.octets,
            readerEphemeral: [UInt8](ephemeral.publicPoint.octets),
            transaction: isVersion ? [] : vector.input("transaction_identifier"))
        parameters.deviceEphemeral =
            isVersion ? [UInt8](key.publicPoint.octets) : vector.input("device_ephemeral_public_key")
        let signature = isVersion ? [] : Array(octets(vector.apdus[2].command)[10..<74])
        let reader = AliroReader(
            key: VectorKey(key: key, message: parameters.signedOctets(.reader), signature: signature),
            identifier: identifier)
        var transaction = AliroTransaction(
            reader: reader, store: store, at: Moment(instant: .origin, epochSeconds: AliroDoor.noon),
            in: .utc, ephemeral: ephemeral, transaction: parameters.transaction)
        let tap = play(vector, &transaction)
        #expect(tap.outcome == .refused(refusal))
        #expect(tap.decided == nil)
        #expect(tap.effects.isEmpty)
    }
}
