// SPDX-License-Identifier: Apache-2.0

/// The handle of a server's attribute; 0 is reserved (Core 5.4, Vol 3, Part F, 3.2.2).
public struct AttributeHandle: RawRepresentable, Hashable, Comparable, Sendable {
    /// The handle in PDUs.
    public var rawValue: UInt16
    /// The handle with this number.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// The numerical order.
    @inlinable
    public static func < (left: AttributeHandle, right: AttributeHandle) -> Bool { left.rawValue < right.rawValue }
}
