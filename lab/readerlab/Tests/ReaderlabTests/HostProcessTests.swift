// SPDX-License-Identifier: Apache-2.0

import BuiltPrograms
import TestSupport
import Testing

@testable import LoadGenerator

private var smallPlan: LoadPlan {
    var plan = LoadPlan()
    plan.operations = 100
    plan.reconnects = 5
    plan.secondsPerTest = 60
    return plan
}

/// Processes and sockets: a test of function, not of speed. The limit catches hangs only, because other tests use the
/// processors at the same time.
@Test(.timeLimit(.minutes(60)), arguments: [(1, LoadPlan.Listening.unix, false), (4, .tcp, false), (4, .unix, true)])
func ourHostIsMeasuredAsAProcess(phones: Int, listening: LoadPlan.Listening, isConstant: Bool) throws {
    var plan = smallPlan
    plan.phones = phones
    plan.listening = listening
    let command = try HostCommand(
        [try BuiltPrograms.folder() + "/bench-host"] + (isConstant ? ["--constant"] : []) + ["{hci}"])
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

/// The program, its door and its log: a test that the line moves as it should, not of speed.
@Test(.timeLimit(.minutes(60))) func theDoorOfReaderdIsOpenedAndSecured() throws {
    let folder = try BuiltPrograms.folder()
    let directory = try TemporaryDirectory()
    let place = directory.path
    let configuration = """
        allow-demo-identity = true
        log-level = "error"
        [proximity]
        gate = []
        [door]
        re-arm-ms = 0
        [gpio]
        lock = "gpiochip0:0"
        [events]
        audit = "relaxed"
        """
    try directory.write("readerd.toml", configuration)
    var plan = DoorPlan()
    (plan.phones, plan.openings, plan.exchanges) = (2, 20, 20)
    let command = try HostCommand([
        "\(folder)/readerd", "run", "--config", "\(place)/readerd.toml", "--state", "\(place)/state", "--hci", "{hci}",
    ])
    let report = try DoorLoad.run(
        command, plan: plan, bare: HostCommand(["\(folder)/readerlab", "bench", "bare", "{hci}"]),
        lineClock: "\(folder)/libLineClock.so",
        allocationCounter: "\(folder)/libAllocationCounter.so")
    #expect(report.fault == nil)
    #expect(report.openings.map(\.opening) == [.command, .credential])
    for opening in report.openings {
        #expect(opening.edge.median > 0 && opening.edge.median < opening.answer.maximum)
        #expect(opening.allocations.map { $0.mean.libcrypto > 0 } == true)
        // The components of the latency; the reader's own part includes all operations.
        #expect(opening.inside.median > 0 && opening.inside.median < opening.edge.maximum)
        #expect(opening.wake.median > 0 && opening.wake.median < opening.edge.median)
        #expect(opening.bare.median > 0 && opening.insideProcessor.median > 0 && opening.bareProcessor.median > 0)
        #expect(opening.rounds.count == 10)
    }
    #expect(report.parts.map(\.count) == [98, 20])
    #expect(report.memory.map { $0.own < $0.resident } == true)
}

@Test(.timeLimit(.minutes(60))) func allocationsOfTheHostAreCounted() throws {
    let library = try BuiltPrograms.folder() + "/libAllocationCounter.so"
    let command = try HostCommand([try BuiltPrograms.folder() + "/bench-host", "{hci}"])
    var plan = smallPlan
    plan.tests = [.read, .reconnect]
    let report = try HostLoad.run(command, plan: plan, allocationCounter: library)
    #expect(report.fault == nil)
    #expect(report.results.map { $0.allocations != nil } == [true, true])
    // Reads allocate nothing in a release build only; script/bench shows it. A new link costs some allocations.
    #expect(report.results.last?.allocations.map { $0 > 0 } == true)
}

@Test(.timeLimit(.minutes(60))) func aCommandThatIsNoHostIsAFault() throws {
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
