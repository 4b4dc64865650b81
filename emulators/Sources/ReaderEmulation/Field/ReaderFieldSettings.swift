// SPDX-License-Identifier: Apache-2.0

public import Credentials
public import Crypto
import Octets
import Reader

/// The NFC field of an emulated reader: what it tries with a card, and which cards open.
public struct ReaderFieldSettings: Sendable {
    /// The kinds that it can try.
    public static let readable: [CardKind] = [.phone, .pkoc, .aliro]

    /// The kinds that it tries, in this order.
    public var kinds = ReaderFieldSettings.readable
    /// The listed cards, which open.
    public var cards: [CardEvidence] = []
    /// The Aliro reader of the door.
    public let aliro: AliroReader

    /// A field with the published Aliro reader: its key is the SHA-256 of a sentence, and protects nothing.
    ///
    /// - Throws: only if the cryptographic library rejects the key.
    public init() throws(CryptoError) {
        let sentence = Array("readerd demo aliro reader".utf8)
        let scalar = try SHA256.hash(sentence.span)
        let key = try P256PrivateKey(scalar: scalar.span)
        let group = (0..<16).map { UInt8($0) * 0x11 }
        let door = [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF] as [UInt8]
        guard let identifier = AliroReader.Identifier(group: group, sub: door + door) else {
            throw .invalidLength
        }
        var reader = AliroReader(key: key, identifier: identifier)
        reader.actions = AliroDoor.actions
        aliro = reader
    }

    /// The card `pkoc` or `aliro` with this point, 04 first; nil for another kind, or no point of P-256.
    public static func card(_ kind: String, _ point: String) -> CardEvidence? {
        guard let kind = CardKind(rawValue: kind), kind == .pkoc || kind == .aliro,
            let octets = Hexadecimal.octets(point), (try? P256PublicKey(point: octets.span)) != nil
        else { return nil }
        return CardEvidence(kind: kind, identity: octets)
    }

    /// The point that Aliro phones have to trust, 04 first.
    public var aliroPoint: [UInt8] {
        let octets = aliro.key.publicPoint.octets
        return octets.indices.map { octets[$0] }
    }
}
