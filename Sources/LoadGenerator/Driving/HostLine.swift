/// The way to a host under load, and what can be seen of it from outside.
///
/// A run is written against this, so that it is tested without a process, a socket or a clock.
protocol HostLine: ~Copyable {
    /// Nanoseconds on a clock that only goes forward.
    var now: Int64 { get }
    /// Nanoseconds of processor time that the generator has used.
    var ownProcessorNanoseconds: Int64 { get }

    /// Sends all packets of the burst, as one or one by one, and notes in `times`, by link, when those were handed over
    /// that await an answer.
    mutating func send(
        _ burst: borrowing PacketBurst, joined: Bool, times: inout [Int64]
    ) throws(LoadFault)

    /// Waits for octets of the host, for a second at most, and hands them on. False if none came.
    mutating func receive(_ take: (Span<UInt8>) -> Void) throws(LoadFault) -> Bool

    /// What the host has used so far.
    func usage() -> HostUsage

    /// What memory the host has, by whose it is; nil where that cannot be seen.
    func memory() -> HostMemory?
}

extension HostLine where Self: ~Copyable {
    func memory() -> HostMemory? { nil }
}
