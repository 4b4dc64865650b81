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
        case .unlock, .lockdown, .tamperReset:
            return operate(action, for: DoorOperator(.control, peer.actor, .control(ticket)))
        case .timed(let verb, let seconds):
            guard hasRoom(for: action, .control, peer.actor) else { return .refused(.tooOften) }
            if let refusal = take(verb, seconds, ticket: ticket) { return .refused(refusal) }
            record(action, .control, peer.actor)
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

    private func record(_ action: ControlRequest.Action, _ channel: AuditChannel, _ actor: String) {
        audit.record(event(action, channel, actor))
    }

    private func event(
        _ action: ControlRequest.Action, _ channel: AuditChannel, _ actor: String
    ) -> AuditEvent {
        let isOpening = if case .unlock(let way) = action { way != .officeOff } else { false }
        return AuditEvent(
            isOpening ? .unlocked : .command, at: auditTime, channel: channel,
            command: ControlRequest(action: action, id: nil).name, actor: actor)
    }

    /// False for an order that opens or ends a protection and could not have a record of its own.
    private func hasRoom(for action: ControlRequest.Action, _ channel: AuditChannel, _ actor: String) -> Bool {
        !action.mayRelease || audit.hasRoom(for: event(action, channel, actor))
    }

    /// Carries out an order about the door; nil if the answer follows, by the ticket. One that changes nothing is
    /// answered, and not recorded.
    func operate(_ action: ControlRequest.Action, for person: DoorOperator) -> ControlAnswer? {
        guard hasRoom(for: action, person.channel, person.actor) else { return .refused(.tooOften) }
        switch action {
        case .unlock(let way): return unlock(way, for: person)
        case .lockdown(let on):
            let door = device.reader.doorStatus
            guard door.state != .inactive else { return .refused(.inactive) }
            guard door.isLockdown != on else { return .done }
            device.reader.lockdown(on, at: moment)
        case .tamperReset:
            guard device.reader.resetTamper(at: moment) else { return .refused(.nothingToReset) }
        case .status, .metrics, .quiet, .subscribe, .timed: return .refused(.badRequest)
        }
        record(action, person.channel, person.actor)
        return .done
    }

    /// An opening is recorded first, as with a phone; securing the door is immediate.
    private func unlock(_ way: ControlRequest.Unlock, for person: DoorOperator) -> ControlAnswer? {
        if way == .officeOff {
            let state = device.reader.doorStatus.state
            if state != .inactive, !device.reader.hasOpeningToEnd(at: moment.instant) { return .done }
            let verdict = device.reader.operate(way.request, at: moment)
            guard verdict == .done else { return .refused(ControlAnswer.Refusal(verdict)) }
            record(.unlock(way), person.channel, person.actor)
            return .done
        }
        let event = event(.unlock(way), person.channel, person.actor)
        device.reader.open(way.request, ticket: person.ticket, event, until: person.until, at: moment.instant)
        return nil
    }

    /// Answers an operator's request for an opening.
    func answer(_ ticket: UInt64, _ answer: OperatorAnswer) {
        let answer = ControlAnswer(answer)
        // After this turn: a client's next request must not meet the door in an intermediate state.
        reactor.schedule(at: reactor.now) { [weak self] in self?.operation.control?.answer(ticket, answer) }
    }
}

/// A person or a back end with an order about the door, and the ticket for the answer to an opening.
struct DoorOperator {
    var channel: AuditChannel
    var actor: String
    var ticket: OperatorTicket
    /// The last second in which the door may move, since 1970 in UTC; nil for no such limit.
    var until: Int64?

    init(_ channel: AuditChannel, _ actor: String, _ ticket: OperatorTicket, until: Int64? = nil) {
        (self.channel, self.actor, self.ticket, self.until) = (channel, actor, ticket, until)
    }
}

extension ControlAnswer {
    /// The answer to an opening.
    init(_ answer: OperatorAnswer) {
        self =
            switch answer {
            case .door(.done): .done
            case .door(let verdict): .refused(Refusal(verdict))
            case .logFull: .refused(.logFull)
            // A request without an end does not expire.
            case .notRecorded, .expired: .refused(.notRecorded)
            }
    }
}

extension ControlAnswer.Refusal {
    /// The refusal for a verdict of the door.
    init(_ verdict: DoorVerdict) {
        switch verdict {
        case .done, .inactive: self = .inactive
        case .lockdown: self = .lockdown
        case .tampered: self = .tampered
        // Unreachable: an operator is on the reader's side.
        case .leftToPanel: self = .inactive
        case .lockedOut: self = .lockedOut
        }
    }
}
