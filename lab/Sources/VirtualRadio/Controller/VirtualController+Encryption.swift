// SPDX-License-Identifier: Apache-2.0

import Crypto
import Octets
import Peripheral

/// Encryption of blocks and links (Core 5.4, Vol 4, Part E, 7.8.22, 7.8.24 to 7.8.26; Vol 6, Part B, 5.1.3).
///
/// On links nothing is encrypted: the central's key is sent over the link with its identifiers, and compared with the
/// peripheral's. Data in transit meanwhile is not held back.
extension VirtualController {
    /// LE Encrypt (7.8.22): AES-128, with the least significant octet of each value first.
    func encrypt(_ parameters: inout CommandParameters) throws(CommandRefusal) -> [UInt8] {
        let key = Array(try parameters.consume(16).reversed()), plain = Array(try parameters.consume(16).reversed())
        guard let encrypted = try? AES128Block.encrypt(plain.span, key: key.span) else {
            throw .blameless(ControllerStatus.unspecifiedError)
        }
        return encrypted.indices.reversed().map { encrypted[$0] }
    }

    /// LE Enable Encryption (7.8.24); on an encrypted link, the key is refreshed.
    func enableEncryption(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        let end = try link(&parameters)
        guard end.role == .central else { throw .violation(.commandDisallowed, "a peripheral cannot encrypt") }
        guard !end.isEncrypting else { throw .violation(.commandDisallowed, "encryption is being started") }
        let name = try parameters.consume(10)
        end.isEncrypting = true
        end.control.append(.encryptionRequest(name: name, key: try parameters.consume(16)))
    }

    /// LE Long Term Key Request Reply (7.8.25).
    func replyKey(_ parameters: inout CommandParameters) throws(CommandRefusal) -> [UInt8] {
        let end = try link(&parameters)
        let asked = try takeAskedKey(end)
        end.control.append(.encryptionStart(sameKey: try parameters.consume(16) == asked))
        return handleOctets(end)
    }

    /// LE Long Term Key Request Negative Reply (7.8.26). A link that was encrypted before is terminated.
    func refuseKey(_ parameters: inout CommandParameters) throws(CommandRefusal) -> [UInt8] {
        let end = try link(&parameters)
        _ = try takeAskedKey(end)
        rejectEncryption(end)
        return handleOctets(end)
    }

    private func takeAskedKey(_ end: LinkEnd) throws(CommandRefusal) -> [UInt8] {
        guard let asked = end.askedKey else { throw .violation(.commandDisallowed, "no key was asked for") }
        end.askedKey = nil
        return asked
    }

    private func rejectEncryption(_ end: LinkEnd) {
        let missing = ControllerStatus.keyMissing.rawValue
        guard end.isEncrypted, !end.isTerminating else { return end.control.append(.rejectEncryption(reason: missing)) }
        end.isTerminating = true
        end.control.insert(.terminate(reason: missing), at: 0)
    }

    /// Handles the central's encryption request: LE Long Term Key Request (7.7.65.5), if unmasked.
    func encryptionAsked(_ end: LinkEnd, name: [UInt8], key: [UInt8]) {
        guard wants(Subevent.longTermKeyRequest) else { return rejectEncryption(end) }
        end.askedKey = key
        emit(subevent: Subevent.longTermKeyRequest, handleOctets(end) + name)
    }

    /// Completes encryption with equal keys: Encryption Change (7.7.8), or Encryption Key Refresh Complete (7.7.39)
    /// if the link was encrypted before.
    func encryptionStarted(_ end: LinkEnd) {
        end.isEncrypting = false
        let success = [HCIStatus.success.rawValue] + handleOctets(end)
        if end.isEncrypted {
            emit(EventCode.keyRefreshComplete, success)
        } else {
            end.isEncrypted = true
            emit(EventCode.encryptionChange, success + [1])
        }
    }

    /// Handles the rejection: the peripheral has no key.
    func encryptionRejected(_ end: LinkEnd, reason: UInt8) {
        end.isEncrypting = false
        emit(EventCode.encryptionChange, [reason] + handleOctets(end) + [0])
    }
}
