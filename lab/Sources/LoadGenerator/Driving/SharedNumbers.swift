// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Numbers that a library loaded into the host writes to a shared file.
struct SharedNumbers: ~Copyable {
    private let memory: UnsafeMutableRawPointer
    private static let count = 4096

    /// Creates and maps the file; nil on failure.
    init?(path: String) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard ftruncate(descriptor, SharedNumbers.count) == 0,
            let memory = mmap(nil, SharedNumbers.count, PROT_READ, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
        else { return nil }
        self.memory = memory
    }

    deinit { munmap(memory, SharedNumbers.count) }

    /// The current number at this index.
    subscript(place: Int) -> UInt64 { memory.load(fromByteOffset: 8 * place, as: UInt64.self) }
}

/// The counters of the library `AllocationCounter`.
struct AllocationCount: ~Copyable {
    private let numbers: SharedNumbers

    /// Creates and maps the file; nil on failure.
    init?(path: String) {
        guard let numbers = SharedNumbers(path: path) else { return nil }
        self.numbers = numbers
    }

    /// The number of calls; nil until the library is loaded, which it records in the second number.
    var now: UInt64? { numbers[1] == 0 ? nil : numbers[0] }

    /// The calls by caller; nil until the library is loaded.
    var counts: AllocationCounts? {
        numbers[1] == 0 ? nil : AllocationCounts(all: numbers[0], libcrypto: numbers[2], otherThreads: numbers[3])
    }
}

/// The observations of the library `LineClock` on the lock's line.
struct LineTimes: ~Copyable {
    private let numbers: SharedNumbers

    /// Creates and maps the file; nil on failure.
    init?(path: String) {
        guard let numbers = SharedNumbers(path: path) else { return nil }
        self.numbers = numbers
    }

    /// The number of edges, including that of the line's request.
    var edges: UInt64 { numbers[0] }
    /// The time of the last edge on the monotonic clock, in nanoseconds.
    var lastEdge: Int64 { Int64(truncatingIfNeeded: numbers[1]) }
    /// True if the line has been active since then.
    var isActive: Bool { numbers[2] != 0 }
    /// The time at which the read returned that brought the reader the last octets before that edge; 0 if none was
    /// observed.
    var lastRead: Int64 { Int64(truncatingIfNeeded: numbers[3]) }
    /// The processor time of the thread that set the line, from that read to the edge, in nanoseconds.
    var processor: Int64 { Int64(truncatingIfNeeded: numbers[4] &- numbers[5]) }
}
