// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterInteraction
import MatterTLV
import Timekeeping

/// PINs with orders over Matter (features PIN and COTA; the lock has no keypad).
extension NodeModel {
    /// PIN and COTA.
    static let pinFeatures: UInt32 = 0x81
    static let pinRuleAttributes = [
        AttributeDeclaration(0x30, writePrivilege: .administer),
        AttributeDeclaration(0x31, writePrivilege: .administer),
        AttributeDeclaration(0x33, writePrivilege: .administer),
    ]

    func readPINs(_ attribute: AttributeID, _ writer: inout TLVWriter, _ tag: TLVTag) -> Bool {
        guard let pins = state.pins else { return false }
        switch attribute {
        case 0x12: writer.unsigned(LockPINs.maximumCount, as: tag)
        case 0x17: writer.unsigned(UInt8(LockPINs.lengths.upperBound), as: tag)
        case 0x18: writer.unsigned(UInt8(LockPINs.lengths.lowerBound), as: tag)
        case 0x30: writer.unsigned(pins.wrongCodeLimit, as: tag)
        case 0x31: writer.unsigned(pins.disableSeconds, as: tag)
        case 0x33: writer.bool(pins.isRequired, as: tag)
        default: return false
        }
        return true
    }

    mutating func writePINs(_ attribute: AttributeID, _ operation: WriteOperation) throws(StatusInformation) {
        guard var pins = state.pins else { throw StatusInformation(.unsupportedWrite) }
        func positive() throws(StatusInformation) -> UInt8 {
            let value: UInt8 = try operation.value { element throws(TLVError) in try element.unsigned() }
            guard value > 0 else { throw StatusInformation(.constraintError) }
            return value
        }
        switch attribute {
        case 0x30: pins.wrongCodeLimit = try positive()
        case 0x31: pins.disableSeconds = try positive()
        case 0x33: pins.isRequired = try operation.value { element throws(TLVError) in try element.bool() }
        default: throw StatusInformation(.unsupportedWrite)
        }
        state.pins = pins
    }

    /// Makes the salt of a new lock, and begins the time in which no PIN is compared: after a restart as a whole.
    mutating func preparePINs(at now: Instant) {
        guard lock.traits.hasPINs else { return }
        if state.pins == nil { state.pins = LockPINs(salt: random.octets(LockPINs.saltCount)) }
        guard let pins = state.pins, pins.isDisabled, lock.pinsEnabledAt == nil else { return }
        lock.pinsEnabledAt = now + .seconds(Int(pins.disableSeconds))
    }

    /// Ends the time in which no PIN is compared.
    mutating func advancePINs(to now: Instant) {
        guard let due = lock.pinsEnabledAt, due <= now else { return }
        lock.pinsEnabledAt = nil
        state.pins?.forgetWrongCodes()
    }

    /// Returns the PIN of an order; nil for an order without one that needs none.
    ///
    /// A wrong code is counted before the answer, durably, since replies wait for the state's storage.
    mutating func authorize(
        _ action: LockAction, _ author: LockAuthor, _ call: Invocation, field: UInt8
    ) throws(StatusInformation) -> LockCredential? {
        guard let pins = state.pins else { return nil }
        guard call.fields.has(field) else {
            guard pins.isRequired else { return nil }
            throw refusePIN(action, author, .invalidCredential, .missing, call)
        }
        guard !pins.isDisabled else { throw refusePIN(action, author, .restricted, .disabled, call) }
        var code = try call.fields.octets(field)
        defer { wipeSecret(&code) }
        let credential = pins.verifier(of: code).flatMap { state.users.credential(with: $0) }
        if let credential, let user = state.users.user(credential.user), user.mayOrder {
            if pins.wrongCodes > 0 { state.pins?.forgetWrongCodes() }
            return credential
        }
        // The PIN of a user without access is no valid one either.
        let isLast = state.pins?.countWrongCode() ?? true
        if isLast { alarm(.wrongCodeLimit, at: call.now) }
        var author = author
        author.credential = credential
        let error: LockOperationError =
            switch credential.flatMap({ state.users.user($0.user) }) {
            case nil: .invalidCredential
            case let user?: user.isEnabled ? .restricted : .disabledUser
            }
        throw refusePIN(action, author, error, isLast ? .lastWrong : .wrong, call)
    }

    private mutating func refusePIN(
        _ action: LockAction, _ author: LockAuthor, _ error: LockOperationError, _ reason: PINRefusal,
        _ call: Invocation
    ) -> StatusInformation {
        refuseLock(action, author, error: error, at: call.now)
        notice(.pinRefused(action, by: call.author, reason))
        return StatusInformation(.failure)
    }
}
