// SPDX-License-Identifier: Apache-2.0

/// Faults of the step-up phase: changes of a document that a phone can make without the issuer's key.
extension AliroPhoneFault {
    /// True if the fault shows only at a reader that requests an access document of the phone.
    public var needsDocument: Bool { stage == .selectStepUp || stage == .envelope }

    /// True if only an issuer can make the fault: the phone has to carry documents of an `AliroIssue`.
    public var needsIssuer: Bool { if case .issued = change { true } else { false } }

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
            "changed-envelope", .envelope, .data { try changed($0, at: $0.count - 1) { $0 ^ 1 } },
            "changes a bit of the tag of its documents"),
        .init("reflected-envelope", .envelope, .reflection, "seals its documents as the reader does"),
        .init(
            "no-document", .envelope, .plaintext { try answer($0, members: -1) + $0.suffix(3) },
            "promises a document, and sends none"),
        .init(
            "no-element", .envelope, .plaintext(withoutElements), "sends its document without an element"),
        .init(
            "no-issuer", .envelope, .plaintext { try replaced($0, keyIdentifier, count: 11, by: [0xA0]) },
            "sends a document that names no issuer"),
        .init(
            "other-issuer", .envelope, .plaintext { try changed($0, after: keyIdentifier) },
            "sends a document of an issuer that the reader does not trust"),
        .init(
            "wrong-document", .envelope, .plaintext { try changed($0, after: signatureHead, isLast: true) },
            "sends a document with a changed signature"),
        .init(
            "other-algorithm", .envelope,
            .plaintext { try replaced($0, [0x43, 0xA1, 0x01, 0x26], count: 4, by: [0x43, 0xA1, 0x01, 0x27]) },
            "sends a document that names another algorithm"),
        .init(
            "wrong-digest", .envelope,
            .plaintext { try changed($0, after: [0x61, 0x32, 0x58, 0x20]) },
            "sends an element that is not the signed one"),
        .init(
            "other-document", .envelope,
            .plaintext { try changed($0, at: $0.count - 4) { _ in UInt8(ascii: "r") } },
            "sends a revocation document instead of an access document"),
        .init(
            "cut-document", .envelope, .plaintext { Array($0.dropLast(8)) }, "sends a document that is cut off"),
        .init("trailing-octet", .envelope, .plaintext { $0 + [0x00] }, "sends an octet after its documents"),
        .init(
            "duplicate-key", .envelope, .plaintext { try answer($0, members: 1) + $0.dropFirst() },
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

    /// The begin of an answer, {"1": "1.0", with so many members more than it has.
    private static func answer(_ octets: [UInt8], members: Int) throws(AliroFaultMisfit) -> [UInt8] {
        guard octets.count > 10, octets[0] == 0xA3 else { throw AliroFaultMisfit("it is no answer with documents") }
        return [UInt8(3 + members) | 0xA0] + octets[1..<7]
    }

    /// The answer with an empty list of elements.
    private static func withoutElements(_ octets: [UInt8]) throws(AliroFaultMisfit) -> [UInt8] {
        let end = try place(of: elements, in: octets) + elements.count
        guard octets.indices.contains(end) else { throw AliroFaultMisfit("it has no element") }
        let count = elements.count + 1 + Int(octets[end])
        return try replaced(octets, elements, count: count, by: Array("aliro-a".utf8) + [0x80])
    }

    /// The first, or last, place of `part`.
    private static func place(
        of part: [UInt8], in octets: [UInt8], isLast: Bool = false
    ) throws(AliroFaultMisfit) -> Int {
        let isHere = { (place: Int) in octets[place...].starts(with: part) }
        guard let place = isLast ? octets.indices.last(where: isHere) : octets.indices.first(where: isHere) else {
            let digits = part.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
            throw AliroFaultMisfit("it does not contain \(digits)")
        }
        return place
    }

    private static func changed(
        _ octets: [UInt8], after part: [UInt8], isLast: Bool = false
    ) throws(AliroFaultMisfit) -> [UInt8] {
        try changed(octets, at: try place(of: part, in: octets, isLast: isLast) + part.count) { $0 ^ 1 }
    }

    private static func replaced(
        _ octets: [UInt8], _ part: [UInt8], count: Int, by other: [UInt8]
    ) throws(AliroFaultMisfit) -> [UInt8] {
        let place = try place(of: part, in: octets)
        return Array(octets.prefix(place) + other + octets.dropFirst(place + count))
    }
}

extension AliroPhone {
    /// No change: the issuer has to sign the fault.
    static let unissued: AliroPhoneFault.Alteration = { _ in
        throw AliroFaultMisfit("its issuer has signed it without the fault")
    }

    /// Verifies that the phone's fault can be made of its documents.
    ///
    /// - Throws: the part that a document does not have.
    public func checkFault() throws {
        guard let fault, fault.stage == .envelope else { return }
        switch fault.change {
        case .plaintext(let alter):
            let answer = answer(AliroPhone.documentTypes)
            guard try alter(answer) != answer else { throw AliroFaultMisfit("it does not differ with the fault") }
        case .issued where !isIssued: _ = try AliroPhone.unissued([])
        default: break
        }
    }
}
