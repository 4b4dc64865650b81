import Octets

/// What a client did that the device should know.
public enum GATTEvent: Equatable, Sendable {
    /// A value that the server does not store, or whose writes it reports, was written, whole; `value` is a range of the
    /// events' octets.
    case written(AttributeHandle, value: Range<Int>, withResponse: Bool)
    /// The client set the configuration of the characteristic whose value has this handle, be it to what it was.
    case subscribed(AttributeHandle, ClientConfiguration)
    /// The client exchanged MTUs, and this is the link's ATT_MTU from now on.
    case mtuExchanged(Int)
    /// The client asks for a value that the device handles, from this offset on; to be answered with the whole value by
    /// `respond`, or by `refuse`.
    case readRequested(AttributeRequest, AttributeHandle, offset: Int)
    /// The client wants to write a value that the device handles; to be answered by `accept` or `refuse`. `value` is a
    /// range of the events' octets.
    case writeRequested(AttributeRequest, AttributeHandle, value: Range<Int>)
    /// The client has confirmed the indication of this value.
    case confirmed(AttributeHandle)
    /// What is to be kept of a bonded client has changed in other ways than by `subscribed`.
    case clientStateChanged
}

/// Events in the order in which they happened, with the octets they speak of; the memory is used again.
public struct GATTEvents: Sendable {
    /// The events since the last `removeAll`.
    public var events: [GATTEvent] = []
    /// The values of the written attributes, one after the other.
    public var octets: [UInt8] = []

    /// No events.
    public init() {}

    /// Keeps a value, and says where it is.
    mutating func append(_ value: Span<UInt8>) -> Range<Int> {
        let start = octets.count
        octets.append(value)
        return start..<octets.count
    }

    /// Forgets the events and keeps the memory.
    public mutating func removeAll() {
        events.removeAll(keepingCapacity: true)
        octets.removeAll(keepingCapacity: true)
    }
}
