// SPDX-License-Identifier: Apache-2.0

import Crypto
import TestSupport
import Testing
import Timekeeping

@testable import Credentials

/// Each value of the vectors of PKOC.
@Suite struct PKOCVectorTests {
    private struct Chosen: RandomSource {
        let chosen: [UInt8]
        mutating func fill(_ octets: inout MutableSpan<UInt8>) {
            for index in octets.indices { octets[index] = chosen[index] }
        }
    }

    private func numbers(_ file: VectorFile, _ path: String, of key: [UInt8]) throws {
        #expect(file.octets("\(path)/x") == Array(key[1..<33]))
        for number in PKOCCardNumber.allCases where !number.needsIssuer {
            let bits = try #require(number.bits(ofKey: key))
            let digits = String(repeating: "0", count: (8 - bits.count % 8) % 8) + bits.map { $0 ? "1" : "0" }.joined()
            let octets = stride(from: 0, to: digits.count, by: 8).map { place in
                UInt8(digits.dropFirst(place).prefix(8), radix: 2) ?? 0
            }
            #expect(file.octets("\(path)/\(number.rawValue)/hex") == octets)
            #expect(file.text("\(path)/\(number.rawValue)/decimal") == decimal(octets))
        }
    }

    /// The number in decimal digits.
    private func decimal(_ octets: [UInt8]) -> String {
        var digits = [0]
        for octet in octets {
            var carry = Int(octet)
            for place in digits.indices {
                carry += digits[place] << 8
                digits[place] = carry % 10
                carry /= 10
            }
            while carry > 0 {
                digits.append(carry % 10)
                carry /= 10
            }
        }
        return digits.reversed().map { "\($0)" }.joined()
    }

    private func version1(_ file: VectorFile, _ path: String, _ select: [UInt8], _ proof: [UInt8]?) throws -> CardStep {
        var random = Chosen(chosen: file.octets("\(path)/transaction-id"))
        let reader = try #require(PKOCReaderID(file.octets("\(path)/reader-id")))
        var transaction = PKOCTransaction(readerID: reader, random: &random)
        _ = transaction.start()
        let step = transaction.receive(select.span)
        guard let proof else { return step }
        if file.has("\(path)/authenticate") { #expect(step == .transmit(file.octets("\(path)/authenticate"))) }
        return transaction.receive(proof.span)
    }

    @Test("Each vector of NFC 1.1, NFC 2.0.1 and Bluetooth LE has a consumer")
    func all() throws {
        let file = try VectorFile("pkoc")
        let example = "nfc-1.1/specification-example"
        let key = file.octets("\(example)/public-key")
        #expect(file.octets("\(example)/select") == octets("00a4040008a00000089800000100"))
        let id = file.octets("\(example)/transaction-id")
        let digest = try SHA256.hash(id.span)
        #expect(digest.indices.map { digest[$0] } == file.octets("\(example)/sha256-of-transaction-id"))
        let isValid = try P256PublicKey(point: key.span).isValid(
            rawSignature: file.octets("\(example)/signature").span, for: id.span)
        #expect(isValid && ["1", "true"].contains(file.text("\(example)/valid")))
        let step = try version1(
            file, example, file.octets("\(example)/select-response"), file.octets("\(example)/authenticate-response"))
        #expect(step == .decide(CardEvidence(kind: .pkoc, identity: key)))
        try numbers(file, "\(example)/card-numbers", of: key)

        let own = "nfc-1.1/own"
        let ownKey = file.octets("\(own)/public-key")
        let made = try P256PrivateKey(scalar: file.octets("\(own)/private-key").span)
        #expect(made.publicPoint.octets.indices.map { made.publicPoint.octets[$0] } == ownKey)
        try numbers(file, "\(own)/card-numbers", of: ownKey)
        #expect(file.count("\(own)/cases") == 18)
        for index in 0..<file.count("\(own)/cases") {
            let path = "\(own)/cases/\(index)"
            let (name, proof) = (file.text("\(path)/name"), file.text("\(path)/authenticate-response"))
            let step = try version1(
                file, own, file.octets("\(path)/select-response"), proof == "<null>" ? nil : octets(proof))
            let isExpected =
                switch (file.text("\(path)/verdict"), step) {
                case ("accept", .decide(CardEvidence(kind: .pkoc, identity: ownKey))), ("refuse", .end(.refused)),
                    ("other card", .end(.absent)):
                    true
                default: false
                }
            #expect(isExpected, "\(name)")
        }
        try certified(file, "nfc-2.0.1-se-v2")
        try normalLink(file, "ble")
        try encryptedLink(file, "ble")
        file.isConsumed()
    }

    private func certified(_ file: VectorFile, _ path: String) throws {
        func value(_ name: String) -> [UInt8] { file.octets("\(path)/\(name)") }
        let certificate = value("cvc")
        let issuerKey = try P256PublicKey(point: value("issuer-public-key").span)
        let made = try P256PrivateKey(scalar: value("issuer-private-key").span)
        #expect(made.publicKey.point == issuerKey.point)
        let signed = value("signed-part")
        #expect(
            certificate.count == 3 + 1 + signed.count + 3 + 64 && Array(certificate[4..<4 + signed.count]) == signed)
        let isValid = issuerKey.isValid(rawSignature: certificate.span.extracting(last: 64), for: signed.span)
        #expect(isValid)
        var random = Chosen(chosen: value("challenge"))
        let issuer = try #require(PKOCIssuer("0100000000000001", key: issuerKey))
        var transaction = PKOCCertifiedTransaction(
            issuers: [issuer], at: Moment(instant: .origin, epochSeconds: 1_795_867_200), random: &random)
        _ = transaction.start()
        #expect(transaction.receive(octets("9000").span) == .transmit(value("get-data-info")))
        #expect(transaction.receive(value("get-data-info-response").span) == .transmit(value("get-data-cvc")))
        let response = certificate + [0x90, 0x00]
        #expect(transaction.receive(response.span) == .transmit(value("internal-authenticate")))
        let key = value("subject-public-key")
        let step = transaction.receive(value("internal-authenticate-response").span)
        #expect(step == .decide(CardEvidence(kind: .pkoc, identity: key)))
        try numbers(file, "\(path)/card-numbers", of: key)
    }

    private func key(_ file: VectorFile, _ name: String) throws -> P256PrivateKey {
        try P256PrivateKey(scalar: file.octets("ble/keys/\(name)").span)
    }

    /// A transaction that has sent the vector's first message, and the evidence that the vectors end with.
    private func greeted(_ file: VectorFile, _ path: String) throws -> (PKOCLinkTransaction, LinkStep) {
        let reader = try #require(
            PKOCReaderID([UInt8](repeating: 0x11, count: 16) + [UInt8](repeating: 0x22, count: 16)))
        var transaction = PKOCLinkTransaction(
            reader: reader, site: try key(file, "site"), ephemeral: try key(file, "reader-ephemeral"))
        #expect(transaction.start() == .send(file.octets("\(path)/reader-hello")))
        let identity = [UInt8](try key(file, "credential").publicPoint.octets)
        return (transaction, .decide(CardEvidence(kind: .pkoc, identity: identity)))
    }

    private func normalLink(_ file: VectorFile, _ path: String) throws {
        var (transaction, evidence) = try greeted(file, path)
        let answer = file.octets("\(path)/normal/device-answer")
        #expect(transaction.receive(answer.span) == evidence)
        #expect(transaction.conclude(.opened) == .end(.concluded, last: file.octets("\(path)/response-granted")))
        let signed = file.octets("\(path)/normal/signed-message")
        #expect(signed == PKOCLinkMessage.compressed(try key(file, "reader-ephemeral").publicPoint))
        let proof = Array(answer[69..<133])
        let isValid = try key(file, "credential").publicKey.isValid(rawSignature: proof.span, for: signed.span)
        #expect(isValid)
    }

    private func encryptedLink(_ file: VectorFile, _ path: String) throws {
        func value(_ name: String) -> [UInt8] { file.octets("\(path)/ecdhe/\(name)") }
        var (transaction, evidence) = try greeted(file, path)
        let (phone, reader) = (try key(file, "device-ephemeral"), try key(file, "reader-ephemeral"))
        let point = [UInt8](phone.publicPoint.octets)
        #expect(value("device-identifier") == [0x07, 0x41] + point + [0x0C, 0x05] + PKOCLinkMessage.version)
        guard case .send(let signature) = transaction.receive(value("device-identifier").span) else {
            throw CardRefusal.outOfOrder
        }
        let site = try key(file, "site").publicKey
        #expect([UInt8](site.point.octets) == value("site-public-key"))
        let signed = value("signed-message")
        for message in [signature, value("reader-signature")] {
            let proof = Array(message[2...])
            let isValid = site.isValid(rawSignature: proof.span, for: signed.span)
            #expect(isValid && message.count == 66)
        }
        let shared = try reader.sharedSecret(with: point.span)
        #expect([UInt8](shared) == value("shared-x"))
        let hash = try SHA256.hash(shared.span)
        #expect([UInt8](hash) == value("aes-key"))
        var sealed: [UInt8] = []
        try AES256CCM.seal(
            value("plain").span, key: value("aes-key").span, nonce: value("nonce").span,
            authenticating: [UInt8]().span, into: &sealed)
        #expect(value("device-credential") == [0x40, 0x81, UInt8(sealed.count)] + sealed)
        #expect(transaction.receive(value("device-credential").span) == evidence)
    }
}
