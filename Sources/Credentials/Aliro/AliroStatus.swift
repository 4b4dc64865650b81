// SPDX-License-Identifier: Apache-2.0

/// The reader status that ends a transaction (tag 97 of EXCHANGE): 01 first for a granted access, 00 for a failure.
enum AliroStatus: UInt16 {
    case unknownCredential = 0x0001
    case expired = 0x0002
    case notTrusted = 0x0003
    case invalidSignature = 0x0004
    case format = 0x0006
    case content = 0x0007
    case noKeySlot = 0x0021
    case noPublicKey = 0x0022
    case noSignature = 0x0023
    case noAccessRight = 0x0025
    case unsecured = 0x0101
    case unknownState = 0x0182

    /// The plaintext of EXCHANGE.
    var message: [UInt8] { [0x97, 0x02, UInt8(rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)] }
}

/// The signaling bitmap of a phone (tag 5E): the bits that the reader uses.
struct AliroSignals: OptionSet {
    let rawValue: UInt16
    static let accessDocument = AliroSignals(rawValue: 1 << 0)
    static let revocationDocument = AliroSignals(rawValue: 1 << 1)
    /// The step-up application has to be selected before ENVELOPE.
    static let stepUpSelection = AliroSignals(rawValue: 1 << 2)
    /// The mailbox is not empty.
    static let mailboxContents = AliroSignals(rawValue: 1 << 3)
    static let mailboxReads = AliroSignals(rawValue: 1 << 4)
    static let mailboxWrites = AliroSignals(rawValue: 1 << 5)
    /// The mailbox is there in the step-up phase as well.
    static let mailboxInStepUp = AliroSignals(rawValue: 1 << 10)
}
