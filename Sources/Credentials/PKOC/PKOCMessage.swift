// SPDX-License-Identifier: Apache-2.0

import Octets

/// The commands and responses of a PKOC card over NFC (PSIA PKOC NFC Card Specification 1.1).
///
/// A response is a list of fields: a tag of one octet, a length of one octet, a value. Their order is free, and unknown
/// tags are skipped.
enum PKOCMessage {
    static let applicationID: [UInt8] = [0xA0, 0x00, 0x00, 0x08, 0x98, 0x00, 0x00, 0x01]
    /// The versions of the protocol that this reader has, newest first. The card's list and the command have two octets
    /// each.
    static let versions: [UInt16] = [0x0101, 0x0100]
    /// The maximum length of a response with its status word: that of a short APDU.
    static let responseLimit = 258

    static let transactionIDCount = 16
    static let keyCount = 65
    static let signatureCount = 64

    private enum Tag {
        static let transactionID: UInt8 = 0x4C
        static let readerID: UInt8 = 0x4D
        static let key: UInt8 = 0x5A
        static let versions: UInt8 = 0x5C
        static let signature: UInt8 = 0x9E
    }

    /// SELECT by application identifier.
    static var select: [UInt8] {
        [0x00, 0xA4, 0x04, 0x00, UInt8(applicationID.count)] + applicationID + [0x00]
    }

    /// AUTHENTICATE.
    static func authenticate(version: UInt16, transactionID: [UInt8], readerID: [UInt8]) -> [UInt8] {
        let data =
            [Tag.versions, 2, UInt8(version >> 8), UInt8(version & 0xFF)]
            + [Tag.transactionID, UInt8(transactionID.count)] + transactionID
            + [Tag.readerID, UInt8(readerID.count)] + readerID
        return [0x80, 0x80, 0x00, 0x01, UInt8(data.count)] + data + [0x00]
    }

    /// The newest common version in the data of a response to SELECT.
    ///
    /// - Throws: `malformed` without a list of whole versions, `version` if none is common.
    static func version(in data: Span<UInt8>) throws(CardRefusal) -> UInt16 {
        guard let list = try value(of: Tag.versions, in: data), list.count.isMultiple(of: 2) else { throw .malformed }
        for version in versions {
            for place in stride(from: list.lowerBound, to: list.upperBound, by: 2)
            where UInt16(data[place]) << 8 | UInt16(data[place + 1]) == version { return version }
        }
        throw .version
    }

    /// The places of key (04 ‖ X ‖ Y) and signature (r ‖ s) in the data of a response to AUTHENTICATE.
    ///
    /// - Throws: `malformed` without them, `key` for a key of another length, as a compressed one, and `proof` for a
    ///   signature of another length, as one in DER.
    static func proof(
        in data: Span<UInt8>
    ) throws(CardRefusal) -> (key: Range<Int>, signature: Range<Int>) {
        guard let key = try value(of: Tag.key, in: data), let signature = try value(of: Tag.signature, in: data)
        else { throw .malformed }
        guard key.count == keyCount else { throw .key }
        guard signature.count == signatureCount else { throw .proof }
        return (key, signature)
    }

    /// The value of the field with this tag; nil without one.
    ///
    /// - Throws: `malformed` for a field that is cut off, and for a tag that occurs twice.
    private static func value(of tag: UInt8, in data: Span<UInt8>) throws(CardRefusal) -> Range<Int>? {
        var cursor = OctetCursor(data)
        var found: Range<Int>?
        while cursor.remaining > 0 {
            let field: (tag: UInt8, value: Range<Int>)
            do throws(OctetError) {
                field.tag = try cursor.u8(data)
                let count = Int(try cursor.u8(data))
                field.value = try cursor.consume(count, of: data)
            } catch {
                throw .malformed
            }
            guard field.tag == tag else { continue }
            guard found == nil else { throw .malformed }
            found = field.value
        }
        return found
    }
}
