// SPDX-License-Identifier: Apache-2.0

/// The connection to a host under load, and its externally visible resource usage.
///
/// Runs are written against this protocol, so that they can be tested without a process, a socket or a clock.
protocol HostLine: ~Copyable {
    /// The time of a monotonic clock in nanoseconds.
    var now: Int64 { get }
    /// The processor time of the generator in nanoseconds.
    var ownProcessorNanoseconds: Int64 { get }

    /// Sends all packets of the burst, in one write or in one write each. `times` receives, by link, the write times
    /// of packets that await a response.
    mutating func send(
        _ burst: borrowing PacketBurst, joined: Bool, times: inout [Int64]
    ) throws(LoadFault)

    /// Waits for octets from the host, at most a second, and passes them on. False if there were none.
    mutating func receive(_ take: (Span<UInt8>) -> Void) throws(LoadFault) -> Bool

    /// The host's resource usage so far.
    func usage() -> HostUsage

    /// The host's memory by ownership; nil if unavailable.
    func memory() -> HostMemory?
}

extension HostLine where Self: ~Copyable {
    func memory() -> HostMemory? { nil }
}
