// SPDX-License-Identifier: Apache-2.0

import AliroTestSupport
import Crypto
import TestSupport

/// Documents of a trusted issuer, whose element, signed part and names can be any octets.
enum AliroDocumentModel {
    static let issuer = certain {
        try P256PrivateKey(octets("ad68f9e900d7969d114262c275339b10dc05bb746ff4bcbb8dc8552fd01c6348"))
    }
    /// Version 1, and a rule that permits to unlock.
    static let element = octets("a3000101420001" + "0281a10003")
    /// The phone that the documents are for, without a reader.
    static let phone = phone(of: [])
    /// A document revoking the phone.
    static let revocation = octets("a3000101000281a100") + octetString(hash(phone.point))

    /// The phone that the documents are for, and that knows a reader with this point.
    static func phone(of group: [UInt8]) -> ModelPhone {
        certain {
            try ModelPhone(
                scalar: octets("9293c769ccc75562180455ed7db8ba0699ddcb582d34872d71f442f7a61d43e3"), group: group)
        }
    }

    /// A DeviceResponse with these documents.
    static func response(_ documents: [[UInt8]]) -> [UInt8] {
        octets("a3613163312e306132") + head(4, documents.count) + documents.joined() + octets("613300")
    }

    /// A document that the issuer has signed.
    ///
    /// - Parameters:
    ///   - kind: `aliro-a` or `aliro-r`.
    ///   - element: the encoded value of the element `matter1`.
    ///   - alter: applied to the part before it is signed.
    ///   - names: the unprotected header; nil for the key identifier.
    static func document(
        _ kind: String, _ element: [UInt8], names: [UInt8]? = nil, _ alter: (inout [UInt8]) -> Void = { _ in }
    ) -> [UInt8] {
        let random = [UInt8](repeating: 0x5A, count: 32)
        let content =
            octets("a461310061325820") + random + text("3") + text("matter1") + text("4") + element
        let item = tagged(octetString(content))
        let point = phone.point
        var signed = octets("a7613163312e306132675348412d323536") + text("3") + head(5, 1) + text(kind)
        signed += octets("a1005820") + hash(item)
        signed += text("4") + octets("a16131a401022001215820") + point[1..<33] + octets("225820") + point[33...]
        signed += text("5") + text(kind) + text("6") + octets("a3")
        for (name, time) in [("1", "2026-01-01"), ("2", "2026-01-01"), ("3", "2036-01-01")] {
            signed += text(name) + octets("c0") + text(time + "T00:00:00Z")
        }
        signed += text("7") + octets("f4")
        alter(&signed)
        let payload = tagged(octetString(signed))
        let message = octets("846a5369676e61747572653143a1012640") + octetString(payload)
        let signature = certain { try issuer.rawSignature(message.span) }
        let header =
            names ?? (octets("a104") + octetString(Array(hash(Array("key-identifier".utf8) + issuerPoint)[..<8])))
        var document = octets("a26131a26131a1") + text(kind) + head(4, 1) + item
        document += octets("61328443a10126") + header + octetString(payload) + octetString(signature)
        return document + text("5") + text(kind)
    }

    static let issuerPoint = [UInt8](issuer.publicPoint.octets)

    static func octetString(_ octets: [UInt8]) -> [UInt8] { head(2, octets.count) + octets }

    private static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + text.utf8 }

    private static func tagged(_ item: [UInt8]) -> [UInt8] { [0xD8, 0x18] + item }

    private static func head(_ major: UInt8, _ count: Int) -> [UInt8] {
        switch count {
        case ..<24: [major << 5 | UInt8(count)]
        case ..<0x100: [major << 5 | 24, UInt8(count)]
        default: [major << 5 | 25, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
        }
    }

    private static func hash(_ message: [UInt8]) -> [UInt8] {
        certain { [UInt8](try SHA256.hash(message.span)) }
    }
}
