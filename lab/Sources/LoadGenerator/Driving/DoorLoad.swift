// SPDX-License-Identifier: Apache-2.0

import AccessProtocol

/// Loads a reader's door: starts the reader, simulates its controller with phones, and times the lock's line.
public enum DoorLoad {
    /// The environment variable with the path of the file in which the library `LineClock` records edges.
    static let lineVariable = "READERLAB_LINES"
    /// The environment variable that identifies the reader's controller socket to it.
    static let transportVariable = "READERLAB_TRANSPORT"

    /// Starts the reader and executes the plan. The report includes measurements before a fault.
    ///
    /// The reader needs the published demo identity, a lock at `gpiochip0:0`, which the library simulates, no gate,
    /// and a re-arm time of a few milliseconds. It is terminated with SIGTERM.
    ///
    /// - Parameters:
    ///   - bare: the command of a process that calls `BarePeer.serve` with the transport's name.
    ///   - lineClock: the path of the library that simulates the lock's line.
    ///   - allocationCounter: the path of the library that counts allocations; nil for no count.
    ///   - output: the descriptor that the reader's log goes to.
    ///   - isEnding: asked before each kind of opening; true leaves out what is left.
    /// - Throws: `LoadPlanFault` only; faults of the reader are in the report.
    public static func run(
        _ command: HostCommand, plan: DoorPlan, bare: HostCommand, lineClock: String, allocationCounter: String? = nil,
        output: CInt = 2, isEnding: () -> Bool = { false }
    ) throws(LoadPlanFault) -> DoorReport {
        try plan.validate()
        var report = DoorReport()
        do throws(LoadFault) {
            try run(
                command, plan, bare, [lineClock] + (allocationCounter.map { [$0] } ?? []), output, isEnding,
                into: &report)
        } catch {
            report.fault = error
        }
        return report
    }

    private static func run(
        _ command: HostCommand, _ plan: DoorPlan, _ bare: HostCommand, _ libraries: [String], _ output: CInt,
        _ isEnding: () -> Bool, into report: inout DoorReport
    ) throws(LoadFault) {
        let tokens: DoorTokens
        do throws(StatusCode) { tokens = try DoorTokens() } catch { throw .door("no tokens can be made") }
        let listener = try HostListener(.unix)
        guard let lines = LineTimes(path: listener.linePath) else {
            throw .cannotListen(why: "no file for the line's edges")
        }
        var environment = [
            ("LD_PRELOAD", libraries.joined(separator: ":")), (lineVariable, listener.linePath),
            (transportVariable, listener.hostPath),
        ]
        var allocations: AllocationCount?
        if libraries.count > 1 {
            allocations = AllocationCount(path: listener.counterPath)
            environment.append((HostLoad.countVariable, listener.counterPath))
        }
        let operations = try BareProcess(bare, phone: BareOperations.ofPhone(tokens))
        var process = try HostProcess(
            command.arguments(transport: listener.transport), environment: environment, output: output)
        let (descriptor, peer) = try listener.accept(&process, seconds: LoadRun<HostSocket>.patience)
        let meter = ProcessMeter(process: peer ?? process.process, allocations: allocations)
        var run = DoorRun(
            plan: plan, tokens: tokens, bare: operations, line: HostSocket(descriptor, isTCP: false, meter: meter),
            lines: lines)
        do throws(LoadFault) {
            try run.run(into: &report, isEnding: isEnding)
        } catch .connectionClosed {
            if let how = process.ended() { throw .hostEnded(how) }
            throw .connectionClosed
        }
    }
}
