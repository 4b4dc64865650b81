public import Timekeeping

/// What a device asks of the host it runs on. `Host` is one; tests of a device have another.
public protocol PeripheralPort: ~Copyable {
    /// Ends the link; `disconnected` follows, at the latest when the supervision time-out has run.
    mutating func disconnect(_ link: LinkID, reason: HCIStatus, at now: Instant)

    /// Asks for the link's RSSI; an `rssi` event follows. False if the link is gone, or one is already outstanding
    /// for it: then nothing was asked.
    mutating func readRSSI(_ link: LinkID, at now: Instant) -> Bool

    /// Notifies `value`, at most `attMTU(link) - 3` octets.
    mutating func notify(
        _ link: LinkID, _ attribute: AttributeHandle, _ value: Span<UInt8>, at now: Instant
    ) -> NotificationOutcome

    /// The link's ATT_MTU; 23 until exchanged, and for a link that is gone.
    func attMTU(_ link: LinkID) -> Int

    /// Lets the advertising sets run, or stops them. Links that cross with a stop still come.
    mutating func setAdvertising(enabled: Bool, at now: Instant)

    /// The octets that events point into.
    var eventOctets: [UInt8] { get }
}

/// What became of a notification.
public enum NotificationOutcome: Equatable, Sendable {
    /// It is with the controller or queued, and will be sent in order.
    case accepted
    /// The link's queue is full; `writable` follows when there is room.
    case busy
    /// The client has not subscribed, or may not have the value.
    case notSubscribed
    /// There is no such link.
    case gone
    /// The value does not fit the link's ATT_MTU.
    case tooLong
}
