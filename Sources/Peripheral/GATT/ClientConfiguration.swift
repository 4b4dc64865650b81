// SPDX-License-Identifier: Apache-2.0

/// A client characteristic configuration (Core 5.4, Vol 3, Part G, 3.3.3.3).
public struct ClientConfiguration: OptionSet, Hashable, Sendable {
    /// The two octets as the client writes them.
    public var rawValue: UInt16
    /// The configuration with these bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// The server may notify.
    public static let notification = ClientConfiguration(rawValue: 0x0001)
    /// The server may indicate.
    public static let indication = ClientConfiguration(rawValue: 0x0002)
}
