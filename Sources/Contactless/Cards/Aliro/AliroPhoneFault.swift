// SPDX-License-Identifier: Apache-2.0

/// A fault of an Aliro phone, by its name: what the phone does, and what a right reader does then.
public struct AliroPhoneFault: Sendable {
    /// A right reader's reaction.
    public enum Reaction: Sendable {
        /// CONTROL FLOW before keys exist, or EXCHANGE with a status whose first octet is 00. The door stays shut.
        case refuses
        /// The phone is served as if it had no fault.
        case goesOn
        /// The door stays shut: the phone has left, or what it sends has no end.
        case staysShut
        /// The door has opened before the fault shows.
        case hasOpened
        /// Without a clock the door stays shut; with one the phone is served.
        case needsClock
    }

    /// A change of octets.
    ///
    /// - Throws: `AliroFaultMisfit` if the octets do not have the place to change.
    package typealias Alteration = @Sendable ([UInt8]) throws -> [UInt8]

    /// The change of a response.
    package enum Change: Sendable {
        /// The data before the status word.
        case data(Alteration)
        /// The data before it is sealed, if it is.
        case plaintext(Alteration)
        /// Octets instead of the response and its status word.
        case raw([UInt8])
        /// Documents that the issuer has signed with the fault.
        case issued(@Sendable (inout AliroIssue) throws -> Void)
        /// No response to this command and to all later ones.
        case leave
        /// Responses that promise more, for ever.
        case endless
        /// The element A5 of the response to SELECT.
        case application([UInt8])
        /// AUTH1 signed by another key.
        case otherSigner
        /// The answer to AUTH1 of the transaction before.
        case replay
        /// A message sealed with the reader's key, in the reader's direction.
        case reflection

        /// A status word instead of the response.
        package static func word(_ word: UInt16) -> Change { .raw([UInt8(word >> 8), UInt8(word & 0xFF)]) }
    }

    /// The name.
    public let name: String
    /// The phone's action in a sentence without a subject: "sends …".
    public let action: String
    /// A right reader's reaction.
    public let reaction: Reaction
    let stage: AliroPhone.Stage
    let change: Change

    init(_ name: String, _ stage: AliroPhone.Stage, _ change: Change, _ action: String, _ reaction: Reaction = .refuses)
    {
        (self.name, self.stage, self.change, self.action, self.reaction) = (name, stage, change, action, reaction)
    }

    /// The fault with this name; nil if it does not exist.
    public static func named(_ name: String) -> AliroPhoneFault? { all.first { $0.name == name } }

    /// All faults, in the order of the stages.
    public static let all = selection + authentication0 + authentication1 + documents + issued + ends

    private static let selection: [AliroPhoneFault] = [
        .init(
            "old-version", .select, .application([0xA5, 0x08, 0x80, 0x02, 0x00, 0x00, 0x5C, 0x02, 0x00, 0x09]),
            "offers version 0.9 only"),
        .init(
            "odd-versions", .select, .application([0xA5, 0x07, 0x80, 0x02, 0x00, 0x00, 0x5C, 0x01, 0x01]),
            "sends a list of versions of an odd length"),
        .init(
            "other-type", .select, .application([0xA5, 0x08, 0x80, 0x02, 0x00, 0x01, 0x5C, 0x02, 0x01, 0x00]),
            "names another type of application"),
        .init("cut-select", .select, .data { Array($0.dropLast(3)) }, "cuts the response to SELECT"),
        .init(
            "long-select", .select, .data { try changed($0, at: 1) { $0 &+ 9 } }, "announces more octets than it sends"),
        .init("other-name", .select, .data { try changed($0, at: 4) { $0 ^ 1 } }, "answers for another application"),
        .init("word-select", .select, .word(0x6985), "refuses SELECT with 6985"),
        .init("leaves-select", .select, .leave, "leaves at SELECT", .staysShut),
    ]

    // 86 41 and the point, then maybe 9D 40 and the cryptogram.
    private static let authentication0: [AliroPhoneFault] = [
        .init(
            "extra-auth0", .authenticate0, .data { $0 + [0x9F, 0x02, 1, 2] }, "adds an unknown element to AUTH0",
            .goesOn),
        .init("cut-auth0", .authenticate0, .data { Array($0.prefix(40)) }, "cuts the response to AUTH0"),
        .init(
            "long-auth0", .authenticate0, .data { [0x86, 0x82, 0xFF, 0xFF] + $0.dropFirst(2) },
            "announces 65,535 octets"),
        .init("off-curve", .authenticate0, .data { try changed($0, at: 66) { $0 ^ 1 } }, "sends a point off the curve"),
        .init("compressed-auth0", .authenticate0, .data { try compressed($0) }, "sends a compressed point in AUTH0"),
        .init(
            "other-cryptogram", .authenticate0, .data { Array($0.prefix(67)) + ($0.count > 67 ? [] : cryptogram) },
            "sends a cryptogram that is not requested, or omits the requested one"),
        .init("word-auth0", .authenticate0, .word(0x6A80), "refuses AUTH0 with 6A80"),
        .init("endless-auth0", .authenticate0, .endless, "answers AUTH0 without end", .staysShut),
        .init("leaves-auth0", .authenticate0, .leave, "leaves at AUTH0", .staysShut),
    ]

    // 5A 41 and the point, 9E 40 and the signature, 5E 02 and the signals.
    private static let authentication1: [AliroPhoneFault] = [
        .init(
            "extra-auth1", .authenticate1, .plaintext { $0 + [0x9F, 0x02, 1, 2] }, "adds an unknown element to AUTH1",
            .goesOn),
        .init(
            "wrong-signature", .authenticate1, .plaintext { try changed($0, at: 100) { $0 ^ 1 } },
            "sends a changed signature"),
        .init("other-signer", .authenticate1, .otherSigner, "has the credential's point, and not its private key"),
        .init("no-signature", .authenticate1, .plaintext { try without($0, 67..<133) }, "omits the signature"),
        .init("no-signals", .authenticate1, .plaintext { try without($0, 133..<137) }, "omits the signals"),
        .init("no-key", .authenticate1, .plaintext { try without($0, 0..<67) }, "omits its point"),
        .init(
            "key-slot", .authenticate1,
            .plaintext { [0x4E, 0x08] + [UInt8](repeating: 0, count: 8) + $0.dropFirst(67) },
            "sends a key slot instead of its point"),
        .init(
            "compressed-auth1", .authenticate1, .plaintext { try compressed($0) }, "sends a compressed point in AUTH1"),
        .init("cut-auth1", .authenticate1, .plaintext { Array($0.prefix(70)) }, "cuts the plaintext of AUTH1"),
        .init("twice-auth1", .authenticate1, .plaintext { $0 + $0.prefix(67) }, "sends its point twice"),
        .init(
            "changed-ciphertext", .authenticate1, .data { try changed($0, at: 10) { $0 ^ 1 } },
            "changes a bit of the ciphertext"),
        .init(
            "changed-tag", .authenticate1, .data { try changed($0, at: $0.count - 1) { $0 ^ 1 } },
            "changes a bit of the tag"),
        .init("empty-auth1", .authenticate1, .data { _ in [] }, "answers AUTH1 with no octets"),
        .init("replayed-auth1", .authenticate1, .replay, "repeats the answer to the AUTH1 before; present it twice"),
        .init("reflected-auth1", .authenticate1, .reflection, "seals AUTH1 as the reader does"),
        .init("word-auth1", .authenticate1, .word(0x6982), "refuses AUTH1 with 6982"),
        .init(
            "too-long-auth1", .authenticate1, .data { $0 + [UInt8](repeating: 0, count: AliroPhone.longCount) },
            "answers AUTH1 with more than 4,096 octets", .staysShut),
        .init("endless-auth1", .authenticate1, .endless, "answers AUTH1 without end", .staysShut),
        .init("leaves-auth1", .authenticate1, .leave, "leaves at AUTH1", .staysShut),
    ]

    private static let ends: [AliroPhoneFault] = [
        .init("word-exchange", .exchange, .word(0x6900), "refuses the final EXCHANGE with 6900", .hasOpened),
        .init(
            "wrong-end", .exchange, .plaintext { _ in [0, 2, 0xFF, 0xFF] }, "reports a failure of the final EXCHANGE",
            .hasOpened),
        .init("leaves-exchange", .exchange, .leave, "leaves at the final EXCHANGE", .hasOpened),
    ]

    private static let cryptogram: [UInt8] = [0x9D, 0x40] + [UInt8](repeating: 0, count: 64)

    static func changed(
        _ octets: [UInt8], at place: Int, _ change: (UInt8) -> UInt8
    ) throws(AliroFaultMisfit) -> [UInt8] {
        guard octets.indices.contains(place) else { throw AliroFaultMisfit("it has \(octets.count) octets") }
        var octets = octets
        octets[place] = change(octets[place])
        return octets
    }

    static func without(_ octets: [UInt8], _ places: Range<Int>) throws(AliroFaultMisfit) -> [UInt8] {
        guard places.upperBound <= octets.count else { throw AliroFaultMisfit("it has \(octets.count) octets") }
        return Array(octets.prefix(places.lowerBound) + octets.dropFirst(places.upperBound))
    }

    /// The point that begins the octets, in its compressed form.
    private static func compressed(_ octets: [UInt8]) throws(AliroFaultMisfit) -> [UInt8] {
        guard octets.count >= 67 else { throw AliroFaultMisfit("it has no point of 65 octets") }
        return [octets[0], 33, 2 | octets[66] & 1] + octets[3..<35] + octets[67...]
    }
}

/// A fault that cannot be made: a response, or a document, of another layout than the fault changes.
public struct AliroFaultMisfit: Error, CustomStringConvertible {
    /// The reason in a sentence.
    public let description: String

    init(_ description: String) { self.description = description }
}

extension AliroPhone {
    /// The findings about the reader at the end of a transaction: the rules that it has broken, and a wrong reaction to
    /// the fault.
    public var findings: [String] { tap.findings + (wrongReaction.map { [$0] } ?? []) }

    private var wrongReaction: String? {
        guard let fault, tap.hasFailed else { return nil }
        switch fault.reaction {
        case .refuses:
            if tap.isGranted { return "the reader opens for a phone that \(fault.action)" }
            let refuses = tap.control?.first == 0x00 || tap.status?.first == 0x00
            return refuses ? nil : "the reader ends without CONTROL FLOW or a status for a phone that \(fault.action)"
        case .staysShut: return tap.isGranted ? "the reader opens for a phone that \(fault.action)" : nil
        case .goesOn where tap.status == nil: return "the reader does not go on with a phone that \(fault.action)"
        case .goesOn, .hasOpened, .needsClock: return nil
        }
    }
}
