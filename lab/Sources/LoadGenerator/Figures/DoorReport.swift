// SPDX-License-Identifier: Apache-2.0

/// The measurements of a run against a door.
public struct DoorReport: Sendable {
    /// The results of each kind of opening, in order.
    public var openings: [OpeningResult] = []
    /// The costs of other parts of a session.
    public var parts: [PartResult] = []
    /// The reader's memory at the end.
    public var memory: HostMemory?
    /// The number of connected phones.
    public var phones = 0
    /// The reason why the run ended early.
    public var fault: LoadFault?
    /// True if the run was asked to end before its last part.
    public var isInterrupted = false
}

/// The durations of openings.
public struct OpeningResult: Sendable {
    /// The kind of request.
    public var opening: DoorPlan.Opening
    /// From the write of the packet with the token's last octet to the edge of the lock's line: `wake` and `inside`.
    public var edge: LatencySummary
    /// The first part, until the read of that octet returns in the reader.
    public var wake: LatencySummary
    /// The second part, from that read to the edge.
    public var inside: LatencySummary
    /// The bare operations of libcrypto that the second part requires, in a separate process that is woken as the
    /// reader is, once per opening, alternately before and after it.
    public var bare: LatencySummary
    /// Processor time of the reader's thread for the second part.
    public var insideProcessor: LatencySummary
    /// Processor time of the bare operations.
    public var bareProcessor: LatencySummary
    /// The time to the arrival of the answer at the phone.
    public var answer: LatencySummary
    /// The median of the quotients of `inside` and `bare`, of one opening each.
    public var quotient: Double
    /// The same for each tenth of the openings, in order.
    public var rounds: [Double]
    /// Processor time of the reader per opening, all threads, in microseconds, including the subsequent securing of
    /// the door.
    public var hostMicroseconds: Double?
    /// Allocations of the reader per opening, including the subsequent securing of the door.
    public var allocations: AllocationReport?
}

/// The cost of a part of a session.
public struct PartResult: Sendable {
    /// The parts.
    public enum Part: String, CaseIterable, Sendable {
        /// A frame of 20 octets that does not complete its message.
        case frame
        /// A handshake, a `PING` token and its answer.
        case exchange
    }

    /// The part.
    public var part: Part
    /// The number of repetitions.
    public var count: Int
    /// Allocations of the reader per repetition.
    public var allocations: AllocationReport?
}

/// The memory of a process in kilobytes.
public struct HostMemory: Equatable, Sendable {
    /// All present pages, including file pages used by other processes, and neighbouring pages that were read ahead.
    public var resident: Int
    /// The same, with each page divided by the number of processes that map it.
    public var proportional: Int
    /// Pages mapped by no other process, including file pages mapped by this one only, above all its program's.
    public var own: Int

    /// Parses `/proc/PID/smaps_rollup`; nil if it is incomplete.
    init?(rollup: String) {
        var numbers: [Substring: Int] = [:]
        for line in rollup.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 3, words[2] == "kB" { numbers[words[0]] = Int(words[1]) }
        }
        guard let resident = numbers["Rss:"], let proportional = numbers["Pss:"],
            let clean = numbers["Private_Clean:"], let dirty = numbers["Private_Dirty:"]
        else { return nil }
        (self.resident, self.proportional, own) = (resident, proportional, clean + dirty)
    }
}

/// Allocations during a run, per operation.
public struct AllocationReport: Equatable, Sendable {
    /// The mean.
    public var mean: AllocationFigures
    /// The median of ten parts of the run, for each figure: the cost of an operation without one-off events such as
    /// the growth of a list.
    public var steady: AllocationFigures
}

/// Calls of malloc and similar functions by the reader, per operation.
public struct AllocationFigures: Equatable, Sendable {
    /// In its own code and the standard library, on the thread that serves phones and sets the lock.
    public var serving: Double
    /// The same on the thread of the disk.
    public var disk: Double
    /// In libcrypto.
    public var libcrypto: Double
}
