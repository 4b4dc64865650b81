import ArgumentParser
import Testing

@testable import LoadGenerator
@testable import readerlab

@Test func latenciesAreRanked() throws {
    var latencies = Latencies()
    #expect(latencies.summary() == nil)
    for value in (1...100).reversed() { latencies.append(Int64(value) * 1000) }
    let summary = try #require(latencies.summary())
    #expect(summary == LatencySummary(median: 51, p99: 100, maximum: 100))
    latencies.removeAll(reserving: 1)
    latencies.append(2500)
    #expect(latencies.summary() == LatencySummary(median: 2.5, p99: 2.5, maximum: 2.5))
}

@Test func residentMemoryIsRead() {
    let status = "Name:\thost\nVmPeak:\t   20000 kB\nVmRSS:\t    9040 kB\nThreads:\t1\n"
    #expect(HostUsage.residentKilobytes(status: status) == 9040)
    for text in ["", "VmRSS:", "VmRSS:\tmany kB", "Name: VmRSS:"] {
        #expect(HostUsage.residentKilobytes(status: text) == nil)
    }
}

@Test func columnsAreAligned() {
    #expect(BenchTableText.aligned([["a", "bb"], ["ccc", "d"]]) == ["a    bb", "ccc   d"])
    #expect(BenchTableText.number(1.005, 1) == "1.0")
    #expect(BenchTableText.number(0.06, 1) == "0.1")
    #expect(BenchTableText.number(12.34, 0) == "12")
    #expect(BenchTableText.number(nil, 2) == "-")
    #expect(BenchTableText.number(.nan, 2) == "-")
}

@Test func wrongArgumentsAreRefusedInOneLine() {
    let cases: [([String], String)] = [
        ([], "write its command after --"),
        (["--", "host"], "write {hci}"),
        (["-k", "65", "--", "host", "{hci}"], "phones is 65; give a number from 1 to 64"),
        (["--tests", "fuzz", "--", "host", "{hci}"], "no test is called \"fuzz\"; choose of discovery,read,"),
        (["--packet-length", "26", "--", "host", "{hci}"], "packet-length is 26"),
        (["--socket", "ip", "--", "host", "{hci}"], "'ip'"),
    ]
    for (arguments, words) in cases {
        let error = #expect(throws: (any Error).self) { try BenchHostCommand.parse(arguments) }
        let message = error.map { BenchHostCommand.message(for: $0) } ?? ""
        #expect(message.contains(words), "\(message)")
    }
}

@Test func optionsBecomeThePlan() throws {
    let command = try BenchHostCommand.parse([
        "-k", "3", "-n", "70", "--tests", "read", "--socket", "tcp", "--legacy", "--separate", "--seed", "9", "--",
        "host", "{hci}",
    ])
    var plan = LoadPlan()
    plan.phones = 3
    plan.operations = 70
    plan.reconnects = 70
    plan.tests = [.read]
    plan.listening = .tcp
    plan.extendedAdvertising = false
    plan.joinsPackets = false
    plan.seed = 9
    #expect(try command.plan() == plan)
    #expect(command.command == ["host", "{hci}"])
}
