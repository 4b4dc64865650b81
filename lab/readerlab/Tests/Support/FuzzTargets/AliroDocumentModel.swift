// SPDX-License-Identifier: Apache-2.0

import Contactless
import Crypto
import TestSupport

/// Documents of a trusted issuer, whose element, signed part and names can be any octets.
enum AliroDocumentModel {
    static let issuer = certain {
        try P256PrivateKey(octets("ad68f9e900d7969d114262c275339b10dc05bb746ff4bcbb8dc8552fd01c6348"))
    }
    /// Version 1, and a rule that permits to unlock.
    static let element = octets("a3000101420001" + "0281a10003")
    /// A document revoking the phone.
    static let revocation = octets("a3000101000281a1005820") + certain { [UInt8](try SHA256.hash(point.span)) }
    private static let scalar = octets("9293c769ccc75562180455ed7db8ba0699ddcb582d34872d71f442f7a61d43e3")
    /// The point of the phone that the documents are for.
    static let point = phone(of: [UInt8](issuer.publicPoint.octets)).point

    /// The phone that the documents are for, and that knows a reader with this point.
    static func phone(of reader: [UInt8]) -> AliroPhone {
        certain { try AliroPhone(scalar: scalar, trusting: reader) }
    }

    /// A document that the issuer has signed.
    ///
    /// - Parameters:
    ///   - kind: `aliro-a` or `aliro-r`.
    ///   - element: the encoded value of the element `matter1`.
    ///   - header: the unprotected header; nil for the key identifier.
    ///   - change: applied to the part before it is signed.
    static func document(
        _ kind: String, _ element: [UInt8], header: [UInt8]? = nil,
        _ change: (@Sendable (inout [UInt8]) -> Void)? = nil
    ) -> [UInt8] {
        certain {
            var maker = try AliroDocumentMaker(issuer, for: point)
            (maker.type, maker.value, maker.header, maker.change) = (kind, .encoded(element), header, change)
            return try maker.document
        }
    }
}
