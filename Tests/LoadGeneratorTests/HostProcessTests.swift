import Glibc
import Testing

@testable import LoadGenerator

/// The folder of the programs that are built with the tests.
private func products() throws -> String {
    let arguments = CommandLine.arguments
    let bundle =
        arguments.firstIndex(of: "--test-bundle-path").flatMap { arguments.dropFirst($0 + 1).first } ?? arguments[0]
    let folder = try #require(bundle.range(of: "/readerdPackageTests.xctest").map { String(bundle[..<$0.lowerBound]) })
    return folder
}

extension String {
    /// Where `other` stands in the text.
    fileprivate func range(of other: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(other) { return start..<index(start, offsetBy: other.count) }
            start = index(after: start)
        }
        return nil
    }
}

private var smallPlan: LoadPlan {
    var plan = LoadPlan()
    plan.operations = 100
    plan.reconnects = 5
    plan.secondsPerTest = 60
    return plan
}

/// Processes and sockets: whether it works, not how fast.
@Test(.timeLimit(.minutes(2)), arguments: [(1, LoadPlan.Listening.unix, false), (4, .tcp, false), (4, .unix, true)])
func ourHostIsMeasuredAsAProcess(phones: Int, listening: LoadPlan.Listening, isConstant: Bool) throws {
    var plan = smallPlan
    plan.phones = phones
    plan.listening = listening
    let command = try HostCommand([try products() + "/bench-host"] + (isConstant ? ["--constant"] : []) + ["{hci}"])
    let report = try HostLoad.run(command, plan: plan)
    #expect(report.fault == nil)
    #expect(report.results.count == LoadTest.allCases.count)
    for result in report.results {
        #expect(result.failures == 0)
        #expect(result.hostMicroseconds.map { $0 > 0 } == true)
        #expect(result.residentKilobytes.map { $0 > 100 } == true)
        #expect(result.allocations == nil)
    }
}

@Test(.timeLimit(.minutes(2))) func allocationsOfTheHostAreCounted() throws {
    let library = try products() + "/libAllocationCounter.so"
    let command = try HostCommand([try products() + "/bench-host", "{hci}"])
    var plan = smallPlan
    plan.tests = [.read, .reconnect]
    let report = try HostLoad.run(command, plan: plan, allocationCounter: library)
    #expect(report.fault == nil)
    #expect(report.results.map { $0.allocations != nil } == [true, true])
    // That a read allocates nothing holds for the release only: script/bench shows it. A link that comes costs some.
    #expect(report.results.last?.allocations.map { $0 > 0 } == true)
}

@Test(.timeLimit(.minutes(2))) func aCommandThatIsNoHostIsAFault() throws {
    #expect(
        try HostLoad.run(HostCommand(["/nowhere/host", "{hci}"]), plan: smallPlan).fault
            == .cannotStart("/nowhere/host", why: "No such file or directory"))
    #expect(
        try HostLoad.run(HostCommand(["sh", "-c", "exit 3", "{hci}"]), plan: smallPlan).fault
            == .hostEnded("exit status 3"))
    #expect(
        try HostLoad.run(HostCommand(["sh", "-c", "kill -9 $$", "{hci}"]), plan: smallPlan).fault
            == .hostEnded("signal 9"))
}
