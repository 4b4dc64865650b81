// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// A reader certificate in its compressed form, profile 0000. Phones expand it, and verify it with the authority's key.
public struct AliroReaderCertificate: Sendable {
    /// The maximum length: far above the 270 octets of the longest that the profile permits.
    public static let maximumCount = 512

    /// The command that carries the certificate.
    public enum Delivery: Sendable {
        /// LOAD CERT.
        case loading
        /// Tag 90 of AUTH1.
        case authentication
    }

    /// The compressed certificate.
    public let octets: [UInt8]
    /// The key that is certified.
    public let subject: P256Point
    /// The key of the authority, which phones know.
    public let authority: P256Point
    /// The command that carries it.
    public var delivery = Delivery.loading

    /// Parses a compressed certificate. Its signature is not verified.
    ///
    /// - Throws: `malformed` for other octets than profile 0000 has, `key` for a point that is not on the curve.
    public init(_ octets: [UInt8], authority: P256PublicKey) throws(CardRefusal) {
        let span = octets.span
        guard octets.count <= Self.maximumCount else { throw .malformed }
        let parts = try AliroTLV.elements(
            of: span, in: AliroTLV.content(of: 0x30, in: span, 0..<octets.count))
        guard parts.map(\.tag) == [0x04, 0x30], octets[parts[0].value] == [0, 0] else { throw .malformed }
        let fields = try AliroTLV.fields(Self.fields, of: span, in: parts[1].value)
        for tag in [0x82, 0x83] as [UInt32] {
            // UTCTime or GeneralizedTime.
            guard [nil, 13, 15].contains(fields[tag]?.value.count) else { throw .malformed }
        }
        guard let point = fields[0x85]?.value, let signature = fields[0x86]?.value, octets[point.lowerBound] == 0,
            octets[signature.lowerBound] == 0
        else { throw .malformed }
        do {
            subject = try P256PublicKey(point: span.extracting(point.dropFirst())).point
        } catch { throw .key }
        self.octets = octets
        self.authority = authority.point
    }

    /// Serial number, issuer, start, end, subject: omitted if they have their defaults; point, signature.
    private static let fields: [AliroTLV.Field] = [
        .init(0x80, 1...20, optional: true), .init(0x81, 1...32, optional: true), .init(0x82, 13...15, optional: true),
        .init(0x83, 13...15, optional: true), .init(0x84, 1...32, optional: true), .init(0x85, 66...66),
        .init(0x86, 9...73),
    ]
}
