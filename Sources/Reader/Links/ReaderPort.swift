// SPDX-License-Identifier: Apache-2.0

public import Peripheral
public import Timekeeping

/// The interface of the reader to its host. `Host` conforms; tests of the reader use another.
public protocol ReaderPort: ~Copyable {
    /// Disconnects the link; `disconnected` follows, at the latest shortly after the supervision time-out.
    mutating func disconnect(_ link: LinkID, _ reason: LinkEndReason, at now: Instant)

    /// Requests the link's RSSI; the event `rssi` follows.
    ///
    /// - Returns: False if the link has ended or a request is outstanding; nothing is requested then.
    mutating func readRSSI(_ link: LinkID, at now: Instant) -> Bool

    /// Requests the transmit power of the link's central, and reports of its changes. The event `transmitPower` follows
    /// as soon as a value is known. Sends nothing while a request is outstanding.
    mutating func readTransmitPower(_ link: LinkID, at now: Instant)

    /// Notifies `value`, at most `attMTU(link) - 3` octets.
    mutating func notify(
        _ link: LinkID, _ attribute: AttributeHandle, _ value: Span<UInt8>, at now: Instant
    ) -> NotificationOutcome

    /// The link's ATT_MTU; 23 before the exchange, and for an unknown link.
    func attMTU(_ link: LinkID) -> Int

    /// Queues an SDU on a channel, at most as long as the client accepts.
    mutating func send(
        _ link: LinkID, _ channel: ChannelID, _ unit: Span<UInt8>, at now: Instant
    ) -> ChannelSendOutcome

    /// Closes a channel; `channelClosed` follows.
    mutating func closeChannel(_ link: LinkID, _ channel: ChannelID, at now: Instant)

    /// Enables or disables the advertising sets. A connection in progress may still arrive.
    mutating func setAdvertising(enabled: Bool, at now: Instant)

    /// The octets of the ranges in events.
    var eventOctets: [UInt8] { get }
}

/// The reason for which the reader ends a link.
public enum LinkEndReason: Sendable {
    /// The phone is refused, or has no further business.
    case refused
    /// The reader lacks room for the link.
    case noRoom
    /// The reader shuts down.
    case shutDown
}
