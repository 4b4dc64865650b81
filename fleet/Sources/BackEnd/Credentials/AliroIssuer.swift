// SPDX-License-Identifier: Apache-2.0

import CBOR
public import Crypto
import System
public import Timekeeping

/// An issuer of Aliro documents, whose private key is in a file of its owner (PEM, mode 0600).
public struct AliroIssuer {
    /// The maximum number of credentials in a revocation document: a phone carries it in 2048 octets.
    public static let maximumRevoked = 32
    /// The maximum length of an element's identifier in octets.
    public static let maximumElementCount = 128
    /// Unlock, and unlock for a moment: bits of a rule.
    private static let actions: Int64 = 2 | 8

    private let key: P256PrivateKey
    /// 04 ‖ X ‖ Y, which readers trust.
    public let point: [UInt8]

    private init(_ key: P256PrivateKey) {
        self.key = key
        let octets = key.publicPoint.octets
        point = octets.indices.map { octets[$0] }
    }

    /// The issuer whose key is in the file at `path`, which no other user may read.
    public init(path: String) throws(CredentialError) {
        var pem = try CredentialStore.privateOctets(path)
        defer { wipeSecret(&pem) }
        do throws(CryptoError) { self.init(try P256PrivateKey(pem: pem.span)) } catch {
            throw CredentialError("\(path): is no key on P-256 in PEM without a passphrase (\(error))")
        }
    }

    /// Makes a key in a new file.
    public static func make(_ path: String) throws(CredentialError) -> AliroIssuer {
        var pem: [UInt8] = []
        defer { wipeSecret(&pem) }
        let issuer: AliroIssuer
        do throws(CryptoError) {
            let key = try P256PrivateKey.generate()
            pem = try key.pem()
            issuer = AliroIssuer(key)
        } catch { throw CredentialError("no key could be made: \(error)") }
        try CredentialStore.create(octets: pem, at: path)
        return issuer
    }

    /// The validity of a document, in UTC.
    public struct Validity {
        let signed, from, until: CivilTime

        /// From the first to the last second; signed now.
        public init(signed: CivilTime, from: CivilTime, until: CivilTime) {
            (self.signed, self.from, self.until) = (signed, from, until)
        }
    }

    /// An access document of a credential: it may open at all times of the validity.
    public func access(
        to point: [UInt8], element: String, _ validity: Validity, iteration: Int64?, random: inout some RandomSource
    ) throws(CredentialError) -> [UInt8] {
        let rule = CBORValue.map([.integer(0): .integer(Self.actions)])
        let value = CBORValue.map([.integer(0): .integer(1), .integer(2): .array([rule])])
        return try document("aliro-a", (element, value), credential: point, validity, iteration, random.octets(32))
    }

    /// A revocation document: these credentials, and no others, are revoked.
    public func revocation(
        of points: [[UInt8]], element: String, _ validity: Validity, iteration: Int64?,
        random: inout some RandomSource
    ) throws(CredentialError) -> [UInt8] {
        var entries: [CBORValue] = []
        for point in points { entries.append(.map([.integer(0): .octets(try Self.hash(point))])) }
        let value = CBORValue.map([
            .integer(0): .integer(1), .integer(1): .integer(0), .integer(2): .array(entries),
        ])
        return try document("aliro-r", (element, value), credential: nil, validity, iteration, random.octets(32))
    }

    /// {"1": {"1": {kind: [item]}, "2": COSE_Sign1}, "5": kind}
    private func document(
        _ kind: String, _ element: (name: String, value: CBORValue), credential: [UInt8]?, _ validity: Validity,
        _ iteration: Int64?, _ random: [UInt8]
    ) throws(CredentialError) -> [UInt8] {
        let content = CBORValue.map([
            .text("1"): .integer(0), .text("2"): .octets(random), .text("3"): .text(element.name),
            .text("4"): element.value,
        ])
        let item = try Self.wrapped(Self.encoded(content))
        var times = [("1", validity.signed), ("2", validity.from), ("3", validity.until)].map { name, time in
            (name, [0xC0] + Self.text(Self.time(time)))
        }
        if let iteration { times.append(("5", try Self.encoded(.integer(iteration)))) }
        var members = [
            ("1", Self.text("1.0")), ("2", Self.text("SHA-256")),
            ("3", try Self.encoded(.map([.text(kind): .map([.integer(0): .octets(Self.hash(item))])]))),
        ]
        if let credential {
            // COSE_Key: EC2 on P-256.
            let key = CBORValue.map([
                .integer(1): .integer(2), .integer(-1): .integer(1), .integer(-2): .octets(Array(credential[1..<33])),
                .integer(-3): .octets(Array(credential[33...])),
            ])
            members.append(("4", try Self.encoded(.map([.text("1"): key]))))
        }
        members += [("5", Self.text(kind)), ("6", Self.map(times)), ("7", try Self.encoded(.boolean(true)))]
        let payload = try Self.wrapped(Self.map(members))
        let signed = Self.map([
            ("1", Self.map([(kind, [0x81] + item)])), ("2", try Self.encoded(envelope(payload))),
        ])
        return Self.map([("1", signed), ("5", Self.text(kind))])
    }

    /// COSE_Sign1 with the algorithm ES256 and the key's identifier.
    private func envelope(_ payload: [UInt8]) throws(CredentialError) -> CBORValue {
        let header: [UInt8] = [0xA1, 0x01, 0x26]
        let message = try Self.encoded(
            .array([.text("Signature1"), .octets(header), .octets([]), .octets(payload)]))
        let signature: [UInt8]
        do throws(CryptoError) { signature = try key.rawSignature(message.span) } catch {
            throw CredentialError("the document could not be signed: \(error)")
        }
        let identifier = Array(try Self.hash(Array("key-identifier".utf8) + point).prefix(8))
        return .array([
            .octets(header), .map([.integer(4): .octets(identifier)]), .octets(payload), .octets(signature),
        ])
    }

    /// A map with few members in the given order, whose values are encoded already.
    private static func map(_ members: [(String, [UInt8])]) -> [UInt8] {
        [0xA0 | UInt8(members.count)] + members.flatMap { text($0) + $1 }
    }

    private static func text(_ text: String) -> [UInt8] {
        precondition(text.utf8.count < 24)
        return [0x60 | UInt8(text.utf8.count)] + text.utf8
    }

    /// Encoded CBOR as a byte string (tag 24).
    private static func wrapped(_ octets: [UInt8]) throws(CredentialError) -> [UInt8] {
        try [0xD8, 0x18] + encoded(.octets(octets))
    }

    private static func encoded(_ value: CBORValue) throws(CredentialError) -> [UInt8] {
        var octets: [UInt8] = []
        do throws(CBORError) { try value.encode(limit: 4096, into: &octets) } catch {
            throw CredentialError("the document is too large: \(error)")
        }
        return octets
    }

    private static func hash(_ message: [UInt8]) throws(CredentialError) -> [UInt8] {
        do throws(CryptoError) {
            let digest = try SHA256.hash(message.span)
            return digest.indices.map { digest[$0] }
        } catch { throw CredentialError("SHA-256 is not available: \(error)") }
    }

    /// `2026-12-31T23:59:59Z`.
    private static func time(_ time: CivilTime) -> String {
        let seconds = time.second < 10 ? "0\(time.second)" : "\(time.second)"
        return "\(LocalMinute.text(time)):\(seconds)Z"
    }
}
