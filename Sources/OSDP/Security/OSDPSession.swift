// SPDX-License-Identifier: Apache-2.0

import Crypto

/// A session of the secure channel (annex D.5): MAC chain and encryption of commands and replies. It serves the device,
/// the panel and an observer, since each frame states its direction.
public struct OSDPSession: Sendable {
    private let keys: OSDPSessionKeys
    private var commandMAC: [UInt8]
    private var replyMAC: [UInt8]

    init(_ keys: OSDPSessionKeys, initialMAC: [UInt8]) {
        self.keys = keys
        commandMAC = initialMAC
        replyMAC = initialMAC
    }

    /// Each direction starts from the last MAC of the other.
    private func vector(isReply: Bool) -> [UInt8] { isReply ? commandMAC : replyMAC }

    private mutating func step(_ mac: [UInt8], isReply: Bool) {
        if isReply { replyMAC = mac } else { commandMAC = mac }
    }

    /// A frame in clear with its data encrypted, if it has any, and its MAC.
    public mutating func seal(_ frame: OSDPFrame) throws(OSDPFault) -> OSDPFrame {
        var sealed = frame
        let vector = vector(isReply: frame.isReply)
        if frame.data.isEmpty {
            sealed.security = OSDPSecurityBlock(frame.isReply ? .replyWithMAC : .commandWithMAC)
        } else {
            sealed.security = OSDPSecurityBlock(frame.isReply ? .encryptedReply : .encryptedCommand)
            sealed.data = try OSDPCipher.encrypt(
                OSDPCipher.padded(frame.data), key: keys.encryption, vector: vector.map { ~$0 })
        }
        let mac = try OSDPCipher.mac(sealed.authenticated, keys, vector: vector)
        sealed.mac = Array(mac.prefix(OSDPFrame.macCount))
        step(mac, isReply: frame.isReply)
        return sealed
    }

    /// Verifies and decrypts a frame with a MAC, and returns its data. An error leaves the session unchanged.
    ///
    /// - Throws: `authentication` for a wrong MAC; `securityBlock` if the frame has none.
    public mutating func open(_ frame: OSDPFrame) throws(OSDPFault) -> [UInt8] {
        guard let kind = frame.security?.kind, kind.hasMAC else { throw .securityBlock }
        let vector = vector(isReply: frame.isReply)
        let mac = try OSDPCipher.mac(frame.authenticated, keys, vector: vector)
        let expected = Array(mac.prefix(OSDPFrame.macCount))
        guard constantTimeEqual(expected.span, frame.mac.span) else { throw .authentication }
        var data = frame.data
        if kind.isEncrypted, !data.isEmpty {
            data = try OSDPCipher.unpadded(
                OSDPCipher.decrypt(data, key: keys.encryption, vector: vector.map { ~$0 }))
        }
        step(mac, isReply: frame.isReply)
        return data
    }
}
