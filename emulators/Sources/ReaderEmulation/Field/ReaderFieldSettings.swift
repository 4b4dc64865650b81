// SPDX-License-Identifier: Apache-2.0

public import Credentials
public import Crypto
import Octets
import Reader

/// The NFC field of an emulated reader: what it tries with a card, and which cards open.
public struct ReaderFieldSettings: Sendable {
    /// The kinds that it can try.
    public static let readable: [CardKind] = [.phone, .pkoc, .aliro, .desfire]

    /// The kinds that it tries, in this order.
    public var kinds = readable.filter { $0 != .desfire }
    /// The listed cards, which open.
    public var cards: [CardEvidence] = []
    /// The Aliro reader of the door.
    public let aliro: AliroReader
    /// The place of the number on DESFire cards, with its keys; nil refuses these cards.
    public var desfire: DESFireCredential?

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

    /// The form of a card that opens, for people.
    public static let cardForm =
        "pkoc or aliro and the point, 130 hexadecimal digits, 04 first, or desfire and the number, 2 to "
        + "\(2 * DESFireCredential.countLimit) digits"

    /// The card `pkoc` or `aliro` with this point, 04 first, or `desfire` with this number; nil for another kind, no
    /// point of P-256, or a number that no card has.
    public static func card(_ kind: String, _ identity: String) -> CardEvidence? {
        guard let kind = CardKind(rawValue: kind), let octets = Hexadecimal.octets(identity) else { return nil }
        let isIdentity =
            switch kind {
            case .pkoc, .aliro: (try? P256PublicKey(point: octets.span)) != nil
            case .desfire: 1...DESFireCredential.countLimit ~= octets.count
            case .phone: false
            }
        return isIdentity ? CardEvidence(kind: kind, identity: octets) : nil
    }

    /// The point that Aliro phones have to trust, 04 first.
    public var aliroPoint: [UInt8] {
        let octets = aliro.key.publicPoint.octets
        return octets.indices.map { octets[$0] }
    }
}
