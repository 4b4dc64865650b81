// SPDX-License-Identifier: Apache-2.0

/// A number that identifies something in the data model. An integer literal is such a number.
public protocol MatterIdentifier: RawRepresentable, Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral
where RawValue: FixedWidthInteger & UnsignedInteger & Sendable, IntegerLiteralType == RawValue {
    /// The identifier with this number.
    init(rawValue: RawValue)
}

extension MatterIdentifier {
    /// The identifier `value`.
    public init(integerLiteral value: RawValue) { self.init(rawValue: value) }

    /// The numeric order.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// An operational node, 1 to 0xFFFF_FFEF_FFFF_FFFF; above, subjects of other kinds.
public struct NodeID: MatterIdentifier {
    /// The number.
    public let rawValue: UInt64
    /// The identifier with this number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// True for the range of operational nodes.
    public var isOperational: Bool { (1...0xFFFF_FFEF_FFFF_FFFF).contains(rawValue) }

    /// The CASE authenticated tag of a subject in the range 0xFFFF_FFFD_xxxx_xxxx.
    public var authenticatedTag: CASEAuthenticatedTag? {
        rawValue >> 32 == 0xFFFF_FFFD ? CASEAuthenticatedTag(rawValue: UInt32(truncatingIfNeeded: rawValue)) : nil
    }
}

/// A tag in a node's operational certificate that makes it a member of a group of administrators: identifier in the
/// upper half, version in the lower half.
public struct CASEAuthenticatedTag: MatterIdentifier {
    /// The number.
    public let rawValue: UInt32
    /// The identifier with this number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The identifier of the group.
    public var identifier: UInt16 { UInt16(rawValue >> 16) }
    /// The version, 1 or higher in a valid tag.
    public var version: UInt16 { UInt16(truncatingIfNeeded: rawValue) }
}

/// A fabric in the scope of its root key.
public struct FabricID: MatterIdentifier {
    /// The number.
    public let rawValue: UInt64
    /// The identifier with this number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A fabric in the table of this node, 1 to 254.
public struct FabricIndex: MatterIdentifier {
    /// The number.
    public let rawValue: UInt8
    /// The identifier with this number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
}

/// A manufacturer.
public struct VendorID: MatterIdentifier {
    /// The number.
    public let rawValue: UInt16
    /// The identifier with this number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// A product of a manufacturer.
public struct ProductID: MatterIdentifier {
    /// The number.
    public let rawValue: UInt16
    /// The identifier with this number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// An endpoint of a node; 0 is the root.
public struct EndpointNumber: MatterIdentifier {
    /// The number.
    public let rawValue: UInt16
    /// The identifier with this number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// A cluster.
public struct ClusterID: MatterIdentifier {
    /// The number.
    public let rawValue: UInt32
    /// The identifier with this number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// An attribute of a cluster.
public struct AttributeID: MatterIdentifier {
    /// The number.
    public let rawValue: UInt32
    /// The identifier with this number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The commands that the cluster generates.
    public static let generatedCommandList: AttributeID = 0xFFF8
    /// The commands that the cluster accepts.
    public static let acceptedCommandList: AttributeID = 0xFFF9
    /// All attributes of the cluster.
    public static let attributeList: AttributeID = 0xFFFB
    /// The features of the cluster.
    public static let featureMap: AttributeID = 0xFFFC
    /// The revision of the cluster.
    public static let clusterRevision: AttributeID = 0xFFFD
}

/// A command of a cluster.
public struct CommandID: MatterIdentifier {
    /// The number.
    public let rawValue: UInt32
    /// The identifier with this number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// An event of a cluster.
public struct EventID: MatterIdentifier {
    /// The number.
    public let rawValue: UInt32
    /// The identifier with this number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// A device type.
public struct DeviceTypeID: MatterIdentifier {
    /// The number.
    public let rawValue: UInt32
    /// The identifier with this number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}
