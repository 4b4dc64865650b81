// SPDX-License-Identifier: Apache-2.0

/// The passcode that proves possession of a device's label.
public struct SetupPasscode: Hashable, Sendable {
    /// The number, printed with eight digits.
    public let rawValue: UInt32

    /// The passcode `value`.
    ///
    /// - Throws: `passcode` outside 1 to 99999998, for eight equal digits, and for 12345678 and 87654321.
    public init(_ value: UInt32) throws(OnboardingError) {
        guard (1...99_999_998).contains(value), !value.isMultiple(of: 11_111_111), value != 12_345_678,
            value != 87_654_321
        else { throw .passcode(value) }
        rawValue = value
    }
}
