// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import Octets
internal import Timekeeping

/// An X.509 certificate (RFC 5280, 4.1) of an issuer's key on P-256, signed with ECDSA and SHA-256.
///
/// Key, validity and signature are used; names and extensions are not.
struct AliroIssuerCertificate {
    let key: P256PublicKey
    /// Seconds since 1970-01-01 UTC.
    let notBefore: Int64
    let notAfter: Int64
    private let signedPart: [UInt8]
    private let signature: [UInt8]

    /// ecdsa-with-SHA256 (RFC 5758, 3.2).
    private static let algorithm = DER.element(
        .sequence, DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]))

    /// Parses DER; nil for other octets, algorithms and keys.
    init?(_ octets: [UInt8]) {
        guard let content = DER.content(of: .sequence, in: octets[...]) else { return nil }
        var outer = Elements(rest: content)
        guard let signedPart = outer.next(.sequence), outer.next(.sequence).map(Array.init) == Self.algorithm,
            let bits = outer.last(.bitString), let fields = DER.content(of: .sequence, in: signedPart),
            let signature = DER.content(of: .bitString, in: bits), signature.first == 0
        else { return nil }
        var inner = Elements(rest: fields)
        // Version, which is absent in version 1; serial number; algorithm; issuer; validity; subject; key.
        _ = inner.next(.explicit0)
        guard inner.next(.integer) != nil, inner.next(.sequence).map(Array.init) == Self.algorithm,
            inner.next(.sequence) != nil, let validity = inner.next(.sequence), inner.next(.sequence) != nil,
            let subject = inner.next(.sequence),
            let key = try? P256PublicKey(subjectPublicKeyInfo: Array(subject).span),
            let times = DER.content(of: .sequence, in: validity)
        else { return nil }
        var bounds = Elements(rest: times)
        guard let notBefore = bounds.time(), let notAfter = bounds.time(), bounds.rest.isEmpty else { return nil }
        self.key = key
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.signedPart = Array(signedPart)
        self.signature = Array(signature.dropFirst())
    }

    func isSigned(by authority: P256PublicKey) -> Bool {
        authority.isValid(signature: signature.span, for: signedPart.span)
    }

    /// True if the time is in the certificate's validity.
    func covers(_ epochSeconds: Int64) -> Bool { notBefore <= epochSeconds && epochSeconds <= notAfter }

    /// The elements of a sequence, one after the other.
    private struct Elements {
        var rest: ArraySlice<UInt8>

        /// The whole next element if it has this tag.
        mutating func next(_ tag: DER.Tag) -> ArraySlice<UInt8>? {
            guard let content = DER.content(of: tag, in: rest, isPrefix: true) else { return nil }
            defer { rest = rest[content.endIndex...] }
            return rest[..<content.endIndex]
        }

        mutating func last(_ tag: DER.Tag) -> ArraySlice<UInt8>? {
            let element = next(tag)
            return rest.isEmpty ? element : nil
        }

        /// A UTCTime or GeneralizedTime in the form of RFC 5280, 4.1.2.5.
        mutating func time() -> Int64? {
            if let element = next(.utcTime) { return Self.time(element.dropFirst(2), yearCount: 2) }
            return next(.generalizedTime).flatMap { Self.time($0.dropFirst(2), yearCount: 4) }
        }

        private static func time(_ text: ArraySlice<UInt8>, yearCount: Int) -> Int64? {
            guard text.count == yearCount + 11, text.last == UInt8(ascii: "Z") else { return nil }
            var digits: [Int] = []
            for octet in text.dropLast() {
                guard (0x30...0x39).contains(octet) else { return nil }
                digits.append(Int(octet) - 0x30)
            }
            var year = digits[..<yearCount].reduce(0) { $0 * 10 + $1 }
            if yearCount == 2 { year += year < 50 ? 2000 : 1900 }
            func field(_ index: Int) -> Int {
                digits[yearCount + 2 * index] * 10 + digits[yearCount + 2 * index + 1]
            }
            let time = CivilTime(
                year: year, month: field(0), day: field(1), hour: field(2), minute: field(3), second: field(4))
            return time.isValid ? time.epochSeconds : nil
        }
    }
}
