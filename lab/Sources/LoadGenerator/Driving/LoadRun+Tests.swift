// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// The tests and their measurements.
extension LoadRun where Line: ~Copyable {
    /// The usage before a test.
    struct Before {
        var time: Int64
        var usage: HostUsage
        var own: Int64
    }

    mutating func carryOut(_ test: LoadTest) throws(LoadFault) -> TestResult {
        switch test {
        case .discovery: try discoveryTest()
        case .read: try requestTest(.read, commands: [], request: ATTRequest.read(handle(.read)).octets())
        case .write:
            try requestTest(
                .write, commands: [],
                request: ATTRequest.write(handle(.write), controller.random.octets(BenchTable.readCount)))
        case .command: try commandTest()
        case .notify20: try notificationTest(.notify20, count: 20)
        case .notify244: try notificationTest(.notify244, count: BenchTable.longestCount)
        case .reconnect: try reconnectTest()
        }
    }

    /// Records the usage so far.
    func before() -> Before {
        Before(time: line.now, usage: line.usage(), own: line.ownProcessorNanoseconds)
    }

    /// Resets the counts of the previous test.
    mutating func begin(expecting count: Int) {
        latencies.removeAll(reserving: count)
        for link in perLink.indices { perLink[link] = 0 }
        failures = 0
    }

    /// The measurements of a test since `before`, for this number of operations.
    func result(_ test: LoadTest, since before: Before, operations: Int, of wanted: Int) -> TestResult {
        let after = line.usage()
        let own = line.ownProcessorNanoseconds
        var result = TestResult(
            test: test, phones: plan.phones, operations: operations,
            seconds: Double(receivedAt - before.time) / 1e9, latencies: latencies.summary())
        let count = Double(max(operations, 1))
        if let old = before.usage.processorNanoseconds, let new = after.processorNanoseconds {
            result.hostMicroseconds = Double(new - old) / 1000 / count
        }
        result.generatorMicroseconds = Double(own - before.own) / 1000 / count
        if let old = before.usage.allocations, let new = after.allocations, new >= old {
            result.allocations = Double(new - old) / count
        }
        result.residentKilobytes = after.residentKilobytes
        if let old = before.usage.residentKilobytes, let new = after.residentKilobytes {
            result.grownKilobytes = new - old
        }
        if let fewest = perLink.min(), let most = perLink.max(), most > 0 { result.share = fewest...most }
        result.failures = failures
        result.wasCutShort = operations < wanted
        return result
    }

    /// True if the test's time is over.
    func isOver(_ before: Before) -> Bool {
        receivedAt - before.time > Int64(plan.secondsPerTest) * 1_000_000_000
    }

    // MARK: - Discovery

    private mutating func discoveryTest() throws(LoadFault) -> TestResult {
        let wanted = plan.discoveries
        begin(expecting: wanted)
        let before = before()
        var clients = (0..<plan.phones).map { _ in Discovery() }
        var begun: [Int64] = Array(repeating: line.now, count: plan.phones)
        var started = 0
        for link in 0..<min(plan.phones, wanted) {
            if let request = clients[link].request { sendRequest(request, on: link) }
            started += 1
        }
        var last = line.now
        while latencies.count < wanted, !isOver(before) {
            if try turn() { last = receivedAt }
            try checkSilence(since: last, during: "discovery")
            for link in 0..<plan.phones where takeAnswer(link) {
                clients[link].receive(controller.links[link].answer)
                if clients[link].request == nil {
                    latencies.append(receivedAt - begun[link])
                    perLink[link] += 1
                    if clients[link].characteristics != characteristics { failures += 1 }
                    guard started < wanted else { continue }
                    started += 1
                    clients[link] = Discovery()
                    begun[link] = receivedAt
                }
                if let request = clients[link].request { sendRequest(request, on: link) }
            }
        }
        try drain(.discovery)
        return result(.discovery, since: before, operations: latencies.count, of: wanted)
    }

    // MARK: - Reconnects

    /// The number of reconnects before the first memory measurement, after which a host has allocated what it
    /// retains.
    private var settled: Int { 50 }

    private mutating func reconnectTest() throws(LoadFault) -> TestResult {
        let wanted = plan.reconnects
        begin(expecting: wanted)
        let before = before()
        var residentEarly: Int?
        while latencies.count < wanted, !isOver(before) {
            controller.disconnect(0)
            let start = line.now
            // A host that advertises while it has links is reconnected immediately.
            controller.settle()
            while !controller.links[0].isUp {
                _ = try turn()
                try checkSilence(since: start, during: "reconnecting")
            }
            try exchangeMTU(0)
            latencies.append(receivedAt - start)
            if latencies.count == settled { residentEarly = line.usage().residentKilobytes }
        }
        var result = result(.reconnect, since: before, operations: latencies.count, of: wanted)
        if let residentEarly, let now = result.residentKilobytes { result.grownKilobytes = now - residentEarly }
        return result
    }
}
