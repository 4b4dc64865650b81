// SPDX-License-Identifier: Apache-2.0

/// An L2CAP channel ID (Core 5.4, Vol 3, Part A, 2.1, table 2.2).
public struct L2CAPChannelID: RawRepresentable, Hashable, Sendable {
    /// The number in the basic header.
    public var rawValue: UInt16
    /// The channel with this number, fixed or not.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The Attribute protocol.
    public static let attribute = L2CAPChannelID(rawValue: 0x0004)
    /// LE signalling.
    public static let signalling = L2CAPChannelID(rawValue: 0x0005)
    /// The Security Manager protocol.
    public static let securityManager = L2CAPChannelID(rawValue: 0x0006)
}
