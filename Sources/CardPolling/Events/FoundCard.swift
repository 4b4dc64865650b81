// SPDX-License-Identifier: Apache-2.0

/// A card in the field, as its activation describes it.
///
/// Its identifier is missing: cheap blanks copy it, phones choose another for each touch, and it identifies nothing.
public struct FoundCard: Equatable, Sendable {
    /// The technology of ISO/IEC 14443.
    public enum Technology: String, Equatable, Sendable {
        case a = "A"
        case b = "B"
    }

    /// The technology of the activation.
    public let technology: Technology
    /// The length of the identifier in octets: 4, 7 or 10; 4 for type B.
    public let identifierCount: Int
    /// True if the identifier is random: type A with first octet 08 (ISO/IEC 14443-3, 6.5.4).
    public let hasRandomIdentifier: Bool
    /// SAK of type A; nil for type B.
    public let sak: UInt8?
    /// The answer to select of type A without its length octet, or the 12 octets of ATQB; empty without one.
    public let answer: [UInt8]
    /// True if the card takes APDUs (ISO/IEC 14443-4). Any other card has an identifier only, and proves nothing.
    public let takesAPDUs: Bool

    /// A card with these properties.
    public init(
        technology: Technology, identifierCount: Int, hasRandomIdentifier: Bool, sak: UInt8?, answer: [UInt8],
        takesAPDUs: Bool
    ) {
        self.technology = technology
        self.identifierCount = identifierCount
        self.hasRandomIdentifier = hasRandomIdentifier
        self.sak = sak
        self.answer = answer
        self.takesAPDUs = takesAPDUs
    }
}

extension FoundCard {
    /// Decodes the response of InListPassiveTarget with one card of type A (PN532 user manual, 7.3.5), without
    /// direction and code: count, number, SENS_RES, SEL_RES, identifier, ATS. Nil for any other structure.
    init?(typeA response: [UInt8]) {
        guard response.count >= 6, response[0] == 1 else { return nil }
        let (sak, length) = (response[4], Int(response[5]))
        guard [4, 7, 10].contains(length), response.count >= 6 + length else { return nil }
        let rest = response[(6 + length)...]
        // SAK bit 6: ISO/IEC 14443-4. TL counts itself (5.2.2 there).
        let takesAPDUs = sak & 0x20 != 0
        guard takesAPDUs ? rest.first.map({ Int($0) }) == rest.count : rest.isEmpty else { return nil }
        self.init(
            technology: .a, identifierCount: length, hasRandomIdentifier: length == 4 && response[6] == 0x08, sak: sak,
            answer: Array(rest.dropFirst()), takesAPDUs: takesAPDUs)
    }

    /// Decodes the response of InListPassiveTarget with one card of type B: count, number, ATQB (12 octets), the length
    /// of the answer to ATTRIB, the answer. Nil for any other structure.
    init?(typeB response: [UInt8]) {
        guard response.count >= 15, response[0] == 1, response[2] == 0x50, response.count == 15 + Int(response[14])
        else { return nil }
        let requestAnswer = Array(response[2..<14])
        // The protocol type in the second octet of the protocol information (ISO/IEC 14443-3, 7.9.4.4).
        self.init(
            technology: .b, identifierCount: 4, hasRandomIdentifier: false, sak: nil, answer: requestAnswer,
            takesAPDUs: requestAnswer[10] & 0x01 != 0)
    }
}
