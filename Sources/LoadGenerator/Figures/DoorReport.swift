/// What a run against a door has measured.
public struct DoorReport: Sendable {
    /// One for each kind of opening, in order.
    public var openings: [OpeningResult] = []
    /// What other parts of a session cost.
    public var parts: [PartResult] = []
    /// The reader's memory at the end.
    public var memory: HostMemory?
    /// Phones connected.
    public var phones = 0
    /// Why the run ended before its end.
    public var fault: LoadFault?
}

/// How long openings took.
public struct OpeningResult: Sendable {
    /// How the phones asked.
    public var opening: DoorPlan.Opening
    /// From the write of the packet with the token's last octet to the edge of the lock's line: `wake` and `inside`.
    public var edge: LatencySummary
    /// The first part: until the read that brought that octet came back in the reader.
    public var wake: LatencySummary
    /// The second part: from there to the edge.
    public var inside: LatencySummary
    /// The bare operations of libcrypto that an opening needs for the second part, by a process of their own that is woken
    /// as the reader is, once for each opening, in turn before and after it.
    public var bare: LatencySummary
    /// Processor time of the reader's thread for the second part.
    public var insideProcessor: LatencySummary
    /// Processor time of the bare operations.
    public var bareProcessor: LatencySummary
    /// To the arrival of the answer at the phone.
    public var answer: LatencySummary
    /// The median of `inside` divided by that of `bare`, for each tenth of the openings, in their order.
    public var rounds: [Double]
    /// Processor time of the reader per opening, all threads, in microseconds; securing the door again included.
    public var hostMicroseconds: Double?
    /// Allocations of the reader per opening, securing the door again included.
    public var allocations: AllocationReport?
}

/// What a part of a session costs.
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
    /// How often.
    public var count: Int
    /// Allocations of the reader for each.
    public var allocations: AllocationReport?
}

/// What memory a process has, in kilobytes.
public struct HostMemory: Equatable, Sendable {
    /// All that is mapped and present, pages of files that other processes use too, and those that came with a
    /// neighbour, included.
    public var resident: Int
    /// The same, each page divided by how many processes have it.
    public var proportional: Int
    /// What no other process has: pages of files that only this one has mapped, its program's above all, included.
    public var own: Int

    /// What `/proc/PID/smaps_rollup` says; nil if that is not all there.
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

/// Allocations over a run, for one of what was done.
public struct AllocationReport: Equatable, Sendable {
    /// All of them, divided by how often.
    public var mean: AllocationFigures
    /// The median of ten parts of the run, figure by figure: what each one costs, without what happens once in a run, as
    /// a list that grows.
    public var steady: AllocationFigures
}

/// How often the reader called malloc and its kin, for one of what was done.
public struct AllocationFigures: Equatable, Sendable {
    /// In its own code and the language's library, on the thread that serves phones and moves the lock.
    public var serving: Double
    /// The same on the disk's thread.
    public var disk: Double
    /// In libcrypto.
    public var libcrypto: Double
}
