// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LoadGenerator
@testable import bench_host

private func run(_ plan: LoadPlan, silentAfter: Int = .max, packetTime: Int64 = 1000) throws -> LoadReport {
    var line = try HostInProcess()
    line.packetTime = packetTime
    line.silentAfter = silentAfter
    var run = LoadRun(plan: plan, line: line)
    var report = LoadReport()
    do throws(LoadFault) { try run.run(into: &report) } catch { report.fault = error }
    return report
}

/// Every test, on hosts with one link and with many, both kinds of advertising, whole packets and small ones.
@Test func everyTestRunsToItsEndOnOurHost() throws {
    for (phones, extended, length) in [(1, true, 251), (3, false, 251), (64, true, 27)] {
        var plan = LoadPlan()
        plan.phones = phones
        plan.extendedAdvertising = extended
        plan.packetLength = length
        plan.operations = 200
        plan.reconnects = 10
        plan.secondsPerTest = 3600
        let report = try run(plan)
        #expect(report.fault == nil)
        #expect(report.results.map(\.test) == LoadTest.allCases)
        #expect(report.bringUp.map { $0.commands > 5 } == true)
        for result in report.results {
            let wanted: [LoadTest: Int] = [
                .discovery: max(phones, 5), .command: 192, .reconnect: 10, .notify20: 200 / phones * phones,
                .notify244: 200 / phones * phones,
            ]
            #expect(result.operations == wanted[result.test] ?? 200, "\(result.test)")
            #expect(result.failures == 0, "\(result.test) with \(phones)")
            #expect(!result.wasCutShort)
            #expect(result.perSecond > 0)
            #expect(result.allocations == 0)
        }
    }
}

/// 64 links share the available throughput.
@Test func readsAreSharedEvenly() throws {
    var plan = LoadPlan()
    plan.phones = 64
    plan.operations = 1280
    plan.tests = [.read]
    let share = try #require(try run(plan).results[0].share)
    #expect(share.lowerBound >= 19)
    #expect(share.upperBound <= 21)
}

@Test func aHostThatFallsSilentIsAFault() throws {
    var plan = LoadPlan()
    plan.operations = 1000
    plan.secondsPerTest = 3600
    plan.tests = [.read]
    let report = try run(plan, silentAfter: 300)
    #expect(report.fault == .silent(during: "read", seconds: 5))
    #expect(report.bringUp != nil)
    #expect(report.results.isEmpty)
    #expect(try run(plan, silentAfter: 5).fault == .neverAdvertised(links: 0, of: 1))
}

/// An elapsed time limit ends a test, not the run, and no late response is counted in the next test.
@Test func aTestIsCutShort() throws {
    var plan = LoadPlan()
    plan.phones = 8
    plan.operations = 10_000_000
    plan.secondsPerTest = 1
    plan.tests = [.read, .write]
    let report = try run(plan, packetTime: 1_000_000)
    #expect(report.fault == nil)
    #expect(report.results.map(\.wasCutShort) == [true, true])
    #expect(report.results.map(\.failures) == [0, 0])
}
