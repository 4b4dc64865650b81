// SPDX-License-Identifier: Apache-2.0

import Contactless
@testable import Credentials
import Crypto
import TestSupport
import Testing

@Suite struct AliroTLVTests {
    private func tags(_ text: String) throws -> [UInt32] {
        let octets = octets(text)
        return try AliroTLV.elements(of: octets.span, in: 0..<octets.count).map(\.tag)
    }

    @Test("ISO 7816-4, 5.2.2: tags of one to three octets, lengths of one to three")
    func elements() throws {
        #expect(try tags("410100 42810101 5c82000101") == [0x41, 0x42, 0x5C])
        #expect(try tags("7f6600 9f5000 1f810200") == [0x7F66, 0x9F50, 0x1F8102])
        #expect(try tags("") == [])
    }

    @Test(
        "Truncated elements, lengths of four octets and of none",
        arguments: ["41", "7f", "410200", "4183000001ff", "4180", "1f81818100", "418201"])
    func malformed(_ text: String) {
        #expect(throws: CardRefusal.malformed) { try tags(text) }
    }

    @Test("Known elements in their order, once, with their length; unknown ones are skipped")
    func fields() throws {
        func found(_ text: String) throws -> [UInt32] {
            let octets = octets(text)
            return try AliroTLV.fields(
                [.init(0x41, 1...1), .init(0x42, 1...2, optional: true)], of: octets.span, in: 0..<octets.count
            ).keys.sorted()
        }
        #expect(try found("410100") == [0x41])
        #expect(try found("cf00410100 4500 420100") == [0x41, 0x42])
        for text in ["420100", "420100410100", "410100410100", "41020000", "4101004203000000"] {
            #expect(throws: CardRefusal.malformed) { try found(text) }
        }
    }

    @Test("Reader certificates: the example of another vendor, and changes of it")
    func certificate() throws {
        let octets = octets(
            """
            3082010a0402000030820102801455555555555555555555555555555555555555 55811e637573746f6d20697373756572206e61
            6d652e2e2e2e2e2e2e2e2e2e2e2e820d3230303130323030303030305a830d3235303530353030303030305a841e637573746f6d
            207375626a656374206e616d652e2e2e2e2e2e2e2e2e2e2e85420004f27d92b78c0ba00c105dc56b9f5a669d67d44fea5139b85d
            c5e368c851167c9f40b8d9add7ce7bf846331f1f8fd06e1e15cfd540190f482ec294f52690349f188648003045022051bc8503cc
            09a80f9f19fa033edcf68fb4c341499d908950de62382e9650ee5b022100a954899fd291c40d4f3f9f749518958678ff5688e7bd
            aa8a3535faf72450e506
            """)
        let authority = try P256PrivateKey(AliroDoor.authority).publicKey
        let certificate = try AliroReaderCertificate(octets, authority: authority)
        #expect([UInt8](certificate.subject.octets).prefix(3) == [0x04, 0xF2, 0x7D])
        for count in 0..<octets.count {
            let cut = Array(octets[..<count])
            #expect(throws: CardRefusal.malformed) { try AliroReaderCertificate(cut, authority: authority) }
        }
        var profile = octets
        profile[7] = 1
        #expect(throws: CardRefusal.malformed) { try AliroReaderCertificate(profile, authority: authority) }
        var point = octets
        let start = try #require(octets.indices.first { octets[$0...].starts(with: [0x85, 0x42, 0x00, 0x04]) })
        point[start + 67] ^= 1
        #expect(throws: CardRefusal.key) { try AliroReaderCertificate(point, authority: authority) }
    }
}
