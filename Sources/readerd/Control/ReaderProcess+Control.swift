// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import JSON
import NordicProvisioning
import WiFiStation
import System
import Reader
import Timekeeping

/// Carries out the requests of the control socket.
extension ReaderProcess: ControlServerOwner {
    func perform(_ action: ControlRequest.Action, for peer: ControlPeer, ticket: UInt64) -> ControlAnswer? {
        defer { flush() }
        switch action {
        case .status: return .done(statusReport)
        case .metrics: return .done(["metrics": metricsText])
        case .quiet: return .done(quietReport)
        case .subscribe: return .done
        case .door(let order):
            return ControlAnswer(execute(order, for: DoorOperator(.control, peer.actor, .control(ticket))))
        case .timed(let verb, let seconds):
            let event = AuditEvent(
                .command, at: auditTime, channel: .control, command: verb.name, actor: peer.actor)
            guard seconds == 0 || audit.hasRoom(for: event) else { return .refused(.tooOften) }
            if let refusal = take(verb, seconds, ticket: ticket) { return .refused(refusal) }
            audit.record(event)
            return verb == .survey ? nil : .done
        }
    }

    /// Carries out an order with a time; nil if it was not refused.
    private func take(_ verb: TimedVerb, _ seconds: Int64, ticket: UInt64) -> ControlAnswer.Refusal? {
        switch verb {
        case .provisioning:
            guard let service = operation.provisioning else { return .noProvisioning }
            guard seconds > 0 else { return service.closeWindow() ? nil : .windowClosed }
            service.open(.control, for: .seconds(seconds))
        case .survey: return survey(Int(seconds), ticket: ticket)
        case .panelInstallation:
            guard let panel = operation.panel else { return .noPanel }
            guard seconds > 0 else { return panel.closeInstallation() ? nil : .windowClosed }
            panel.openInstallation(for: Int(seconds))
        case .matterWindow:
            guard operation.matter != nil else { return .noMatter }
            return openMatterWindow(seconds: Int(seconds)) ? nil : .matterAbsent
        case .setTime:
            var events: [ReaderClock.Event] = []
            guard wall.set(to: seconds, by: .operatorLocally, into: &events) == .done else { return .timeRefused }
            report(events)
        }
        return nil
    }

    /// Answers an operator's request for an opening.
    func answer(_ ticket: UInt64, _ refusal: DoorRefusal?) {
        let answer = ControlAnswer(refusal)
        // After this turn: a client's next request must not meet the door in an intermediate state.
        reactor.schedule(at: reactor.now) { [weak self] in self?.operation.control?.answer(ticket, answer) }
    }
}
