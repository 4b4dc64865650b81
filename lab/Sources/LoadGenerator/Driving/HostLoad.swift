// SPDX-License-Identifier: Apache-2.0

/// Loads a host: starts it, simulates its controller with phones, and measures.
public enum HostLoad {
    /// The environment variable with the path of the file in which the library `AllocationCounter` counts.
    static let countVariable = "READERLAB_ALLOCATIONS"

    /// Starts the host and executes the plan. The report includes measurements before a fault.
    ///
    /// The process that connects is measured; over TCP that is the command itself, so a command that starts the host
    /// as another process requires a Unix socket. The host is terminated with SIGTERM.
    ///
    /// - Parameter allocationCounter: the path of the library that counts allocations, loaded into the host; nil for
    ///   no count.
    /// - Parameter isEnding: asked before each test; true leaves out those that are left.
    /// - Throws: `LoadPlanFault` only; faults of the host are in the report.
    public static func run(
        _ command: HostCommand, plan: LoadPlan, allocationCounter: String? = nil, isEnding: () -> Bool = { false }
    ) throws(LoadPlanFault) -> LoadReport {
        try plan.validate()
        var report = LoadReport()
        do throws(LoadFault) {
            try run(command, plan, allocationCounter, isEnding, into: &report)
        } catch {
            report.fault = error
        }
        return report
    }

    private static func run(
        _ command: HostCommand, _ plan: LoadPlan, _ library: String?, _ isEnding: () -> Bool,
        into report: inout LoadReport
    ) throws(LoadFault) {
        let listener = try HostListener(plan.listening)
        report.transport = listener.transport
        var environment: [(name: String, value: String)] = []
        var allocations: AllocationCount?
        if let library {
            allocations = AllocationCount(path: listener.counterPath)
            environment = [("LD_PRELOAD", library), (countVariable, listener.counterPath)]
        }

        var process = try HostProcess(command.arguments(transport: listener.transport), environment: environment)
        let (descriptor, peer) = try listener.accept(&process, seconds: LoadRun<HostSocket>.patience)
        let meter = ProcessMeter(process: peer ?? process.process, allocations: allocations)
        var run = LoadRun(plan: plan, line: HostSocket(descriptor, isTCP: listener.isTCP, meter: meter))
        do throws(LoadFault) {
            try run.run(into: &report, isEnding: isEnding)
        } catch .connectionClosed {
            if let how = process.ended() { throw .hostEnded(how) }
            throw .connectionClosed
        }
    }
}
