// SPDX-License-Identifier: Apache-2.0

package import Crypto
import Octets

/// Encryption and authentication of messages on secure unicast sessions (Core 4.8): AES-CCM with the header as
/// associated data.
package enum MessageProtection {
    /// The number of octets of the tag.
    static let tagCount = 16

    /// The datagram of `payload`: header, ciphertext, tag.
    ///
    /// - Parameter source: the sender's operational node; 0 on a PASE session.
    package static func seal(
        _ payload: [UInt8], header: MessageHeader, source: UInt64, key: ArraySlice<UInt8>
    ) throws(CryptoError) -> [UInt8] {
        let associated = header.octets
        let nonce = nonce(header, source: source)
        var datagram = associated
        try AES128CCM.seal(
            payload.span, key: key.span, nonce: nonce.span, authenticating: associated.span, into: &datagram)
        return datagram
    }

    /// The payload of a datagram whose header was read.
    package static func open(
        _ datagram: [UInt8], header: MessageHeader, source: UInt64, key: ArraySlice<UInt8>
    ) throws(MessageFault) -> [UInt8] {
        let octets = datagram.span
        guard octets.count - header.count >= tagCount else { throw .unauthentic }
        let nonce = nonce(header, source: source)
        var payload: [UInt8] = []
        do {
            try AES128CCM.open(
                octets.extracting(header.count..<octets.count), key: key.span, nonce: nonce.span,
                authenticating: octets.extracting(0..<header.count), into: &payload)
        } catch {
            throw .unauthentic
        }
        return payload
    }

    /// Security flags ‖ message counter ‖ source node (4.8.1.1).
    private static func nonce(_ header: MessageHeader, source: UInt64) -> [UInt8] {
        var nonce = [header.securityFlags]
        nonce.append(littleEndian: header.counter)
        nonce.append(littleEndian: source)
        return nonce
    }
}
