// SPDX-License-Identifier: Apache-2.0

import Crypto
import Octets

/// The messages of PKOC over Bluetooth LE, version 3: fields with a tag of one octet and a length.
///
/// The order of the fields is free. A field that the message does not have, and one that occurs twice, are refused. The
/// length is BER's, as apps of profile 2.0.1 write it: from 128 on `81` and an octet. Earlier apps write one octet for
/// any length, and no field has 129 octets.
enum PKOCLinkMessage {
    /// The tags.
    enum Tag: UInt8 {
        /// The phone's public key, 04 ‖ X ‖ Y.
        case key = 0x01
        /// The reader's ephemeral key, compressed.
        case readerEphemeral = 0x02
        /// r ‖ s.
        case signature = 0x03
        /// The reader's answer.
        case response = 0x04
        /// The phone's ephemeral key, 04 ‖ X ‖ Y.
        case ephemeral = 0x07
        /// The time of the credential's last change, four octets. The reader has no use for it.
        case lastUpdate = 0x09
        /// The version and its options.
        case version = 0x0C
        /// The location's identifier.
        case location = 0x0D
        /// The site's identifier.
        case site = 0x0E
        /// Other fields, encrypted.
        case sealed = 0x40
    }

    /// The answers to a phone.
    enum Response: UInt8 {
        /// The end without a decision of the reader's.
        case completed = 0x01
        case denied = 0x02
        case granted = 0x03
        /// A message that the flow does not have, or an invalid key.
        case security = 0x05
        /// A signature that does not verify.
        case signature = 0x06
        /// Encrypted fields that do not verify.
        case ccm = 0x07

        var message: [UInt8] { field(.response, [rawValue]) }
    }

    /// Version 3, and its option AES-CCM.
    static let version: [UInt8] = [0x03, 0x00, 0x00, 0x00, 0x01]
    /// The bit of AES-CCM in the last octet of a version.
    static let ccm: UInt8 = 0x01
    /// The length of the longest message of a phone: the encrypted fields 01, 03, 09 and 0C.
    static let maximumCount = 3 + sealedCount
    private static let sealedCount = 67 + 66 + 6 + 7 + AES256CCM.tagCount
    /// BER: the length is in the octet that follows.
    private static let longLength: UInt8 = 0x81

    /// A field of a message, of at most 127 octets.
    static func field(_ tag: Tag, _ value: [UInt8]) -> [UInt8] { [tag.rawValue, UInt8(value.count)] + value }

    /// The compressed form of a point (SEC 1, 2.3.3): 02 or 03 by the parity of Y, then X.
    static func compressed(_ point: P256Point) -> [UInt8] {
        [2 + point.octets[64] & 1] + coordinate(point)
    }

    /// X.
    static func coordinate(_ point: P256Point) -> [UInt8] { (1..<33).map { point.octets[$0] } }

    /// The places of the values of a message, by their tags.
    struct Fields {
        private var places: [(tag: Tag, place: Range<Int>)] = []

        /// The fields of a message that may have these.
        ///
        /// - Throws: `tooLong` beyond `maximumCount`, `malformed` for a field that is cut off, repeated or another one,
        ///   `key` and `proof` for a key and a signature of another length, `version` for another version.
        init(_ message: Span<UInt8>, _ allowed: [Tag]) throws(CardRefusal) {
            guard message.count <= maximumCount else { throw .tooLong }
            var cursor = OctetCursor(message)
            while cursor.remaining > 0 {
                let number: UInt8
                let (place, isShortest): (Range<Int>, Bool)
                do throws(OctetError) {
                    number = try cursor.u8(message)
                    let count = try cursor.u8(message)
                    let length = count == longLength ? try cursor.u8(message) : count
                    isShortest = count != longLength || length > 0x7F
                    place = try cursor.consume(Int(length), of: message)
                } catch { throw .malformed }
                guard isShortest else { throw .malformed }
                guard let tag = Tag(rawValue: number), allowed.contains(tag), self[tag] == nil else { throw .malformed }
                try check(tag, message.extracting(place))
                places.append((tag, place))
            }
        }

        /// The place of the value; nil without one.
        subscript(tag: Tag) -> Range<Int>? { places.first { $0.tag == tag }?.place }

        private func check(_ tag: Tag, _ value: Span<UInt8>) throws(CardRefusal) {
            switch tag {
            case .key, .ephemeral: guard value.count == PKOCMessage.keyCount else { throw .key }
            case .signature: guard value.count == PKOCMessage.signatureCount else { throw .proof }
            case .lastUpdate: guard value.count == 4 else { throw .malformed }
            case .version:
                guard value.count == version.count else { throw .malformed }
                guard value[0] == version[0] else { throw .version }
            case .sealed: guard value.count > AES256CCM.tagCount else { throw .malformed }
            case .readerEphemeral, .response, .location, .site: break
            }
        }
    }
}
