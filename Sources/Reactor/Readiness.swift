import CLinux

/// What a watch waits for.
public struct Interest: OptionSet, Hashable, Sendable {
    /// The set as bits.
    public var rawValue: UInt8
    /// The set with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Octets, a connection or an end can be read without waiting.
    public static let readable = Interest(rawValue: 1)
    /// Octets can be written without waiting.
    public static let writable = Interest(rawValue: 2)
}

/// What is the matter with a watched descriptor.
public struct Readiness: OptionSet, Hashable, Sendable {
    /// The set as bits.
    public var rawValue: UInt8
    /// The set with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// A read does not wait. With `hangup` or `error` it may tell nothing but the end or its reason.
    public static let readable = Readiness(rawValue: 1)
    /// A write does not wait. With `hangup` or `error` it tells the reason.
    public static let writable = Readiness(rawValue: 2)
    /// The other end sends nothing any more, or is gone; what it sent before can still be read.
    public static let hangup = Readiness(rawValue: 4)
    /// The descriptor is in error; a read, a write or SO_ERROR tells which.
    public static let error = Readiness(rawValue: 8)

    /// What epoll's flags say to one with this interest. An end counts as being ready for all that was waited for,
    /// so that who only reads meets it too.
    init(flags: UInt32, interest: Interest) {
        self = []
        let ended = flags & (readerd_event_error | readerd_event_hangup) != 0
        if flags & readerd_event_in != 0 || ended && interest.contains(.readable) { insert(.readable) }
        if flags & readerd_event_out != 0 || ended && interest.contains(.writable) { insert(.writable) }
        if flags & (readerd_event_hangup | readerd_event_read_hangup) != 0 { insert(.hangup) }
        if flags & readerd_event_error != 0 { insert(.error) }
    }
}
