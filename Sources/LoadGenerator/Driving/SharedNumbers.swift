import Glibc

/// Numbers that a library loaded into the host keeps in a file both see.
struct SharedNumbers: ~Copyable {
    private let memory: UnsafeMutableRawPointer
    private static let count = 4096

    /// Makes the file. Nil if it cannot be made or seen.
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

    /// The number in this place now.
    subscript(place: Int) -> UInt64 { memory.load(fromByteOffset: 8 * place, as: UInt64.self) }
}

/// The counter that the library `AllocationCounter` keeps.
struct AllocationCount: ~Copyable {
    private let numbers: SharedNumbers

    /// Makes the file. Nil if it cannot be made or seen.
    init?(path: String) {
        guard let numbers = SharedNumbers(path: path) else { return nil }
        self.numbers = numbers
    }

    /// Calls so far; nil while the library has not been loaded, which it notes in the second number.
    var now: UInt64? { numbers[1] == 0 ? nil : numbers[0] }

    /// Who made them; nil while the library has not been loaded.
    var counts: AllocationCounts? {
        numbers[1] == 0 ? nil : AllocationCounts(all: numbers[0], libcrypto: numbers[2], otherThreads: numbers[3])
    }
}

/// What the library `LineClock` has seen of the lock's line.
struct LineTimes: ~Copyable {
    private let numbers: SharedNumbers

    /// Makes the file. Nil if it cannot be made or seen.
    init?(path: String) {
        guard let numbers = SharedNumbers(path: path) else { return nil }
        self.numbers = numbers
    }

    /// How many edges there were; the first is the line's own, when it was requested.
    var edges: UInt64 { numbers[0] }
    /// When the last was, on the monotonic clock, in nanoseconds.
    var lastEdge: Int64 { Int64(truncatingIfNeeded: numbers[1]) }
    /// Whether the line has been active since.
    var isActive: Bool { numbers[2] != 0 }
    /// When the read came back that brought the reader the last octets before that edge; 0 if none was seen.
    var lastRead: Int64 { Int64(truncatingIfNeeded: numbers[3]) }
    /// What processor time the thread that moved the line used from there to the edge, in nanoseconds.
    var processor: Int64 { Int64(truncatingIfNeeded: numbers[4] &- numbers[5]) }
}
