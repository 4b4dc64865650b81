// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// The SELECT of a reader's access application, and the template that answers it (docs/protocol/nfc-profile.md, 2.1).
enum CardSelection {
    /// The name of the access application, unless the reader's `nfc.aid` says otherwise.
    static let usualApplication: [UInt8] = [0xF0, 0x72, 0x65, 0x61, 0x64, 0x65, 0x72, 0x64, 0x01]

    static func command(_ application: [UInt8]) -> [UInt8] {
        [0x00, 0xA4, 0x04, 0x00, UInt8(application.count)] + application + [0x00]
    }

    /// The device id in the template `6F { 84 …, A5 { 80 …, 81 …, 82 id } }`; nil if it has none.
    static func deviceID(in template: [UInt8]) -> String? {
        guard let control = value(of: 0x6F, in: template), let own = value(of: 0xA5, in: control),
            let id = value(of: 0x82, in: own), !id.isEmpty
        else { return nil }
        return String(decoding: id.map { 0x21...0x7E ~= $0 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// The value of the first object with this tag (ISO/IEC 7816-4, 5.2.2): tags and lengths of one octet, as short
    /// APDUs hold them.
    private static func value(of tag: UInt8, in objects: [UInt8]) -> [UInt8]? {
        let bytes = objects.span
        var cursor = OctetCursor(bytes)
        while let found = try? cursor.u8(bytes), let length = try? cursor.u8(bytes), length < 0x80,
            let range = try? cursor.consume(Int(length), of: bytes)
        {
            if found == tag { return Array(objects[range]) }
        }
        return nil
    }
}
