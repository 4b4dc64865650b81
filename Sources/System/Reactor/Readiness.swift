// SPDX-License-Identifier: Apache-2.0

import CLinux

/// The events that a watch waits for.
public struct Interest: OptionSet, Hashable, Sendable {
    /// The set as bits.
    public var rawValue: UInt8
    /// The set with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Octets, a connection or the end can be read without blocking.
    public static let readable = Interest(rawValue: 1)
    /// Octets can be written without blocking.
    public static let writable = Interest(rawValue: 2)
}

/// The state of a watched descriptor.
public struct Readiness: OptionSet, Hashable, Sendable {
    /// The set as bits.
    public var rawValue: UInt8
    /// The set with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// A read does not block. With `hangup` or `error` it may return only the end or the error.
    public static let readable = Readiness(rawValue: 1)
    /// A write does not block. With `hangup` or `error` it returns the error.
    public static let writable = Readiness(rawValue: 2)
    /// The peer has stopped sending, or has closed; earlier data can still be read.
    public static let hangup = Readiness(rawValue: 4)
    /// The descriptor has an error; a read, a write or SO_ERROR returns it.
    public static let error = Readiness(rawValue: 8)

    /// Converts epoll's flags for a watch with this interest. The end counts as readiness for all events of interest,
    /// so that a reader encounters it too.
    init(flags: UInt32, interest: Interest) {
        self = []
        let ended = flags & (readerd_event_error | readerd_event_hangup) != 0
        if flags & readerd_event_in != 0 || ended && interest.contains(.readable) { insert(.readable) }
        if flags & readerd_event_out != 0 || ended && interest.contains(.writable) { insert(.writable) }
        if flags & (readerd_event_hangup | readerd_event_read_hangup) != 0 { insert(.hangup) }
        if flags & readerd_event_error != 0 { insert(.error) }
    }
}
