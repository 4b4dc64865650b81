/// What a run has measured.
public struct LoadReport: Sendable {
    /// The transport's name as the host got it.
    public var transport = ""
    /// From the host's Reset to its advertising.
    public var bringUp: BringUp?
    /// One for each test that was carried out, in order.
    public var results: [TestResult] = []
    /// Why the run ended before its end.
    public var fault: LoadFault?

    /// How the host started.
    public struct BringUp: Equatable, Sendable {
        /// Milliseconds from the first command until it advertised.
        public var milliseconds: Double
        /// Commands until then.
        public var commands: Int
        /// Milliseconds from the first advertising until all phones were connected.
        public var connectMilliseconds: Double
    }
}

/// What one test has measured.
public struct TestResult: Sendable {
    /// The test.
    public var test: LoadTest
    /// Phones connected.
    public var phones: Int
    /// Operations carried out.
    public var operations: Int
    /// How long these took.
    public var seconds: Double
    /// Their latencies, where an operation has one. Of write commands: of the read after sixteen.
    public var latencies: LatencySummary?
    /// Processor time of the host's process per operation, user and system, all threads, in microseconds.
    public var hostMicroseconds: Double?
    /// Processor time of the generator per operation, in microseconds.
    public var generatorMicroseconds: Double?
    /// Calls of malloc and its kin in the host per operation.
    public var allocations: Double?
    /// The host's resident memory at the test's end, in kilobytes.
    public var residentKilobytes: Int?
    /// What the test has added to it; for the test of reconnects, after the first 50.
    public var grownKilobytes: Int?
    /// Operations of the link that got fewest, and of the one that got most.
    public var share: ClosedRange<Int>?
    /// What was answered with an error, or was lost.
    public var failures = 0
    /// Whether the time ran out before the operations did.
    public var wasCutShort = false

    /// Operations per second.
    public var perSecond: Double { seconds > 0 ? Double(operations) / seconds : 0 }
}

/// What a process has used.
public struct HostUsage: Equatable, Sendable {
    /// Processor time of all threads, ended ones too, in nanoseconds.
    public var processorNanoseconds: Int64?
    /// Resident memory in kilobytes.
    public var residentKilobytes: Int?
    /// Calls of malloc and its kin so far.
    public var allocations: UInt64?
    /// Who made them.
    var counts: AllocationCounts?

    /// What `/proc/PID/status` says of resident memory.
    static func residentKilobytes(status: String) -> Int? {
        for line in status.split(separator: "\n") where line.hasPrefix("VmRSS:") {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            return words.count >= 2 ? Int(words[1]) : nil
        }
        return nil
    }
}
