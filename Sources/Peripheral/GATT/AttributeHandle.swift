/// The number by which a server's attribute is addressed; 0 is reserved (Core 5.4, Vol 3, Part F, 3.2.2).
public struct AttributeHandle: RawRepresentable, Hashable, Comparable, Sendable {
    /// The handle as PDUs have it.
    public var rawValue: UInt16
    /// The handle with this number.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// By number.
    @inlinable
    public static func < (left: AttributeHandle, right: AttributeHandle) -> Bool { left.rawValue < right.rawValue }
}
