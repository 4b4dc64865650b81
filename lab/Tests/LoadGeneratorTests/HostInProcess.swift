// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping

@testable import LoadGenerator
@testable import bench_host

/// Our device without a process, a socket or a clock: each packet takes the same time.
struct HostInProcess: HostLine, ~Copyable {
    var device: BenchDevice
    var now: Int64 = 1
    var packets: [[UInt8]] = []
    /// The time that each packet takes, in nanoseconds.
    var packetTime: Int64 = 1000
    /// The number of the device's packets after which it sends nothing more.
    var silentAfter = Int.max

    init() throws {
        device = try BenchDevice(links: 64)
        device.host.start(at: .origin)
        settle()
    }

    var ownProcessorNanoseconds: Int64 { 0 }

    mutating func send(
        _ burst: borrowing PacketBurst, joined: Bool, times: inout [Int64]
    ) throws(LoadFault) {
        var start = 0
        for mark in burst.marks {
            now += packetTime
            if mark.link >= 0 { times[mark.link] = now }
            let packet = Array(burst.octets[start..<mark.end])
            device.host.receive(packet.span, at: Instant(nanoseconds: now))
            start = mark.end
            settle()
        }
    }

    mutating func receive(_ take: (Span<UInt8>) -> Void) throws(LoadFault) -> Bool {
        if packets.isEmpty {
            now += 1_000_000_000
            device.host.advance(to: Instant(nanoseconds: now))
            settle()
        }
        now += packetTime
        guard !packets.isEmpty else { return false }
        for packet in packets { take(packet.span) }
        packets.removeAll()
        return true
    }

    func usage() -> HostUsage {
        HostUsage(processorNanoseconds: now / 2, residentKilobytes: 1000, allocations: 0)
    }

    private mutating func settle() {
        device.settle(at: Instant(nanoseconds: now))
        var packet: [UInt8] = []
        while device.host.outbound.popFirst(into: &packet) {
            silentAfter -= 1
            if silentAfter >= 0 { packets.append(packet) }
        }
    }
}
