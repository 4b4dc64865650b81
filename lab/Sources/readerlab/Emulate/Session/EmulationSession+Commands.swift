import Emulation
import HostLoop
import Peripheral

/// Commands of the running emulation.
extension EmulationSession {
    /// Executes a command, and returns the lines of the answer.
    func obey(_ command: EmulationCommand, _ context: inout DeviceContext) -> [String] {
        switch command {
        case .fault(let rule):
            return [plan.add(rule) ? "\(rule)" : "there are \(FaultPlan.maximumRules) faults already"]
        case .faults: return plan.rules.isEmpty ? ["no faults are to come"] : plan.rules.map { "\($0)" }
        case .clear:
            plan.removeAll()
            return ["no faults are to come"]
        case .disconnect(let number): return [disconnect(number, &context)]
        case .wifi(let isUp):
            for (number, unit) in units.enumerated() {
                _ = context.withDevice(number) { unit.setWiFi(isUp: isUp, self, &$0) }
            }
            return [isUp ? "the access points are back" : "the access points are gone"]
        case .mtu(let mtu):
            self.mtu = mtu
            return [mtu.map { "values have at most \($0 - 3) octets" } ?? "values have as much room as was agreed"]
        case .findings:
            let findings = timeline.findings
            return findings.isEmpty
                ? ["nothing was found"] : findings.map { "\($0.rule), entry \($0.entry): \($0.sentence)" }
        case .steps: return EmulationSession.stepLines(of: units)
        case .help: return EmulationCommand.helpLines
        case .quit:
            quit()
            return ["the end"]
        }
    }

    private func disconnect(_ number: UInt32?, _ context: inout DeviceContext) -> String {
        var count = 0
        for device in units.indices {
            _ = context.withDevice(device) { context in
                for link in context.links where number == nil || link.generation == number {
                    end(link, &context)
                    count += 1
                }
            }
        }
        if let number, count == 0 { return "there is no link \(number)" }
        return count == 1 ? "1 link ends" : "\(count) links end"
    }
}
