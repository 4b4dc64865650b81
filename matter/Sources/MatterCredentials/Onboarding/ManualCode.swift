// SPDX-License-Identifier: Apache-2.0

public import MatterTLV
import Octets

/// The digits on a label: 11, or 21 with vendor and product. The check digit is the last.
public struct ManualCode: Equatable, Sendable {
    /// The identifiers in a code of 21 digits.
    public struct Product: Equatable, Sendable {
        /// The manufacturer.
        public let vendor: VendorID
        /// The product of that manufacturer.
        public let product: ProductID

        /// These identifiers.
        public init(vendor: VendorID, product: ProductID) {
            self.vendor = vendor
            self.product = product
        }
    }

    /// The upper four of the discriminator's twelve bits.
    public let shortDiscriminator: UInt8
    /// The proof of possession.
    public let passcode: SetupPasscode
    /// The identifiers; nil in a code of 11 digits.
    public let product: Product?

    /// The code of a device.
    ///
    /// - Parameter discriminator: twelve bits, of which the code holds the upper four.
    public init(discriminator: UInt16, passcode: SetupPasscode, product: Product?) {
        shortDiscriminator = UInt8(truncatingIfNeeded: discriminator >> 8 & 0xF)
        self.passcode = passcode
        self.product = product
    }

    /// Reads a code, with or without spaces and hyphens.
    public init(_ text: some StringProtocol) throws(OnboardingError) {
        var digits: [Int] = []
        for character in text where character != " " && character != "-" {
            guard character.isASCII, let digit = character.wholeNumberValue else { throw .character(character) }
            guard digits.count < 21 else { throw .length(text.count) }
            digits.append(digit)
        }
        guard digits.count == 11 || digits.count == 21 else { throw .length(digits.count) }
        guard Verhoeff.checkDigit(of: digits.dropLast()) == digits[digits.count - 1] else { throw .checkDigit }
        guard digits[0] < 8 else { throw .version(1) }
        guard (digits[0] & 4 != 0) == (digits.count == 21) else { throw .identifiers }
        let (low, high) = (ManualCode.number(digits[1...5]), ManualCode.number(digits[6...9]))
        guard low <= 0xFFFF, high <= 0x1FFF else { throw .range }
        shortDiscriminator = UInt8(digits[0] & 3) << 2 | UInt8(low >> 14)
        passcode = try SetupPasscode(UInt32(high) << 14 | UInt32(low & 0x3FFF))
        guard digits.count == 21 else {
            product = nil
            return
        }
        let identifiers = (ManualCode.number(digits[10...14]), ManualCode.number(digits[15...19]))
        guard let vendor = UInt16(exactly: identifiers.0), let product = UInt16(exactly: identifiers.1) else {
            throw .range
        }
        self.product = Product(vendor: VendorID(rawValue: vendor), product: ProductID(rawValue: product))
    }

    /// The digits without separators.
    public var text: String {
        let first = (product == nil ? 0 : 4) | shortDiscriminator >> 2
        let low = UInt32(shortDiscriminator & 3) << 14 | passcode.rawValue & 0x3FFF
        var text = "\(first)" + low.padded(to: 5) + (passcode.rawValue >> 14).padded(to: 4)
        if let product {
            text += product.vendor.rawValue.padded(to: 5) + product.product.rawValue.padded(to: 5)
        }
        return text + "\(Verhoeff.checkDigit(of: text.compactMap(\.wholeNumberValue)))"
    }

    private static func number(_ digits: ArraySlice<Int>) -> Int { digits.reduce(0) { $0 * 10 + $1 } }
}
