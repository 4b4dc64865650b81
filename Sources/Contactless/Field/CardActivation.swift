// SPDX-License-Identifier: Apache-2.0

/// The values by which a card describes itself to the reader that activates it.
public struct CardActivation: Equatable, Sendable {
    /// The technology of ISO/IEC 14443.
    public enum Technology: String, CaseIterable, Sendable {
        case a
        case b
    }

    /// SAK of a card that takes APDUs (ISO/IEC 14443-3, 6.5.3).
    public static let takesAPDUs: UInt8 = 0x20
    /// The lengths of an identifier of type A, in octets.
    public static let identifierCounts = [4, 7, 10]
    /// The maximum length of an answer to select without its length octet: a frame has 256 octets.
    public static let answerLimit = 253

    /// The technology.
    public var technology: Technology
    /// SAK of type A.
    public var sak: UInt8
    /// UID, or PUPI of type B (4 octets).
    public var identifier: [UInt8]
    /// The answer to select without its length octet; empty for type B, and for a card without ISO/IEC 14443-4.
    public var answer: [UInt8]

    /// A card with these values.
    ///
    /// - Throws: a sentence about the value that no card has.
    public init(
        _ technology: Technology = .a, sak: UInt8 = takesAPDUs, identifier: [UInt8], answer: [UInt8] = usualAnswer
    ) throws(ActivationFault) {
        let counts = technology == .a ? CardActivation.identifierCounts : [4]
        guard counts.contains(identifier.count) else {
            throw ActivationFault("an identifier of \(identifier.count) octets; type A has 4, 7 or 10, type B 4")
        }
        guard answer.count <= CardActivation.answerLimit else {
            throw ActivationFault(
                "an answer to select of \(answer.count) octets; \(CardActivation.answerLimit) at most")
        }
        (self.technology, self.sak, self.identifier) = (technology, sak, identifier)
        self.answer = technology == .a && sak & CardActivation.takesAPDUs != 0 ? answer : []
    }

    /// A card of type A with a random identifier, as phones have it: the first octet is 08 (ISO/IEC 14443-3, 6.5.4).
    public init(random octets: (UInt8, UInt8, UInt8)) {
        (technology, sak) = (.a, CardActivation.takesAPDUs)
        (identifier, answer) = ([0x08, octets.0, octets.1, octets.2], CardActivation.usualAnswer)
    }

    /// T0, TA1, TB1, TC1 of many cards: frames of 256 octets, and a frame waiting time of 38.7 ms.
    public static let usualAnswer: [UInt8] = [0x78, 0x80, 0x70, 0x02]

    /// The card in the response of InListPassiveTarget, without the target's number (PN532 user manual UM0701-02,
    /// 7.3.5).
    var listed: [UInt8] {
        switch technology {
        case .a:
            // SENS_RES: the length of the identifier in bits 7 and 8, one bit of bit frame anticollision.
            let size = UInt8(CardActivation.identifierCounts.firstIndex(of: identifier.count) ?? 0)
            let activated = sak & CardActivation.takesAPDUs != 0 ? [UInt8(answer.count + 1)] + answer : []
            return [0x00, size << 6 | 0x04, sak, UInt8(identifier.count)] + identifier + activated
        case .b:
            // ATQB: no application data; 106 kbit/s, frames of 256 octets, ISO/IEC 14443-4, FWI 8.
            return [0x50] + identifier + [0x00, 0x00, 0x00, 0x00, 0x00, 0x81, 0x81] + [0x01, 0x00]
        }
    }
}

/// A value of an activation that no card has.
public struct ActivationFault: Error, CustomStringConvertible {
    /// The value in a line.
    public let description: String

    init(_ description: String) { self.description = description }
}
