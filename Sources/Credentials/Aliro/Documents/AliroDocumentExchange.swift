// SPDX-License-Identifier: Apache-2.0

internal import CBOR

/// Messages of the step-up phase: the request of documents, and the container of ENVELOPE.
enum AliroDocumentExchange {
    /// The maximum length of an element's identifier in octets.
    static let maximumElementCount = 128

    /// The request of an element of documents, which the phone is not to retain.
    static func request(_ kinds: [AliroDocument.Kind], element: String) throws(CardRefusal) -> [UInt8] {
        guard element.utf8.count <= maximumElementCount else { throw .unavailable }
        // {"1": "1.0", "2": [{"1": 24(items)}…]}
        var octets: [UInt8] = [0xA2, 0x61, 0x31, 0x63, 0x31, 0x2E, 0x30, 0x61, 0x32, 0x80 | UInt8(kinds.count)]
        for kind in kinds {
            let items = CBORValue.map([
                .text("1"): .map([.text(kind.rawValue): .map([.text(element): .boolean(false)])]),
                .text("5"): .text(kind.rawValue),
            ])
            octets += [0xA1, 0x61, 0x31, 0xD8, 0x18]
            octets += try encoded(.octets(encoded(items)))
        }
        return octets
    }

    /// The data of ENVELOPE.
    static func container(_ sealed: [UInt8]) throws(CardRefusal) -> [UInt8] {
        var octets: [UInt8] = []
        octets.append(tag: 0x53, try encoded(.map([.text("data"): .octets(sealed)])))
        return octets
    }

    /// The sealed octets in the response to ENVELOPE: in a map, or directly in the container.
    static func sealed(_ response: [UInt8]) throws(CardRefusal) -> [UInt8] {
        let span = response.span
        let content = try AliroTLV.content(of: 0x53, in: span, 0..<response.count)
        if let node = try? CBORNode(decoding: span.extracting(content)), let octets = node["data"]?.octets {
            return octets
        }
        return Array(response[content])
    }

    private static func encoded(_ value: CBORValue) throws(CardRefusal) -> [UInt8] {
        var octets: [UInt8] = []
        guard (try? value.encode(limit: AliroExchange.maximumResponse, into: &octets)) != nil else {
            throw .unavailable
        }
        return octets
    }
}
