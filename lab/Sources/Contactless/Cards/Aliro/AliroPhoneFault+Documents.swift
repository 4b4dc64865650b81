// SPDX-License-Identifier: Apache-2.0

/// Faults of the documents' delivery. The phone needs an access document.
extension AliroPhoneFault {
    static let documents: [AliroPhoneFault] = [
        .init(
            "no-documents", .envelope, .plaintext { _ in [0xA2] + version + end },
            "promises documents, and sends none"),
        .init("cut-documents", .envelope, .plaintext { Array($0.dropLast(40)) }, "cuts the documents"),
        .init("trailing-documents", .envelope, .plaintext { $0 + [0x00] }, "sends an octet after the documents"),
        .init(
            "deep-documents", .envelope,
            .plaintext { _ in [0xA3] + version + second + [UInt8](repeating: 0x81, count: 600) + [0x00] + end },
            "nests 600 arrays in the documents"),
        .init(
            "twice-documents", .envelope,
            .plaintext { [0xA4] + $0.dropFirst().dropLast(end.count) + second + [0x80] + end },
            "sends the documents' member twice"),
        .init(
            "long-documents", .envelope,
            .plaintext { _ in [0xA3] + version + second + [0x9B] + [UInt8](repeating: 0xFF, count: 8) },
            "announces 2^64 - 1 documents"),
        .init(
            "other-type-document", .envelope,
            .plaintext { octets in
                place(of: type, in: octets).map { changed(octets, at: $0 + type.count - 1) { _ in 0x78 } } ?? octets
            },
            "sends a document of another type"),
        .init(
            "changed-signature-document", .envelope,
            .plaintext { octets in place(of: type, in: octets).map { changed(octets, at: $0 - 1) { $0 ^ 1 } } ?? octets
            },
            "changes the signature of a document"),
        .init(
            "changed-element-document", .envelope,
            .plaintext { octets in
                place(of: random, in: octets, isLast: false).map { changed(octets, at: $0 + random.count) { $0 ^ 1 } }
                    ?? octets
            }, "changes an element of a document"),
        .init(
            "changed-envelope", .envelope, .data { changed($0, at: $0.count - 1) { $0 ^ 1 } },
            "changes the tag of the sealed documents"),
        .init("empty-envelope", .envelope, .data { _ in [] }, "answers ENVELOPE with no octets"),
        .init("word-envelope", .envelope, .word(0x6982), "refuses ENVELOPE with 6982"),
        .init("endless-envelope", .envelope, .endless, "answers ENVELOPE without end", .staysShut),
        .init("leaves-envelope", .envelope, .leave, "leaves at ENVELOPE", .staysShut),
    ]

    /// `"1": "1.0"`, the key `"2"` of the documents, and `"3": 0`.
    private static let version: [UInt8] = [0x61, 0x31, 0x63, 0x31, 0x2E, 0x30]
    private static let second: [UInt8] = [0x61, 0x32]
    private static let end: [UInt8] = [0x61, 0x33, 0x00]
    /// `"5": "aliro-a"`, the last member of a document, after its signature.
    private static let type: [UInt8] = [0x61, 0x35, 0x67] + Array("aliro-a".utf8)
    /// `"2"` and the head of the 32 octets of an element's random number.
    private static let random: [UInt8] = [0x61, 0x32, 0x58, 0x20]

    private static func place(of wanted: [UInt8], in octets: [UInt8], isLast: Bool = true) -> Int? {
        let places = octets.indices.filter { octets[$0...].starts(with: wanted) }
        return isLast ? places.last : places.first
    }
}
