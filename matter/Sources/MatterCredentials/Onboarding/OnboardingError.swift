// SPDX-License-Identifier: Apache-2.0

/// The reason to refuse an onboarding code or its fields.
public enum OnboardingError: Error, Equatable, Sendable {
    /// A QR text without `MT:`.
    case prefix
    /// A character outside the code's alphabet.
    case character(Character)
    /// An invalid number of digits, of characters after `MT:`, or of additional octets.
    case length(Int)
    /// A group of characters above the range of its octets.
    case overflow
    /// A version other than 0.
    case version(UInt8)
    /// The reserved commissioning flow 3.
    case flow
    /// Padding bits other than 0.
    case padding
    /// A discriminator above 4095.
    case discriminator(UInt16)
    /// A passcode outside 1 to 99999998, or too easily guessed.
    case passcode(UInt32)
    /// A check digit that does not match the others.
    case checkDigit
    /// A group of digits above the range of its field.
    case range
    /// The first digit announces vendor and product and they are missing, or the reverse.
    case identifiers
}

extension OnboardingError: CustomStringConvertible {
    /// The reason in one line.
    public var description: String {
        switch self {
        case .prefix: "the text does not begin with MT:"
        case .character(let character): "the character \(character.debugDescription) occurs in no onboarding code"
        case .length(let count): "no onboarding code has \(count) characters"
        case .overflow: "a group of characters is no group of octets"
        case .version(let version): "version \(version) of the payload is unknown"
        case .flow: "the commissioning flow is the reserved one"
        case .padding: "the padding is not zero"
        case .discriminator(let value): "the discriminator \(value) is above 4095"
        case .passcode(let value):
            "the passcode \(value) is not from 1 to 99999998, has eight equal digits, or counts up or down"
        case .checkDigit: "the check digit does not belong to the others: a digit is mistyped"
        case .range: "a group of digits is above the range of its field"
        case .identifiers: "the first digit does not fit the number of digits"
        }
    }
}
