// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// The externally visible resource usage of a process.
public struct ProcessMeter: ~Copyable {
    private let process: pid_t
    private let clock: clockid_t?
    private let allocations: AllocationCount?

    /// A meter of a process without counted allocations.
    public init(process: Int32) { self.init(process: process, allocations: nil) }

    init(process: pid_t, allocations: consuming AllocationCount?) {
        self.process = process
        self.allocations = allocations
        var clock = clockid_t()
        self.clock = clock_getcpuclockid(process, &clock) == 0 ? clock : nil
    }

    /// The usage so far. The processor time comes from the process's clock: exact, for all threads, including ended
    /// ones.
    public func usage() -> HostUsage {
        HostUsage(
            processorNanoseconds: clock.flatMap(ProcessMeter.nanoseconds(of:)),
            residentKilobytes: ProcessMeter.contents("/proc/\(process)/status")
                .flatMap { HostUsage.residentKilobytes(status: $0) },
            allocations: allocationsNow, counts: countsNow)
    }

    /// The memory of the process by ownership.
    func memory() -> HostMemory? {
        ProcessMeter.contents("/proc/\(process)/smaps_rollup").flatMap { HostMemory(rollup: $0) }
    }

    private var countsNow: AllocationCounts? {
        switch allocations {
        case .some(let allocations): allocations.counts
        case .none: nil
        }
    }

    private var allocationsNow: UInt64? {
        switch allocations {
        case .some(let allocations): allocations.now
        case .none: nil
        }
    }

    static func nanoseconds(of clock: clockid_t) -> Int64? {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static func contents(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 8192) { octets in
            let count = read(descriptor, octets.baseAddress, octets.count)
            return count > 0 ? String(decoding: octets[..<count], as: UTF8.self) : nil
        }
    }
}
