// SPDX-License-Identifier: Apache-2.0

extension EmulationCommand {
    /// True for a command that changes nothing, which the timeline leaves out.
    public var isQuestion: Bool { [.faults, .findings, .steps, .help].contains(self) }

    /// Executes a command that all devices share, and returns the lines of the answer; nil for a device's own
    /// commands.
    public func answer(
        _ plan: inout FaultPlan, _ timeline: Timeline, steps: [String], help: [String] = helpLines
    ) -> [String]? {
        switch self {
        case .fault(let rule):
            return [plan.add(rule) ? "\(rule)" : "there are \(FaultPlan.maximumRules) faults already"]
        case .faults: return plan.rules.isEmpty ? ["no faults are to come"] : plan.rules.map(\.description)
        case .clear:
            plan.removeAll()
            return ["no faults are to come"]
        case .release(let fault, let step):
            return [plan.remove(fault, at: step) ? "no \(fault) at \(step)" : "there is no \(fault) at \(step)"]
        case .findings: return timeline.findingLines
        case .steps: return steps
        case .help: return help
        case .disconnect, .wifi, .network, .dhcp, .mtu, .quit: return nil
        }
    }
}
