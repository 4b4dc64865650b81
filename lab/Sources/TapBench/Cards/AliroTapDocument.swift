// SPDX-License-Identifier: Apache-2.0

import Crypto

/// An access document of an issuer for a phone, as mobile documents have it: a signed list of digests of elements.
enum AliroTapDocument {
    static let type = "aliro-a"

    /// The document in CBOR, valid from 2026 to 2035.
    static func encoded(for device: [UInt8], by issuer: P256PrivateKey, element: String) throws -> [UInt8] {
        let item = TapItem.tagged(
            24,
            .octets(
                TapItem.map([
                    ("1", 0), ("2", .octets([UInt8](repeating: 0x5A, count: 32))), ("3", .text(element)),
                    ("4", .map([(0, 1)])),
                ]).encoding))
        let key = TapItem.map([
            (1, 2), (-1, 1), (-2, .octets(Array(device[1..<33]))), (-3, .octets(Array(device[33...]))),
        ])
        let (begin, end) = (TapItem.tagged(0, "2026-01-01T00:00:00Z"), TapItem.tagged(0, "2036-01-01T00:00:00Z"))
        let digests = TapItem.map([(.text(type), .map([(0, .octets(try hash(item.encoding)))]))])
        let validity = TapItem.map([("1", begin), ("2", begin), ("3", end)])
        let devices = TapItem.map([(.text("1"), key)])
        let object = TapItem.map([
            ("1", "1.0"), ("2", "SHA-256"), ("3", digests), ("4", devices), ("5", .text(type)),
            ("6", validity), ("7", .boolean(false)),
        ])
        let payload = TapItem.tagged(24, .octets(object.encoding)).encoding
        let signed = TapItem.array(try signature(payload, by: issuer))
        let elements = TapItem.map([(.text(type), .array([item]))])
        let content = TapItem.map([(.text("1"), elements), (.text("2"), signed)])
        return TapItem.map([(.text("1"), content), (.text("5"), .text(type))]).encoding
    }

    private static func signature(_ payload: [UInt8], by issuer: P256PrivateKey) throws -> [TapItem] {
        let protected = TapItem.map([(1, -7)]).encoding
        let structure = TapItem.array(["Signature1", .octets(protected), .octets([]), .octets(payload)]).encoding
        let identifier = try hash(Array("key-identifier".utf8) + issuer.publicPoint.list).prefix(8)
        return [
            .octets(protected), .map([(4, .octets(Array(identifier)))]), .octets(payload),
            .octets(try rawSignature(structure, by: issuer)),
        ]
    }

    private static func hash(_ octets: [UInt8]) throws -> [UInt8] {
        let digest = try SHA256.hash(octets.span)
        return digest.indices.map { digest[$0] }
    }
}

/// A CBOR item with tags, and maps in the order of a phone.
indirect enum TapItem {
    case integer(Int)
    case octets([UInt8])
    case text(String)
    case array([TapItem])
    case map([(TapItem, TapItem)])
    case tagged(UInt8, TapItem)
    case boolean(Bool)
    case encoded([UInt8])

    /// The encoding, for lengths of up to 65,535.
    var encoding: [UInt8] {
        switch self {
        case .integer(let number) where number >= 0: TapItem.head(0, number)
        case .integer(let number): TapItem.head(1, -1 - number)
        case .octets(let octets): TapItem.head(2, octets.count) + octets
        case .text(let text): TapItem.head(3, text.utf8.count) + text.utf8
        case .array(let items): TapItem.head(4, items.count) + items.flatMap(\.encoding)
        case .map(let members): TapItem.head(5, members.count) + members.flatMap { $0.encoding + $1.encoding }
        case .tagged(let tag, let item): TapItem.head(6, Int(tag)) + item.encoding
        case .boolean(let flag): [flag ? 0xF5 : 0xF4]
        case .encoded(let octets): octets
        }
    }

    private static func head(_ major: UInt8, _ argument: Int) -> [UInt8] {
        switch argument {
        case ..<24: [major << 5 | UInt8(argument)]
        case ...0xFF: [major << 5 | 24, UInt8(argument)]
        default: [major << 5 | 25, UInt8(argument >> 8), UInt8(argument & 0xFF)]
        }
    }
}

extension TapItem: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    init(stringLiteral value: String) { self = .text(value) }

    init(integerLiteral value: Int) { self = .integer(value) }
}
