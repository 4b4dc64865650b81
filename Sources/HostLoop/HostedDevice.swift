// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// A device with its host, as a value without I/O, driven by a `HostLoop`.
public protocol HostedDevice: ~Copyable {
    /// Starts the host: the transport to the controller is open.
    mutating func start(at now: Instant)
    /// Handles one H4 packet from the controller, with its packet type octet.
    mutating func receive(_ packet: Span<UInt8>, at now: Instant)
    /// Performs the actions due at `now`.
    mutating func advance(to now: Instant)
    /// Handles the loss of the transport, after which all links have ended; `start` follows when it is open again
    /// (`HostLoop.reopen`). Without effect by default, for a device whose loop ends then.
    mutating func transportLost(at now: Instant)
    /// The time of the next call of `advance`; nil if only an input can change anything.
    var nextDeadline: Instant? { get }
    /// Copies the next packet for the controller into `packet`; false if the queue is empty.
    mutating func popPacket(into packet: inout [UInt8]) -> Bool
    /// Calls `send` with each packet for the controller, in order, and removes them all. By default each is copied
    /// first, by `popPacket`.
    mutating func sendPackets(_ send: (Span<UInt8>) -> Void)
}

extension HostedDevice where Self: ~Copyable {
    /// Without effect.
    public mutating func transportLost(at now: Instant) {}

    /// Copies each packet before it is sent.
    public mutating func sendPackets(_ send: (Span<UInt8>) -> Void) {
        var packet: [UInt8] = []
        while popPacket(into: &packet) { send(packet.span) }
    }
}
