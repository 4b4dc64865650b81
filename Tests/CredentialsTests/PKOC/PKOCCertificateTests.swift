// SPDX-License-Identifier: Apache-2.0

import Credentials
import Crypto
import TestSupport
import Testing
import Timekeeping

/// PKOC NFC 2.0.1 with certificates, by the octets of one implementation.
@Suite struct PKOCCertificateTests {
    /// 2026-11-28 12:00 UTC.
    private static let noon: Int64 = 1_795_867_200
    private static let identifier = "0100000000000000"
    private static let issuerScalar = octets("000000000000000000000000000000000000000000000000fedcba0987654321")
    private static let cardScalar = octets("0000000000000000000000000000000000000000000000001234567890abcdef")
    private static let challenge = [UInt8](0..<32)
    private static let select = octets("00a4040008a00000089800000100")
    private static let versions = octets("7f63045c0202009000")
    private static let authenticate =
        octets("0088000020000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f00")

    /// A certificate with its parts; the issuer signs whatever they are.
    private struct Certificate {
        var issuer = "0100000000000000"
        var holder = "READERCARD000001"
        var from: [UInt8] = [2, 6, 0, 1, 0, 1]
        var until: [UInt8] = [3, 6, 0, 1, 0, 1]
        var algorithm: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        var point: [UInt8]
        var profile: [UInt8] = [0]
        var extra: [UInt8] = []
        var signer: P256PrivateKey

        init() throws {
            point = [UInt8](try P256PrivateKey(scalar: cardScalar.span).publicPoint.octets)
            signer = try P256PrivateKey(scalar: issuerScalar.span)
        }

        static func tlv(_ tag: [UInt8], _ value: [UInt8]) -> [UInt8] {
            let (high, low) = (UInt8(value.count >> 8), UInt8(value.count & 0xFF))
            return tag + (value.count < 0x80 ? [low] : high == 0 ? [0x81, low] : [0x82, high, low]) + value
        }

        var body: [UInt8] {
            let key = Self.tlv([0x06], algorithm) + Self.tlv([0x86], point)
            return Self.tlv(
                [0x7F, 0x4E],
                Self.tlv([0x5F, 0x29], profile) + Self.tlv([0x42], Array(issuer.utf8)) + Self.tlv([0x7F, 0x49], key)
                    + Self.tlv([0x5F, 0x20], Array(holder.utf8)) + Self.tlv([0x5F, 0x25], from)
                    + Self.tlv([0x5F, 0x24], until) + extra)
        }

        func whole() throws -> [UInt8] {
            let signature = try signer.rawSignature(body.span)
            return Self.tlv([0x7F, 0x21], body + Self.tlv([0x5F, 0x37], signature))
        }
    }

    private struct Chosen: RandomSource {
        mutating func fill(_ octets: inout MutableSpan<UInt8>) {
            for index in octets.indices { octets[index] = UInt8(index) }
        }
    }

    private func issuers(_ identifier: String = identifier, _ scalar: [UInt8] = issuerScalar) throws -> [PKOCIssuer] {
        [try #require(PKOCIssuer(identifier, key: try P256PrivateKey(scalar: scalar.span).publicKey))]
    }

    private func transaction(
        _ issuers: [PKOCIssuer], epochSeconds: Int64? = noon
    ) -> PKOCCertifiedTransaction {
        var random = Chosen()
        return PKOCCertifiedTransaction(
            issuers: issuers, at: Moment(instant: .origin, epochSeconds: epochSeconds), random: &random)
    }

    /// The step after the certificate.
    private func step(
        _ certificate: [UInt8], _ issuers: [PKOCIssuer]? = nil, epochSeconds: Int64? = noon
    ) throws -> CardStep {
        var transaction = transaction(try issuers ?? self.issuers(), epochSeconds: epochSeconds)
        _ = transaction.start()
        _ = transaction.receive(octets("9000"))
        _ = transaction.receive(Self.versions)
        return transaction.receive(certificate + [0x90, 0x00])
    }

    @Test("SELECT, data information, certificate, INTERNAL AUTHENTICATE: the commands and the key")
    func order() throws {
        let certificate = try Certificate()
        var transaction = transaction(try issuers())
        #expect(transaction.start() == .transmit(Self.select))
        #expect(transaction.receive(octets("5c0202009000")) == .transmit(octets("00ca7f6300")))
        #expect(transaction.receive(Self.versions) == .transmit(octets("00ca7f2100")))
        // In two parts.
        let whole = try certificate.whole()
        #expect(transaction.receive(whole[..<100] + [0x61, 0x70]) == .transmit(octets("00c0000000")))
        #expect(transaction.receive(whole[100...] + [0x90, 0x00]) == .transmit(Self.authenticate))
        let proof = try P256PrivateKey(scalar: Self.cardScalar.span).rawSignature(Self.challenge.span)
        let step = transaction.receive([0x9E, 0x40] + proof + [0x90, 0x00])
        #expect(step == .decide(CardEvidence(kind: .pkoc, identity: certificate.point)))
        #expect(transaction.conclude(.opened) == .end(.concluded))
        #expect(transaction.receive(octets("9000")) == .end(.refused(.outOfOrder)))
    }

    @Test("A card of version 1 is refused, and not asked by version 1")
    func noFallback() throws {
        for response in ["6a88", "6a86", "6d00", "6e00", "7f63045c0201009000"] {
            var transaction = transaction(try issuers())
            _ = transaction.start()
            _ = transaction.receive(octets("5c0401010100" + "9000"))
            #expect(transaction.receive(octets(response)) == .end(.refused(.version)), "\(response)")
            #expect(transaction.receive(octets("9000")) == .end(.refused(.outOfOrder)))
        }
    }

    @Test("Status words by command")
    func statusWords() throws {
        let certificate = try Certificate().whole()
        let good: [[UInt8]] = [octets("9000"), Self.versions, certificate + [0x90, 0x00]]
        let rows: [(Int, String, CardOutcome)] = [
            (0, "6a82", .absent), (0, "6d00", .absent), (0, "6e00", .absent), (0, "6f00", .refused(.statusWord)),
            (0, "6a88", .refused(.statusWord)), (1, "6985", .refused(.statusWord)), (2, "6a88", .refused(.document)),
            (2, "6985", .refused(.statusWord)), (3, "6985", .refused(.statusWord)), (3, "6a88", .refused(.statusWord)),
            (1, "90", .refused(.malformed)), (3, "", .refused(.malformed)),
        ]
        for (count, word, outcome) in rows {
            var transaction = transaction(try issuers())
            _ = transaction.start()
            for response in good.prefix(count) { _ = transaction.receive(response) }
            #expect(transaction.receive(octets(word)) == .end(outcome), "\(count) \(word)")
        }
    }

    @Test("Data information: an odd list, none, trailing octets")
    func dataInformation() throws {
        for data in ["7f63055c03020001", "7f6300", "7f63045c02020000", "5c020200", ""] {
            var transaction = transaction(try issuers())
            _ = transaction.start()
            _ = transaction.receive(octets("9000"))
            #expect(transaction.receive(octets(data + "9000")) == .end(.refused(.malformed)), "\(data)")
        }
    }

    @Test("The issuer: another one, another key, another identifier, a changed body")
    func issuer() throws {
        let good = try Certificate()
        #expect(try step(good.whole()) == .transmit(Self.authenticate))
        #expect(try step(good.whole(), []) == .end(.refused(.document)))
        #expect(try step(good.whole(), issuers("0200000000000000")) == .end(.refused(.document)))
        #expect(try step(good.whole(), issuers(Self.identifier, Self.cardScalar)) == .end(.refused(.document)))
        // One of two keys of the issuer, as while it changes them.
        let both = try issuers(Self.identifier, Self.cardScalar) + issuers()
        #expect(try step(good.whole(), both) == .transmit(Self.authenticate))
        let whole = try good.whole()
        for place in whole.indices {
            var changed = whole
            changed[place] ^= 1
            let step = try step(changed)
            let isRefused = if case .end(.refused) = step { true } else { false }
            #expect(isRefused, "\(place)")
        }
    }

    @Test("The validity: from the first day on, until the day before the last, never without a clock")
    func validity() throws {
        let whole = try Certificate().whole()
        // 2026-01-01 and 2036-01-01, 00:00 UTC.
        let rows: [(Int64?, Bool)] = [
            (1_767_225_599, false), (1_767_225_600, true), (2_082_758_399, true), (2_082_758_400, false), (nil, false),
        ]
        for (time, isValid) in rows {
            let expected: CardStep = isValid ? .transmit(Self.authenticate) : .end(.refused(.notValidNow))
            #expect(try step(whole, epochSeconds: time) == expected, "\(time ?? 0)")
        }
        // 29 February, and days that do not exist.
        var certificate = try Certificate()
        certificate.from = [2, 4, 0, 2, 2, 9]
        #expect(try step(certificate.whole()) == .transmit(Self.authenticate))
        for day: [UInt8] in [[2, 5, 0, 2, 2, 9], [2, 6, 1, 3, 0, 1], [2, 6, 0, 0, 0, 1], [2, 6, 0, 1, 0, 10]] {
            certificate.from = day
            #expect(try step(certificate.whole()) == .end(.refused(.document)), "\(day)")
        }
    }

    @Test("RSA, and other curves, are refused by name")
    func algorithms() throws {
        var certificate = try Certificate()
        for algorithm in ["2a864886f70d010101", "2b81040022", ""] {
            certificate.algorithm = octets(algorithm)
            #expect(try step(certificate.whole()) == .end(.refused(.algorithm)), "\(algorithm)")
        }
        let good = try Certificate()
        // A signature of 256 octets, as by an issuer with RSA.
        let long = Certificate.tlv([0x5F, 0x37], [UInt8](repeating: 1, count: 256))
        let framed = Certificate.tlv([0x7F, 0x21], good.body + long)
        #expect(try step(framed) == .end(.refused(.algorithm)))
    }

    @Test("Structure: every truncation, octets too many, fields that are missing, repeated, unknown or out of order")
    func structure() throws {
        let good = try Certificate()
        let whole = try good.whole()
        for count in 0..<whole.count {
            #expect(try step(Array(whole[..<count])) == .end(.refused(.document)), "\(count)")
        }
        #expect(try step(whole + [0x00]) == .end(.refused(.document)))
        #expect(try step(whole + whole) == .end(.refused(.document)))
        let changes: [(inout Certificate) -> Void] = [
            { $0.profile = [1] }, { $0.profile = [] }, { $0.issuer = "010000000000000a" },
            { $0.issuer = "01000000000000" }, { $0.holder = "READERCARD00000 " }, { $0.holder = "" },
            { $0.from = [2, 6, 0, 1] }, { $0.extra = [0x53, 0x01, 0x00] }, { $0.extra = [0x5F, 0x29, 0x01, 0x00] },
            { $0.extra = [0x65, 0x02, 0x73] }, { $0.point = Array($0.point.dropLast()) },
        ]
        for (index, change) in changes.enumerated() {
            var certificate = good
            change(&certificate)
            #expect(try step(certificate.whole()) == .end(.refused(.document)), "\(index)")
        }
        // Extensions are well-formed and without effect.
        var extended = good
        extended.extra = [0x65, 0x07, 0x73, 0x05, 0x06, 0x01, 0x2A, 0x53, 0x00]
        #expect(try step(extended.whole()) == .transmit(Self.authenticate))
        var offCurve = good
        offCurve.point[64] ^= 1
        #expect(try step(offCurve.whole()) == .end(.refused(.key)))
        let long = [UInt8](repeating: 0, count: 1025)
        #expect(try step(long) == .end(.refused(.tooLong)))
    }

    @Test("The proof: of another key, over another challenge, in DER, not the only element")
    func proof() throws {
        let certificate = try Certificate()
        let card = try P256PrivateKey(scalar: Self.cardScalar.span)
        let good = try card.rawSignature(Self.challenge.span)
        let other = try certificate.signer.rawSignature(Self.challenge.span)
        let zeros = [UInt8](repeating: 0, count: 32)
        let replayed = try card.rawSignature(zeros.span)
        let rows: [([UInt8], CardRefusal)] = [
            ([0x9E, 0x40] + other, .proof), ([0x9E, 0x40] + replayed, .proof),
            ([0x9E, 0x3F] + good.dropLast(), .proof), ([0x9E, 0x41] + good + [0], .proof), ([0x9E, 0x00], .proof),
            ([0x9E, 0x40] + good.dropLast(), .malformed), ([0x9E, 0x40] + good + [0x53, 0x00], .malformed),
            ([0x5A, 0x40] + good, .malformed), ([], .malformed),
        ]
        for (index, (data, refusal)) in rows.enumerated() {
            var transaction = transaction(try issuers())
            _ = transaction.start()
            for response in [octets("9000"), Self.versions, try certificate.whole() + [0x90, 0x00]] {
                _ = transaction.receive(response)
            }
            #expect(transaction.receive(data + [0x90, 0x00]) == .end(.refused(refusal)), "\(index)")
        }
    }

    @Test("Parts without an end, and calls out of order")
    func limits() throws {
        var transaction = transaction(try issuers())
        #expect(transaction.receive(octets("9000")) == .end(.refused(.outOfOrder)))
        #expect(transaction.start() == .end(.refused(.outOfOrder)))
        #expect(transaction.conclude(.opened) == .end(.refused(.outOfOrder)))
        transaction = self.transaction(try issuers())
        var step = transaction.start()
        var count = 0
        while case .transmit = step, count < 1000 {
            step = transaction.receive([1, 2, 0x61, 0x00])
            count += 1
        }
        #expect(step == .end(.refused(.tooLong)) && count < 100)
        transaction = self.transaction(try issuers())
        _ = transaction.start()
        transaction.wipe()
        #expect(transaction.receive(octets("9000")) == .end(.refused(.outOfOrder)))
    }

    @Test("Identifiers of issuers")
    func identifiers() throws {
        let key = try P256PrivateKey(scalar: Self.issuerScalar.span).publicKey
        #expect(PKOCIssuer("ABCDEFGHIJ012345", key: key)?.identifier == Array("ABCDEFGHIJ012345".utf8))
        for text in [
            "", "ABCDEFGHIJ01234", "ABCDEFGHIJ0123456", "abcdefghij012345", "ABCDEFGHIJ01234-", "ÄBCDEFGHIJ0123",
        ] {
            #expect(PKOCIssuer(text, key: key) == nil, "\(text)")
        }
    }
}

extension PKOCCertifiedTransaction {
    fileprivate mutating func receive(_ response: [UInt8]) -> CardStep { receive(response.span) }
}
