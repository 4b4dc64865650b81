// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Statistics
import Testing

@testable import LoadGenerator
import Commands
@testable import Console
@testable import LabRuns
@testable import readerlab

@Test func latenciesAreRanked() throws {
    var latencies = Latencies()
    #expect(latencies.summary() == nil)
    for value in (1...298).reversed() { latencies.append(Int64(value) * 1000) }
    #expect(
        latencies.summary()
            == LatencySummary(count: 298, median: 149, p99: nil, maximum: 298, medianInterval: 132...167))
    latencies.append(299_000)
    #expect(latencies.summary()?.p99 == 297)
    latencies.removeAll(reserving: 1)
    latencies.append(2500)
    #expect(latencies.summary() == LatencySummary(count: 1, median: 2.5, p99: nil, maximum: 2.5))
}

@Test func residentMemoryIsRead() {
    let status = "Name:\thost\nVmPeak:\t   20000 kB\nVmRSS:\t    9040 kB\nThreads:\t1\n"
    #expect(HostUsage.residentKilobytes(status: status) == 9040)
    for text in ["", "VmRSS:", "VmRSS:\tmany kB", "Name: VmRSS:"] {
        #expect(HostUsage.residentKilobytes(status: text) == nil)
    }
}

@Test func columnsAreAligned() {
    #expect(TextTable.aligned([["a", "bb"], ["ccc", "d"]]) == ["a    bb", "ccc   d"])
    #expect(DecimalText.of(1.005, 1) == "1.0")
    #expect(DecimalText.of(0.06, 1) == "0.1")
    #expect(DecimalText.of(12.34, 0) == "12")
    #expect(DecimalText.of(nil, 2) == "-")
    #expect(DecimalText.of(.nan, 2) == "-")
}

@Test func aDoorsReportIsATable() throws {
    func times(_ median: Double) -> LatencySummary {
        LatencySummary(count: 299, median: median, p99: 2 * median, maximum: 900)
    }
    let figures = AllocationFigures(serving: 0, disk: 3, libcrypto: 40)
    let allocations = AllocationReport(mean: figures, steady: figures)
    var report = DoorReport()
    report.phones = 1
    report.openings = [
        OpeningResult(
            opening: .command, edge: times(400), wake: times(50), inside: times(300), bare: times(240),
            insideProcessor: times(1), bareProcessor: times(1), answer: times(700), quotient: 1.25, rounds: [],
            hostMicroseconds: nil, allocations: allocations)
    ]
    report.parts = [PartResult(part: .exchange, count: 10, allocations: nil)]
    #expect(
        BenchDoorTableText.lines(report) == [
            "opening  edge p50 us  edge p99 us  wake p50 us  inside p50 us  bare p50 us  inside/bare  answer p50 us  "
                + "host CPU us  allocs/op",
            "command        400.0        800.0         50.0          300.0        240.0         1.25          700.0  "
                + "          -      0.000", "", "part      count  allocs/op", "exchange     10          -",
        ])
    report.openings[0].edge.p99 = nil
    #expect(BenchDoorTableText.lines(report)[1].contains("400.0  n too small "))
    #expect(try !BenchDoorJSON.text(report).contains(#""p99":null"#))
    report.fault = .connectionClosed
    #expect(BenchDoorTableText.lines(report).last?.hasPrefix("error: ") == true)
}

@Test func aLogShowsItsLastLines() throws {
    let log = try BenchLog(nil)
    #expect(log.tail() == [])
    for number in 1...3400 {
        let line = Array("line \(number)\n".utf8)
        #expect(write(log.descriptor, line, line.count) == line.count)
    }
    #expect(log.tail() == (3381...3400).map { "line \($0)" })
    #expect(throws: (any Error).self) { try BenchLog("/nowhere/log") }
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
