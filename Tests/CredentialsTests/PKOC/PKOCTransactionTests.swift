// SPDX-License-Identifier: Apache-2.0

import Credentials
import Crypto
import TestSupport
import Testing

/// The transactions of PSIA PKOC NFC Card Specification 1.1, octet for octet: its worked example, and responses of
/// cards that are accepted or refused.
@Suite struct PKOCTransactionTests {
    /// Octets that a test has chosen.
    struct Chosen: RandomSource {
        var octets: [UInt8]
        mutating func fill(_ out: inout MutableSpan<UInt8>) {
            for index in out.indices { out[index] = octets.removeFirst() }
        }
    }

    static func transaction(_ id: String, reader: String) throws -> PKOCTransaction {
        var random = Chosen(octets: octets(id))
        return PKOCTransaction(readerID: try #require(PKOCReaderID(octets(reader))), random: &random)
    }

    static let zeros = String(repeating: "00", count: 32)
    static let select = octets("00a4040008a00000089800000100")

    @Test func workedExampleIsReproduced() throws {
        var transaction = try Self.transaction(
            "6fcf5012b224043b09350a4fc5e56a8f",
            reader: "7a25432a462d4a404e635266556a586edfee8022966311eda1eb0242ac120002")
        #expect(transaction.start() == .transmit(Self.select))
        #expect(
            transaction.receive(octets("5c0201009000"))
                == .transmit(
                    octets(
                        """
                        80800001385c0201004c106fcf5012b224043b09350a4fc5e56a8f4d207a25432a462d4a404e635266556a586edfee80
                        22966311eda1eb0242ac12000200
                        """)))
        let key = octets(
            """
            040ec5d87dc39d14a2c5480686da860c82b16be0b6903b525f84848b79fd463e32bbda1f0252c33503c5287035e6eac5
            5d138d0650dcfb5281d59a9cf4124d2831
            """)
        #expect(
            transaction.receive(
                octets(
                    """
                    5a41040ec5d87dc39d14a2c5480686da860c82b16be0b6903b525f84848b79fd463e32bbda1f0252c33503c5287035e6
                    eac55d138d0650dcfb5281d59a9cf4124d28319e40b98613070c78010b04ed306d143f94ee6dc4eca2585b621405731f
                    b3a53cd877a21685de18435da7cbcc38f1d926300a454efee3594cec5effe28c7feac03d7d9000
                    """)) == .decide(CardEvidence(kind: .pkoc, identity: key)))
        #expect(transaction.conclude(.opened) == .end(.concluded))
        #expect(transaction.receive(octets("9000")) == .end(.refused(.outOfOrder)))
    }

    enum Verdict: Equatable { case accept, absent, refuse(CardRefusal) }

    struct Row: CustomTestStringConvertible {
        let name: String
        let select: String
        let authenticate: String?
        let verdict: Verdict

        init(_ name: String, _ select: String, _ authenticate: String?, _ verdict: Verdict) {
            (self.name, self.select, self.authenticate, self.verdict) = (name, select, authenticate, verdict)
        }

        var testDescription: String { name }
    }

    static let example =
        "040ec5d87dc39d14a2c5480686da860c82b16be0b6903b525f84848b79fd463e32"
        + "bbda1f0252c33503c5287035e6eac55d138d0650dcfb5281d59a9cf4124d2831"
    static let own =
        "049fad84aeae08bbef7f010014d82cef6a09de2b0cf871b5ce0c4f1d13a59a5934"
        + "07cb45769f1070e2c2470fe5b1bfe63133c0b0cdc64ea4bf3791a8ec2a07fd4f"
    static let proof =
        "a4033389db400d5ed42c4768614a8f8a804e279565678df68918302762d43f52"
        + "c97e87c15d2e29d9e2a5b66356e4e51af160d40ee795b386c538e44474e50854"

    static let rows: [Row] = [
        Row("plain", "5c0201009000", "5a41\(own)9e40\(proof)9000", .accept),
        Row(
            "the other s, n-s", "5c0201009000",
            """
            5a41
            \(own)
            9e40a4033389db400d5ed42c4768614a8f8a804e279565678df68918302762d43f523681783da2d1d6271d5a499ca91b
            1ae4cb86269ebf81eafe2e80e67e877e1cfd9000
            """, .accept),
        Row("signature first", "5c0201009000", "9e40\(proof)5a41\(own)9000", .accept),
        Row("unknown TLV before", "5c0201009000", "df03aabbcc5a41\(own)9e40\(proof)9000", .accept),
        Row("two versions", "5c04010101009000", "5a41\(own)9e40\(proof)9000", .accept),
        Row("1.1 only", "5c0201019000", "5a41\(own)9e40\(proof)9000", .accept),
        Row("odd version list", "5c030100019000", nil, .refuse(.malformed)),
        Row("no version", "9000", nil, .refuse(.malformed)),
        Row("no application", "6a82", nil, .absent),
        Row("no selection", "6d00", nil, .absent),
        Row("no such class", "6e00", nil, .absent),
        Row(
            "forged", "5c0201009000",
            """
            5a41
            \(own)
            9e40a4033389db400d5ed42c4768614a8f8a804e279565678df68918302762d43f52c97e87c15d2e29d9e2a5b66356e4
            e51af160d40ee795b386c538e44474e508559000
            """, .refuse(.proof)),
        Row(
            "signature of the command data", "5c0201009000",
            """
            5a41
            \(own)
            9e404a97dd68bb2e182e76e8781a0e96e19cb34816d72b453f7f2e68522aa86fc9966a632484e87e52e66721789a5a2f
            73ac9a54b4f98ecfe7d00feea338d20fca029000
            """, .refuse(.proof)),
        Row("no signature", "5c0201009000", "5a41\(own)9000", .refuse(.malformed)),
        Row(
            "compressed key", "5c0201009000",
            "5a21039fad84aeae08bbef7f010014d82cef6a09de2b0cf871b5ce0c4f1d13a59a59349e40\(proof)9000", .refuse(.key)),
        Row(
            "point not on the curve", "5c0201009000",
            """
            5a41049fad84aeae08bbef7f010014d82cef6a09de2b0cf871b5ce0c4f1d13a59a593407cb45769f1070e2c2470fe5b1
            bfe63133c0b0cdc64ea4bf3791a8ec2a07fd4e9e40
            \(proof)
            9000
            """, .refuse(.key)),
        Row(
            "zero r", "5c0201009000",
            """
            5a41
            \(own)
            9e400000000000000000000000000000000000000000000000000000000000000000c97e87c15d2e29d9e2a5b66356e4
            e51af160d40ee795b386c538e44474e508549000
            """, .refuse(.proof)),
        Row(
            "DER signature", "5c0201009000",
            """
            5a41
            \(own)
            9e483046022100a4033389db400d5ed42c4768614a8f8a804e279565678df68918302762d43f52022100c97e87c15d2e
            29d9e2a5b66356e4e51af160d40ee795b386c538e44474e508549000
            """, .refuse(.proof)),
        Row("cut TLV", "5c0201009000", "5a41\(own)9e40a49000", .refuse(.malformed)),
        Row("version refused", "5c0201009000", "6985", .refuse(.version)),
        // A version list without a version, and one with later versions only.
        Row("no versions", "5c009000", nil, .refuse(.version)),
        Row("2.0 only", "5c0202009000", nil, .refuse(.version)),
        // The specification has one field of each kind.
        Row("two keys", "5c0201009000", "5a41\(own)5a41\(own)9e40\(proof)9000", .refuse(.malformed)),
        Row("no key", "5c0201009000", "9e40\(proof)9000", .refuse(.malformed)),
        Row("no status word", "90", nil, .refuse(.malformed)),
        Row("empty", "", nil, .refuse(.malformed)),
        Row("other error of SELECT", "6f00", nil, .refuse(.statusWord)),
        Row("absent later", "5c0201009000", "6a82", .refuse(.statusWord)),
        Row(
            "s is n", "5c0201009000",
            """
            5a41
            \(own)
            9e40a4033389db400d5ed42c4768614a8f8a804e279565678df68918302762d43f52
            ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551
            9000
            """, .refuse(.proof)),
        Row(
            "longer than a short APDU", "5c0201009000",
            "df80\(String(repeating: "00", count: 128))5a41\(own)9e40\(proof)9000", .refuse(.tooLong)),
    ]

    @Test(arguments: rows) func cardsAreAcceptedAsSpecified(_ row: Row) throws {
        var transaction = try Self.transaction("000102030405060708090a0b0c0d0e0f", reader: Self.zeros)
        #expect(transaction.start() == .transmit(Self.select))
        var step = transaction.receive(octets(row.select))
        if let authenticate = row.authenticate {
            let version = row.select.contains("0101") ? "0101" : "0100"
            #expect(
                step
                    == .transmit(
                        octets(
                            "80800001385c02\(version)4c10000102030405060708090a0b0c0d0e0f4d20\(Self.zeros)00")))
            step = transaction.receive(octets(authenticate))
        }
        switch row.verdict {
        case .accept: #expect(step == .decide(CardEvidence(kind: .pkoc, identity: octets(Self.own))))
        case .absent: #expect(step == .end(.absent))
        case .refuse(let refusal): #expect(step == .end(.refused(refusal)))
        }
    }

    @Test func callsOutOfOrderEndTheTransaction() throws {
        var transaction = try Self.transaction("000102030405060708090a0b0c0d0e0f", reader: Self.zeros)
        #expect(transaction.receive(octets("9000")) == .end(.refused(.outOfOrder)))
        #expect(transaction.start() == .end(.refused(.outOfOrder)))
        #expect(transaction.conclude(.opened) == .end(.refused(.outOfOrder)))
        var wiped = try Self.transaction("000102030405060708090a0b0c0d0e0f", reader: Self.zeros)
        wiped.wipe()
        #expect(wiped.start() == .end(.refused(.outOfOrder)))
    }

    /// PKOC NFC 1.1, card number: the last bits of X.
    @Test(arguments: [
        (Self.example, PKOCCardNumber.bits64, "84848b79fd463e32"),
        (Self.example, .bits75, "025f84848b79fd463e32"),
        (Self.example, .bits256, "0ec5d87dc39d14a2c5480686da860c82b16be0b6903b525f84848b79fd463e32"),
        (Self.own, .bits64, "0c4f1d13a59a5934"),
        (Self.own, .bits75, "05ce0c4f1d13a59a5934"),
        (Self.own, .bits256, "9fad84aeae08bbef7f010014d82cef6a09de2b0cf871b5ce0c4f1d13a59a5934"),
        // NFC 2.0.1: four to seven octets of a trusted issuer's card.
        (Self.own, .bits32, "a59a5934"), (Self.own, .bits40, "13a59a5934"), (Self.own, .bits48, "1d13a59a5934"),
        (Self.own, .bits56, "4f1d13a59a5934"),
    ]) func cardNumberIsTheLastBitsOfX(_ key: String, _ number: PKOCCardNumber, _ expected: String) throws {
        let bits = try #require(number.bits(ofKey: octets(key)))
        #expect(bits.count == number.rawValue)
        var value = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
        for (place, bit) in bits.reversed().enumerated() where bit {
            value[value.count - 1 - place / 8] |= 1 << UInt8(place % 8)
        }
        #expect(hex(value) == expected)
        #expect(number.bits(ofKey: Array(octets(key).dropLast())) == nil)
    }
}

extension PKOCTransaction {
    fileprivate mutating func receive(_ response: [UInt8]) -> CardStep { receive(response.span) }
}
