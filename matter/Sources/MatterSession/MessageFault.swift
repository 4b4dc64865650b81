// SPDX-License-Identifier: Apache-2.0

/// A fault in the headers of a message, or in its protection.
public enum MessageFault: Error, Equatable, Sendable {
    /// The octets end within the header.
    case truncated
    /// A message version other than 0.
    case unsupportedVersion(UInt8)
    /// The reserved destination form 3.
    case reservedDestination
    /// A session type other than unicast or group.
    case reservedSessionType(UInt8)
    /// A group message, an obfuscated header (P) or a control message (C): this node has no group sessions.
    case unsupported
    /// The authentication failed, or the payload is shorter than its tag.
    case unauthentic
}
