public import Timekeeping

/// A device on its host, as a value: what a `HostLoop` moves.
public protocol HostedDevice: ~Copyable {
    /// The transport to the controller is open.
    mutating func start(at now: Instant)
    /// Takes one H4 packet of the controller, with its type octet.
    mutating func receive(_ packet: Span<UInt8>, at now: Instant)
    /// Does what is due at `now`.
    mutating func advance(to now: Instant)
    /// When `advance` is to be called next; nil if only an input can change anything.
    var nextDeadline: Instant? { get }
    /// Puts the next packet for the controller into `packet`; false if there is none.
    mutating func popPacket(into packet: inout [UInt8]) -> Bool
}
