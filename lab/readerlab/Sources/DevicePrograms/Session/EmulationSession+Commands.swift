// SPDX-License-Identifier: Apache-2.0

import Devices
package import Emulation
package import HostLoop
import Peripheral

/// Commands of the running emulation.
extension EmulationSession {
    /// Executes a command, and returns the lines of the answer.
    package func execute(_ command: EmulationCommand, _ context: inout DeviceContext) -> [String] {
        switch command {
        case .fault, .faults, .clear, .release, .findings, .steps, .help:
            return command.answer(&plan, timeline, steps: EmulationSession.stepLines(of: units)) ?? []
        case .disconnect(_, .timeout): return [fallSilent(&context)]
        case .disconnect(let number, let end): return [disconnect(number, end, &context)]
        case .wifi, .network, .dhcp: return [changeWiFi(command, &context)]
        case .mtu(let mtu):
            self.mtu = mtu
            return [mtu.map { "values have at most \($0 - 3) octets" } ?? "values have as much room as was agreed"]
        case .quit:
            quit()
            return ["the end"]
        }
    }

    private func changeWiFi(_ command: EmulationCommand, _ context: inout DeviceContext) -> String {
        guard let change = WiFiChange(command) else { return command.problemOfNetwork }
        var isDone = false
        for (number, unit) in units.enumerated() {
            if context.withDevice(number, { unit.change(change, self, &$0) }) == true { isDone = true }
        }
        return isDone ? change.words : command.problemOfNetwork
    }

    /// Restarts the controller: all links end without notice.
    private func fallSilent(_ context: inout DeviceContext) -> String {
        var count = 0
        for device in units.indices {
            _ = context.withDevice(device) { context in
                count += context.links.count
                for link in context.links { markEnding(link) }
            }
        }
        context.withHost { host, now in host.start(at: now) }
        return count == 1 ? "1 link falls silent" : "\(count) links fall silent"
    }

    private func disconnect(_ number: UInt32?, _ end: LinkEnd, _ context: inout DeviceContext) -> String {
        let reason = end.reason.map { HCIStatus(rawValue: $0) } ?? .remoteUserTerminated
        var count = 0
        for device in units.indices {
            _ = context.withDevice(device) { context in
                for link in context.links where number == nil || link.generation == number {
                    self.end(link, reason: reason, &context)
                    count += 1
                }
            }
        }
        if let number, count == 0 { return "there is no link \(number)" }
        return count == 1 ? "1 link ends" : "\(count) links end"
    }
}
