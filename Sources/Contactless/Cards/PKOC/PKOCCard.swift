// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// A PKOC card (PSIA PKOC NFC Card Specification 1.1): it signs the transaction's identifier of the reader.
public struct PKOCCard: ContactlessCard {
    static let application: [UInt8] = [0xA0, 0x00, 0x00, 0x08, 0x98, 0x00, 0x00, 0x01]
    /// Versions 1.1 and 1.0, newest first.
    private static let versions: [UInt8] = [0x5C, 0x04, 0x01, 0x01, 0x01, 0x00]
    private static let transactionCounts = 16...65
    private static let readerCount = 32

    /// The card's activation.
    public var activation: CardActivation
    private let key: P256PrivateKey
    private var isSelected = false
    /// True once the card has signed.
    public private(set) var isRead = false

    /// A card with this key.
    public init(_ key: P256PrivateKey, activation: CardActivation) {
        (self.key, self.activation) = (key, activation)
    }

    /// A transaction begins.
    public mutating func activate() { (isSelected, isRead) = (false, false) }

    /// The response of the card.
    public mutating func respond(to command: [UInt8], random: inout some RandomSource) -> [UInt8]? {
        guard let command = ShortCommand(command) else { return CardStatus.wrongLength }
        switch (command.instructionClass, command.instruction) {
        case (0x00, 0xA4): return select(command.data)
        case (0x80, 0x80): return authenticate(command)
        case (0x00, _), (0x80, _): return CardStatus.unknownInstruction
        default: return CardStatus.unknownClass
        }
    }

    private mutating func select(_ name: [UInt8]) -> [UInt8] {
        isSelected = name == PKOCCard.application
        return isSelected ? PKOCCard.versions + CardStatus.ok : CardStatus.notFound
    }

    /// AUTHENTICATE; once in an activation, as the specification's transaction.
    private mutating func authenticate(_ command: ShortCommand) -> [UInt8] {
        guard isSelected, !isRead else { return CardStatus.outOfOrder }
        guard command.parameters == (0x00, 0x01) else { return [0x6B, 0x00] }
        guard let fields = SimpleFields(command.data), let version = fields[0x5C],
            let transaction = fields[0x4C], PKOCCard.transactionCounts ~= transaction.count,
            fields[0x4D]?.count == PKOCCard.readerCount
        else { return CardStatus.wrongData }
        guard version == [0x01, 0x01] || version == [0x01, 0x00],
            let signature = try? key.rawSignature(transaction.span)
        else { return CardStatus.outOfOrder }
        isRead = true
        return [0x5A, 0x41] + key.publicPoint.list + [0x9E, 0x40] + signature + CardStatus.ok
    }
}

/// Fields with a tag of one octet and a length of one octet.
struct SimpleFields {
    private var values: [UInt8: [UInt8]] = [:]

    /// The fields; nil if one is cut off, or occurs twice.
    init?(_ octets: [UInt8]) {
        var rest = octets[...]
        while let tag = rest.popFirst() {
            guard let count = rest.popFirst(), rest.count >= Int(count), values[tag] == nil else { return nil }
            values[tag] = Array(rest.prefix(Int(count)))
            rest = rest.dropFirst(Int(count))
        }
    }

    subscript(tag: UInt8) -> [UInt8]? { values[tag] }
}

extension P256Point {
    /// 04 ‖ X ‖ Y.
    var list: [UInt8] { octets.indices.map { octets[$0] } }
}
