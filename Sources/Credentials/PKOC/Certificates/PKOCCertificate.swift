// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import Timekeeping

/// The certificate of a PKOC card of NFC version 2: card-verifiable, on P-256.
///
/// Its layout is one implementation's and not checked against PSIA's text, so what is unknown in it is refused.
struct PKOCCertificate {
    /// The longest certificate on P-256 has about 300 octets; extensions may add to that.
    static let maximumCount = 1024

    /// The issuer's identifier.
    let issuer: [UInt8]
    /// The card's point, 04 ‖ X ‖ Y.
    let point: [UInt8]
    /// The first second of its validity, and the first after it, since 1970-01-01 UTC.
    let validFrom: Int64
    let validUntil: Int64
    private let body: [UInt8]
    private let signature: [UInt8]

    private enum Tag {
        static let certificate: UInt32 = 0x7F21
        static let body: UInt32 = 0x7F4E
        static let signature: UInt32 = 0x5F37
        static let profile: UInt32 = 0x5F29
        static let issuer: UInt32 = 0x42
        static let key: UInt32 = 0x7F49
        static let algorithm: UInt32 = 0x06
        static let point: UInt32 = 0x86
        static let holder: UInt32 = 0x5F20
        static let effective: UInt32 = 0x5F25
        static let expiration: UInt32 = 0x5F24
        static let extensions: UInt32 = 0x65
    }

    /// 1.2.840.10045.3.1.7
    private static let curve: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

    /// Parses a certificate (7F21), all of it.
    ///
    /// - Throws: `algorithm` for a key that is not on P-256, as RSA, `document` for all else.
    init(_ octets: [UInt8]) throws(CardRefusal) {
        let span = octets.span
        do throws(CardRefusal) {
            let whole = try AliroTLV.content(of: Tag.certificate, in: span, 0..<octets.count)
            let parts = try Self.all(
                [.init(Tag.body, 1...Self.maximumCount), .init(Tag.signature, 64...512)], span, whole)
            guard let body = parts[Tag.body], let signature = parts[Tag.signature] else { throw .malformed }
            let fields = try Self.all(
                [
                    .init(Tag.profile, 1...1), .init(Tag.issuer, 16...16), .init(Tag.key, 1...Self.maximumCount),
                    .init(Tag.holder, 16...16), .init(Tag.effective, 6...6), .init(Tag.expiration, 6...6),
                    // They can only restrict, and the reader's list decides anyway.
                    .init(Tag.extensions, 0...Self.maximumCount, optional: true),
                ], span, body.value)
            func value(_ tag: UInt32) -> [UInt8] { fields[tag].map { Array(octets[$0.value]) } ?? [] }
            guard value(Tag.profile) == [0x00], PKOCIssuer.isIdentifier(value(Tag.issuer)),
                PKOCIssuer.isIdentifier(value(Tag.holder)), let from = Self.day(value(Tag.effective)),
                let until = Self.day(value(Tag.expiration)), let key = fields[Tag.key]
            else { throw .malformed }
            if let extensions = fields[Tag.extensions] { _ = try AliroTLV.elements(of: span, in: extensions.value) }
            (issuer, validFrom, validUntil) = (value(Tag.issuer), from, until)
            (self.body, self.signature) = (Array(octets[body.extent]), Array(octets[signature.value]))
            point = try Self.point(octets, key.value)
        } catch { throw error == .algorithm ? error : .document }
        guard signature.count == PKOCMessage.signatureCount else { throw .algorithm }
    }

    /// Verifies the signature of one of `issuers`, and the validity.
    ///
    /// - Throws: `document` without a trusted issuer, `notValidNow` outside of the validity, and without a clock.
    func verify(_ issuers: [PKOCIssuer], at moment: Moment) throws(CardRefusal) {
        let isSigned = issuers.contains {
            $0.identifier == issuer && $0.key.isValid(rawSignature: signature.span, for: body.span)
        }
        guard isSigned else { throw .document }
        // No source says whether the last day counts: it does not.
        guard let now = moment.epochSeconds, now >= validFrom, !moment.isOver(validUntil - 1) else {
            throw .notValidNow
        }
    }

    /// The elements that `fields` names, and no other.
    private static func all(
        _ fields: [AliroTLV.Field], _ octets: Span<UInt8>, _ range: Range<Int>
    ) throws(CardRefusal) -> [UInt32: AliroTLV] {
        let found = try AliroTLV.fields(fields, of: octets, in: range)
        guard try AliroTLV.elements(of: octets, in: range).count == found.count else { throw .malformed }
        return found
    }

    /// The point of a public key's template.
    private static func point(_ octets: [UInt8], _ range: Range<Int>) throws(CardRefusal) -> [UInt8] {
        let span = octets.span
        let algorithm = try AliroTLV.elements(of: span, in: range).first
        guard let algorithm, algorithm.tag == Tag.algorithm else { throw .malformed }
        guard octets[algorithm.value] == curve[...] else { throw .algorithm }
        let fields = try all([.init(Tag.algorithm, 8...8), .init(Tag.point, 65...65)], span, range)
        guard let point = fields[Tag.point] else { throw .malformed }
        return Array(octets[point.value])
    }

    /// The first second of a day of six digits, one in each octet, from the year 2000 on; nil for others.
    private static func day(_ digits: [UInt8]) -> Int64? {
        guard digits.allSatisfy({ $0 < 10 }) else { return nil }
        func number(_ place: Int) -> Int { Int(digits[place]) * 10 + Int(digits[place + 1]) }
        let date = CivilTime(year: 2000 + number(0), month: number(2), day: number(4))
        return date.isValid ? date.epochSeconds : nil
    }
}
