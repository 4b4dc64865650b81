internal import Octets

/// A door event that a credential carries: ten octets of an event file.
public struct OSSEventEntry: Hashable, Sendable {
    /// The length of an entry in octets.
    public static let octetCount = OSSTimestamp.octetCount + 4
    /// The event numbers of the standard.
    public static let ids: ClosedRange<UInt8> = 1...12

    /// The time of the event.
    public var time: OSSTimestamp
    /// The number of the door.
    public var doorID: UInt16
    /// The number of the event, 1 to 12: an `EventId`.
    public var eventID: UInt8
    /// Additional information, depending on `eventID`.
    public var info: UInt8

    /// An entry with these parts.
    public init(time: OSSTimestamp, doorID: UInt16, eventID: UInt8, info: UInt8) {
        (self.time, self.doorID, self.eventID, self.info) = (time, doorID, eventID, info)
    }
}

/// The event file of an OSS Standard Offline credential (access protocol, 7): a mask of the accepted events, and the
/// events. Only cards have one; a phone receives its events with the result.
public struct OSSEventFile: Equatable, Sendable {
    /// The accepted events: bit n − 1 for event number n.
    public var mask: UInt32
    /// The events.
    public var events: [OSSEventEntry]

    /// A file with these events.
    public init(mask: UInt32, events: [OSSEventEntry] = []) {
        self.mask = mask
        self.events = events
    }

    /// True if the mask accepts events with this number.
    public func takes(_ eventID: UInt8) -> Bool {
        1...32 ~= eventID && mask >> UInt32(eventID - 1) & 1 == 1
    }

    /// Reads a file from all of `bytes`.
    ///
    /// - Throws: −249 for a count above `maximum`, −233 and −242 (a number other than 1 to 12) for an invalid event,
    ///   −6 for a truncated file, −32 for surplus octets.
    public init(decoding bytes: Span<UInt8>, maximum: Int) throws(StatusCode) {
        var reader = OSSFileReader(bytes)
        mask = try reader.u32(bytes)
        let count = Int(try reader.u8(bytes))
        guard count <= maximum else { throw .tooManyEvents }
        events = []
        for _ in 0..<count {
            let time = try OSSTimestamp(&reader, bytes)
            let doorID = try reader.u16(bytes)
            let eventID = try reader.u8(bytes)
            guard OSSEventEntry.ids ~= eventID else { throw .standardOfflineEventID }
            events.append(OSSEventEntry(time: time, doorID: doorID, eventID: eventID, info: try reader.u8(bytes)))
        }
        try reader.finish(bytes)
    }

    /// Adds an event if the mask accepts it.
    ///
    /// - Returns: false if the mask excludes the event.
    /// - Throws: −242 for a number other than 1 to 12, −249 if there are `maximum` events already.
    @discardableResult
    public mutating func add(_ event: OSSEventEntry, maximum: Int) throws(StatusCode) -> Bool {
        guard OSSEventEntry.ids ~= event.eventID else { throw .standardOfflineEventID }
        guard takes(event.eventID) else { return false }
        guard events.count < maximum else { throw .tooManyEvents }
        events.append(event)
        return true
    }

    /// Appends the file.
    ///
    /// - Throws: −249 for more than 255 events.
    public func append(to octets: inout [UInt8]) throws(StatusCode) {
        guard let count = UInt8(exactly: events.count) else { throw .tooManyEvents }
        octets.append(bigEndian: UInt16(truncatingIfNeeded: mask >> 16))
        octets.append(bigEndian: UInt16(truncatingIfNeeded: mask))
        octets.append(count)
        for event in events {
            event.time.append(to: &octets)
            octets.append(bigEndian: event.doorID)
            octets += [event.eventID, event.info]
        }
    }
}
