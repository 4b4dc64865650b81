// SPDX-License-Identifier: Apache-2.0

public import MatterTLV

/// The priority of an event, with its number in EventDataIB.
public enum EventPriority: UInt8, Comparable, Sendable, CaseIterable {
    case debug = 0
    case info
    case critical

    /// The order of importance.
    public static func < (left: EventPriority, right: EventPriority) -> Bool { left.rawValue < right.rawValue }
}

/// The time of an event.
public enum EventTime: Hashable, Sendable {
    /// Milliseconds since 1970.
    case epoch(milliseconds: UInt64)
    /// Milliseconds since the node started.
    case system(milliseconds: UInt64)
}

/// An event that occurred.
public struct EventRecord: Equatable, Sendable {
    /// The maximum number of octets of `data`: an event must fit into one report.
    public static let largestData = 512

    /// The event.
    public var path: EventPath
    /// The priority.
    public var priority: EventPriority
    /// The only fabric that may read the event; nil for every fabric.
    public var fabric: FabricIndex?
    /// The time.
    public var time: EventTime
    /// The fields: a TLV structure with an anonymous tag.
    public var data: [UInt8]

    /// An event.
    public init(_ path: EventPath, priority: EventPriority, fabric: FabricIndex? = nil, time: EventTime, data: [UInt8])
    {
        self.path = path
        self.priority = priority
        self.fabric = fabric
        self.time = time
        self.data = data
    }
}
