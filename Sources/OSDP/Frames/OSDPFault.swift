// SPDX-License-Identifier: Apache-2.0

/// Octets of the line that cannot be used.
public enum OSDPFault: Error, Equatable, Sendable {
    /// The first octet is not the start of a message.
    case start
    /// A length that no frame has, or that differs from the number of octets.
    case length
    /// The CRC or checksum does not match.
    case check
    /// The check is valid, but reserved bits are set, or the header exceeds the frame.
    case contents
    /// The security block does not fit the frame or the direction.
    case securityBlock
    /// The MAC or the padding under it does not verify.
    case authentication
    /// No command, or no reply, has this code.
    case code(UInt8)
    /// The number of octets is invalid for a message with this code.
    case size(UInt8)
    /// A field of the message with this code has an undefined value.
    case value(UInt8)
}
