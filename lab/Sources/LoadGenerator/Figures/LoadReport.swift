// SPDX-License-Identifier: Apache-2.0

/// The measurements of a run.
public struct LoadReport: Sendable {
    /// The transport name passed to the host.
    public var transport = ""
    /// The initialization, from the host's Reset to its advertising.
    public var bringUp: BringUp?
    /// The results of the completed tests, in order.
    public var results: [TestResult] = []
    /// The reason why the run ended early.
    public var fault: LoadFault?
    /// True if the run was asked to end before its last test.
    public var isInterrupted = false

    /// The host's initialization.
    public struct BringUp: Equatable, Sendable {
        /// Milliseconds from the first command to advertising.
        public var milliseconds: Double
        /// The number of commands until then.
        public var commands: Int
        /// Milliseconds from advertising to the connection of all phones.
        public var connectMilliseconds: Double
    }
}

/// The measurements of one test.
public struct TestResult: Sendable {
    /// The test.
    public var test: LoadTest
    /// The number of connected phones.
    public var phones: Int
    /// The number of completed operations.
    public var operations: Int
    /// Their total duration in seconds.
    public var seconds: Double
    /// Their latencies, if operations have any. For write commands, the latencies of the read after each sixteen.
    public var latencies: LatencySummary?
    /// Processor time of the host's process per operation, user and system, all threads, in microseconds.
    public var hostMicroseconds: Double?
    /// Processor time of the generator per operation, in microseconds.
    public var generatorMicroseconds: Double?
    /// Calls of malloc and similar functions in the host per operation.
    public var allocations: Double?
    /// The host's resident memory at the end of the test, in kilobytes.
    public var residentKilobytes: Int?
    /// Its growth during the test, in kilobytes; for reconnects, after the first 50.
    public var grownKilobytes: Int?
    /// The numbers of operations of the links with the fewest and the most.
    public var share: ClosedRange<Int>?
    /// The number of error responses and losses.
    public var failures = 0
    /// True if the time was over before all operations were complete.
    public var wasCutShort = false

    /// Operations per second.
    public var perSecond: Double { seconds > 0 ? Double(operations) / seconds : 0 }
}

/// The resource usage of a process.
public struct HostUsage: Equatable, Sendable {
    /// Processor time of all threads, including ended ones, in nanoseconds.
    public var processorNanoseconds: Int64?
    /// Resident memory in kilobytes.
    public var residentKilobytes: Int?
    /// The number of calls of malloc and similar functions.
    public var allocations: UInt64?
    /// The calls by caller.
    var counts: AllocationCounts?

    /// Parses the resident memory in `/proc/PID/status`.
    static func residentKilobytes(status: String) -> Int? {
        for line in status.split(separator: "\n") where line.hasPrefix("VmRSS:") {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            return words.count >= 2 ? Int(words[1]) : nil
        }
        return nil
    }
}
