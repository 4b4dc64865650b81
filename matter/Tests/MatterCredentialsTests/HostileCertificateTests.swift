// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterTLV
import TestSupport
import Testing

@testable import MatterTestSupport

/// Matter Core 6.5.6 to 6.5.11, and RFC 5280, 6.1.
@Suite("Operational certificates that are refused, and why")
struct HostileCertificateTests {
    @Test("Every octet cut off and every bit changed: an error or another certificate, and never a valid chain")
    func changes() throws {
        let good = LabCertificates.node
        for count in good.indices {
            #expect(throws: CertificateError.self) { try OperationalCertificate(tlv: Array(good[..<count])) }
        }
        for bit in 0..<good.count * 8 {
            var changed = good
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: CertificateError.self, "bit \(bit)") { try Chain(changed).verify() }
        }
    }

    @Test("Fields that are missing, of another type, out of range, unknown or too long")
    func fields() throws {
        let cases: [(UInt8, Edit, CertificateError)] = [
            (1, .remove, .malformed(.missing(1))), (1, .octets(0), .malformed(.outOfRange(1))),
            (1, .octets(21), .malformed(.outOfRange(1))), (2, .unsigned(2), .unsupportedAlgorithm),
            (3, .unsigned(1), .malformed(.wrongType(3))), (3, .list([]), .emptyName),
            (4, .unsigned(1 << 32), .malformed(.outOfRange(4))), (6, .remove, .malformed(.missing(6))),
            (6, .list([(24, 1)]), .unknownAttribute), (6, .list([(0x90, 1)]), .unknownAttribute),
            (6, .list([(22, 1 << 32)]), .malformed(.outOfRange(22))), (6, .list([(1, 1)]), .malformed(.wrongType(1))),
            (6, .list((1...6).map { _ in (17, 1) }), .nameTooLong), (7, .unsigned(2), .unsupportedAlgorithm),
            (8, .unsigned(0), .unsupportedAlgorithm), (9, .octets(64), .malformed(.outOfRange(9))),
            (9, .octets(65), .malformed(.outOfRange(9))), (10, .list([(7, 1)]), .extension(7)),
            (10, .list([(2, 0x200)]), .extension(2)), (10, .list([(2, 1), (2, 1)]), .extension(2)),
            (11, .octets(63), .malformed(.outOfRange(11))), (12, .unsigned(1), .malformed(.trailing(count: 3))),
        ]
        for (field, edit, error) in cases {
            let tlv = try edited(LabCertificates.node, field, edit)
            #expect(throws: error, "field \(field)") { try OperationalCertificate(tlv: tlv) }
        }
        let long = [UInt8](repeating: 0, count: 401)
        #expect(throws: CertificateError.tooLong(401)) { try OperationalCertificate(tlv: long) }
    }

    @Test("Extensions of an unknown kind: a critical one, and octets that are none")
    func futureExtensions() throws {
        let cases: [(String, CertificateError?)] = [
            ("300c06032a03040405 0403020100", nil), ("300d06032a0304 0101ff 0403 020100", .criticalExtension),
            ("", .extension(6)), ("3000", .extension(6)), ("300506032a0304", .extension(6)),
            ("310c06032a03040405 0403020100", .extension(6)), ("300c06032a03040405 04030201", .extension(6)),
            ("30810c06032a03040405 0403020100", .extension(6)), ("300c06032a03040405 040302010000", .extension(6)),
        ]
        for (text, error) in cases {
            let tlv = try edited(LabCertificates.node, 10, .future(octets(text)))
            if let error {
                #expect(throws: error, "\(text)") { try OperationalCertificate(tlv: tlv) }
            } else {
                let certificate = try OperationalCertificate(tlv: tlv)
                #expect(hex(certificate.toBeSigned()).contains(hex(octets(text))))
            }
        }
    }

    @Test("Another issuer, an issuer in another role, and an intermediate where none is allowed")
    func chains() throws {
        let node = LabCertificates.node
        #expect(throws: CertificateError.issuer(.node)) { try Chain(node, intermediate: nil).verify() }
        #expect(throws: CertificateError.issuer(.intermediate)) {
            try Chain(node, root: LabCertificates.soleRoot).verify()
        }
        #expect(throws: CertificateError.profile(.intermediate, .identifier)) {
            try Chain(node, intermediate: LabCertificates.root).verify()
        }
        #expect(throws: CertificateError.profile(.root, .identifier)) {
            try Chain(node, root: LabCertificates.intermediate).verify()
        }
        #expect(throws: CertificateError.profile(.node, .identifier)) { try Chain(LabCertificates.root).verify() }
        let root = try edited(LabCertificates.root, 10, .pathLength(0))
        #expect(throws: CertificateError.pathTooLong) { try Chain(node, root: root).verify() }
    }

    @Test("Roots before they are trusted")
    func roots() throws {
        try OperationalChain.verify(root: OperationalCertificate(tlv: LabCertificates.root))
        var spoiled = LabCertificates.root
        spoiled[spoiled.count - 2] ^= 1
        let cases: [([UInt8], CertificateError)] = [
            (spoiled, .signature(.root)), (LabCertificates.node, .profile(.root, .identifier)),
            (LabCertificates.intermediate, .profile(.root, .identifier)),
            (try edited(LabCertificates.root, 3, .list([(20, 1)])), .profile(.root, .selfIssued)),
            (try edited(LabCertificates.root, 10, .list([])), .profile(.root, .authority)),
            (try edited(LabCertificates.root, 10, .pathLength(2)), .profile(.root, .authority)),
            (try edited(LabCertificates.root, 10, .pathLength(1)), .signature(.root)),
            (try edited(LabCertificates.root, 6, .list([(20, 1), (21, 0)])), .profile(.root, .fabric)),
            (try edited(LabCertificates.root, 6, .list([(20, 1), (22, 0x10001)])), .profile(.root, .tags)),
        ]
        for (tlv, error) in cases {
            let root = try OperationalCertificate(tlv: tlv)
            #expect(throws: error) { try OperationalChain.verify(root: root) }
        }
    }

    @Test("Validity by a clock, and by the last known good time, which is a lower bound")
    func validity() throws {
        let chain = try Chain(CASERecording.node, intermediate: CASERecording.intermediate, root: CASERecording.root)
        let (first, last) = (chain.node.notBefore, chain.node.notAfter)
        #expect(first.description == "2021-01-01T00:00:00Z")
        #expect(last.description == "2030-12-30T00:00:00Z")
        let before = MatterTime(rawValue: first.rawValue - 1)
        let after = MatterTime(rawValue: last.rawValue + 1)
        for time in [first, last] { try chain.verify(at: time, isSynchronized: true) }
        try chain.verify(at: before, isSynchronized: false)
        #expect(throws: CertificateError.notYetValid(.node)) { try chain.verify(at: before, isSynchronized: true) }
        for isSynchronized in [true, false] {
            #expect(throws: CertificateError.expired(.node)) {
                try chain.verify(at: after, isSynchronized: isSynchronized)
            }
        }
        // The lab's node has no end.
        try Chain(LabCertificates.node).verify(at: MatterTime(rawValue: .max), isSynchronized: true)
    }

    @Test("Every error has a text of one line")
    func texts() {
        let errors: [CertificateError] = [
            .malformed(.missing(1)), .tooLong(401), .unsupportedAlgorithm, .unknownAttribute, .emptyName, .nameTooLong,
            .extension(3), .criticalExtension, .profile(.node, .tags), .issuer(.node), .pathTooLong, .fabric(.root),
            .notYetValid(.root), .expired(.intermediate), .signature(.node), .keyMismatch, .groupKeyLength,
            .cryptography(.libraryFailure),
        ]
        for error in errors { #expect(error.description.count > 20 && !error.description.contains("\n")) }
    }

    /// A change of one field.
    private enum Edit {
        case remove
        case octets(Int)
        case unsigned(UInt64)
        /// A list of unsigned numbers by tag.
        case list([(UInt8, UInt64)])
        /// The extensions with a path length in the first.
        case pathLength(UInt8)
        /// A future extension as the only one.
        case future([UInt8])
    }

    /// The certificate with one field changed, or added after the others; the signature stays.
    private func edited(_ tlv: [UInt8], _ field: UInt8, _ edit: Edit) throws -> [UInt8] {
        let fields = try TLVElement(tlv).structure()
        let extensions = try Array(fields.required(10).orderedList())
        var writer = TLVWriter()
        writer.structure(as: .anonymous) { certificate in
            for number in 1...12 as ClosedRange<UInt8> {
                guard number == field else {
                    if let element = fields[number] { certificate.element(element, as: .context(number)) }
                    continue
                }
                switch edit {
                case .remove: break
                case .octets(let count): certificate.octets([UInt8](repeating: 1, count: count), as: .context(field))
                case .unsigned(let value): certificate.unsigned(value, as: .context(field))
                case .list(let members):
                    certificate.list(as: .context(field)) { list in
                        for (tag, value) in members { list.unsigned(value, as: .context(tag)) }
                    }
                case .pathLength(let length):
                    certificate.list(as: .context(field)) { list in
                        list.structure(as: 1) { constraints in
                            constraints.bool(true, as: 1)
                            constraints.unsigned(length, as: 2)
                        }
                        for member in extensions.dropFirst() { list.element(member, as: member.tag) }
                    }
                case .future(let octets):
                    certificate.list(as: .context(field)) { $0.octets(octets, as: 6) }
                }
            }
        }
        return writer.octets
    }
}
