// SPDX-License-Identifier: Apache-2.0

/// Faults of the step-up phase: changes of a document that a phone can make without the issuer's key.
extension AliroPhoneFault {
    /// True if the fault shows only at a reader that requests an access document of the phone.
    public var needsDocument: Bool { stage == .selectStepUp || stage == .envelope }

    /// Nested arrays, more than any document has.
    private static let depth = 1000
    /// The head of the signature, an octet string of 64 octets. It is the last such head in the answer.
    private static let signatureHead: [UInt8] = [0x58, 0x40]
    /// {4: key identifier}, outside the signature.
    private static let keyIdentifier: [UInt8] = [0xA1, 0x04, 0x48]
    /// The name and the list of elements: "aliro-a": [24(<<item>>)] with an item of 24 to 255 octets.
    private static let elements: [UInt8] = Array("aliro-a".utf8) + [0x81, 0xD8, 0x18, 0x58]

    // The plaintext is {"1": "1.0", "2": [{"1": {"1": elements, "2": [h'a10126', {4: kid}, payload, signature]},
    // "5": "aliro-a"}], "3": 0}.
    static let documents: [AliroPhoneFault] = [
        .init("word-documents", .selectStepUp, .word(0x6A82), "has no application for its document"),
        .init("leaves-documents", .envelope, .leave, "leaves at ENVELOPE", .staysShut),
        .init("word-envelope", .envelope, .word(0x6985), "refuses ENVELOPE with 6985"),
        .init(
            "changed-envelope", .envelope, .data { changed($0, at: $0.count - 1) { $0 ^ 1 } },
            "changes a bit of the tag of its documents"),
        .init("reflected-envelope", .envelope, .reflection, "seals its documents as the reader does"),
        .init(
            "no-document", .envelope, .plaintext { without(changed($0, at: 0) { $0 - 1 }, 7..<$0.count - 3) },
            "promises a document, and sends none"),
        .init(
            "no-element", .envelope, .plaintext(withoutElements), "sends its document without an element"),
        .init(
            "no-issuer", .envelope, .plaintext { replaced($0, keyIdentifier, count: 11, by: [0xA0]) },
            "sends a document that names no issuer"),
        .init(
            "other-issuer", .envelope, .plaintext { changed($0, after: keyIdentifier) },
            "sends a document of an issuer that the reader does not trust"),
        .init(
            "wrong-document", .envelope, .plaintext { changed($0, after: signatureHead, isLast: true) },
            "sends a document with a changed signature"),
        .init(
            "other-algorithm", .envelope,
            .plaintext { replaced($0, [0x43, 0xA1, 0x01, 0x26], count: 4, by: [0x43, 0xA1, 0x01, 0x27]) },
            "sends a document that names another algorithm"),
        .init(
            "wrong-digest", .envelope,
            .plaintext { changed($0, after: [0x61, 0x32, 0x58, 0x20]) },
            "sends an element that is not the signed one"),
        .init(
            "other-document", .envelope,
            .plaintext { changed($0, at: $0.count - 4) { _ in UInt8(ascii: "r") } },
            "sends a revocation document instead of an access document"),
        .init(
            "cut-document", .envelope, .plaintext { Array($0.dropLast(8)) }, "sends a document that is cut off"),
        .init("trailing-octet", .envelope, .plaintext { $0 + [0x00] }, "sends an octet after its documents"),
        .init(
            "duplicate-key", .envelope, .plaintext { [$0[0] + 1] + Array($0[1..<7]) + Array($0[1...]) },
            "sends a map with a key twice"),
        .init(
            "deep-document", .envelope,
            .plaintext { _ in [0xA1, 0x61, 0x32] + [UInt8](repeating: 0x81, count: depth) + [0x00] },
            "sends \(depth) nested arrays"),
        .init(
            "long-document", .envelope,
            .plaintext { _ in [0xA1, 0x61, 0x32, 0x9B] + [UInt8](repeating: 0xFF, count: 8) },
            "announces 2^64 - 1 documents"),
        .init("empty-envelope", .envelope, .data { _ in [] }, "answers ENVELOPE with no octets"),
        .init("endless-envelope", .envelope, .endless, "answers ENVELOPE without end", .staysShut),
    ]

    /// The answer with an empty list of elements.
    private static func withoutElements(_ octets: [UInt8]) -> [UInt8] {
        guard let place = place(of: elements, in: octets), place + elements.count < octets.count else { return octets }
        let count = elements.count + 1 + Int(octets[place + elements.count])
        return replaced(octets, elements, count: count, by: Array("aliro-a".utf8) + [0x80])
    }

    /// The first, or last, place of `part`; nil if it is not in the octets.
    private static func place(of part: [UInt8], in octets: [UInt8], isLast: Bool = false) -> Int? {
        let isHere = { (place: Int) in octets[place...].starts(with: part) }
        return isLast ? octets.indices.last(where: isHere) : octets.indices.first(where: isHere)
    }

    private static func changed(_ octets: [UInt8], after part: [UInt8], isLast: Bool = false) -> [UInt8] {
        guard let place = place(of: part, in: octets, isLast: isLast) else { return octets }
        return changed(octets, at: place + part.count) { $0 ^ 1 }
    }

    private static func replaced(_ octets: [UInt8], _ part: [UInt8], count: Int, by other: [UInt8]) -> [UInt8] {
        guard let place = place(of: part, in: octets) else { return octets }
        return Array(octets.prefix(place) + other + octets.dropFirst(place + count))
    }
}
