// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterTLV

/// The rules of a lock's PINs, what verifies them, and the wrong ones in succession (Application Clusters 5.2).
struct LockPINs: Equatable, Sendable {
    /// A PIN for each user.
    static let maximumCount: UInt16 = 20
    /// The permitted lengths in digits. With six, wrong codes at the default rate find one of the 10⁶ in months.
    static let lengths = 6...8
    /// The length of what verifies a PIN.
    static let verifierCount = 32
    static let saltCount = 16
    /// PBKDF2's, one derivation for each order or change: 1.8 ms of OpenSSL 3.0 on an x86-64 server, not measured on a
    /// board. A stolen file still yields six digits to a search.
    private static let iterations = 10_000

    /// One salt for all PINs: a code is derived once and compared with each. Equal PINs are refused.
    let salt: [UInt8]
    /// RequirePINforRemoteOperation.
    var isRequired = true
    /// WrongCodeEntryLimit, 1 to 255.
    var wrongCodeLimit: UInt8 = 5
    /// UserCodeTemporaryDisableTime, 1 to 255 s.
    var disableSeconds: UInt8 = 60
    /// The wrong codes since the last right one.
    var wrongCodes: UInt8 = 0
    /// True while no PIN is compared. The time begins again with a restart.
    var isDisabled = false

    init(salt: [UInt8]) { self.salt = salt }

    /// The octets that verify `code`; nil unless it has a permitted length and is of digits.
    func verifier(of code: borrowing [UInt8]) -> [UInt8]? {
        guard LockPINs.lengths.contains(code.count), code.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return try? PBKDF2SHA256.derive(
            password: code.span, salt: salt.span, iterations: LockPINs.iterations, count: LockPINs.verifierCount)
    }

    /// Counts a wrong code. True if it is the last one before PINs are disabled.
    mutating func countWrongCode() -> Bool {
        wrongCodes = wrongCodes == .max ? .max : wrongCodes + 1
        isDisabled = wrongCodes >= wrongCodeLimit
        return isDisabled
    }

    /// Ends the succession of wrong codes.
    mutating func forgetWrongCodes() { (wrongCodes, isDisabled) = (0, false) }
}

// MARK: - The stored form

extension LockPINs {
    func write(into writer: inout TLVWriter, as tag: TLVTag) {
        writer.structure(as: tag) { entry in
            entry.octets(salt, as: 0)
            entry.bool(isRequired, as: 1)
            entry.unsigned(wrongCodeLimit, as: 2)
            entry.unsigned(disableSeconds, as: 3)
            entry.unsigned(wrongCodes, as: 4)
            entry.bool(isDisabled, as: 5)
        }
    }

    init(_ element: TLVElement) throws {
        let fields = try element.structure()
        salt = try fields.required(0).octets(exactly: LockPINs.saltCount)
        isRequired = try fields.required(1).bool()
        wrongCodeLimit = try fields.required(2).unsigned()
        disableSeconds = try fields.required(3).unsigned()
        wrongCodes = try fields.required(4).unsigned()
        isDisabled = try fields.required(5).bool()
        guard wrongCodeLimit > 0, disableSeconds > 0 else { throw MatterStateError.damaged }
    }
}
