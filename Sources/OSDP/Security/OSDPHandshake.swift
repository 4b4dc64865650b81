// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The handshake of the secure channel (annex D.4), the same on both sides.
public struct OSDPHandshake: Sendable {
    /// The number of octets of a random number.
    public static let randomCount = 8

    private let keys: OSDPSessionKeys
    /// The device's cryptogram, in osdp_CCRYPT.
    public let clientCryptogram: [UInt8]
    /// The panel's cryptogram, in osdp_SCRYPT.
    public let serverCryptogram: [UInt8]
    /// The initial MAC of replies, in osdp_RMAC_I.
    public let initialMAC: [UInt8]

    /// The handshake of two random numbers of eight octets.
    ///
    /// - Throws: `authentication` for other counts.
    public init(_ key: OSDPKey, panelRandom: [UInt8], deviceRandom: [UInt8]) throws(OSDPFault) {
        keys = try OSDPSessionKeys(key, panelRandom: panelRandom)
        clientCryptogram = try OSDPCipher.encrypt(
            panelRandom + deviceRandom, key: keys.encryption, vector: OSDPHandshake.zeros)
        serverCryptogram = try OSDPCipher.encrypt(
            deviceRandom + panelRandom, key: keys.encryption, vector: OSDPHandshake.zeros)
        let once = try OSDPCipher.block(serverCryptogram, key: keys.mac1)
        initialMAC = try OSDPCipher.block(once, key: keys.mac2)
    }

    private static let zeros = [UInt8](repeating: 0, count: OSDPCipher.blockCount)

    /// In constant time.
    public func isServerCryptogram(_ octets: [UInt8]) -> Bool {
        constantTimeEqual(octets.span, serverCryptogram.span)
    }

    /// In constant time.
    public func isClientCryptogram(_ octets: [UInt8]) -> Bool {
        constantTimeEqual(octets.span, clientCryptogram.span)
    }

    /// The session that begins with the initial MAC.
    public var session: OSDPSession { OSDPSession(keys, initialMAC: initialMAC) }
}
