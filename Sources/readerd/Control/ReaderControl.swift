// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import JSON
import Reader
import System
import Timekeeping

/// The control socket: requests of operators, and the streams of subscribers.
final class ReaderControl: ReaderService {
    unowned let process: ReaderProcess
    /// The server; nil after the end, or without a socket.
    private(set) var server: ControlServer?
    /// The reason for a missing control socket; nil if it exists or is not wanted.
    var fault: String?
    /// The restart that a client waits to make.
    private(set) var restart = WaitingRestart()

    init(_ process: ReaderProcess, _ server: ControlServer?, fault: String?) {
        (self.process, self.server, self.fault) = (process, server, fault)
    }

    func start() {
        guard let fault else { return }
        raise(.controlSocketMissing, "\(fault); no status until a restart")
        updateFaults()
    }

    func serve() {
        do throws(SystemError) { try server?.serve(self) } catch {
            raise(.controlSocketMissing, "the control socket cannot be served: \(error); restart the reader")
        }
    }

    func close() {
        server?.close()
        server = nil
    }

    func perform(_ effect: ReaderEffect) {
        switch effect {
        case .operated(.control(let ticket), let request, let refusal):
            answer(ticket, request == .extended && refusal == nil ? .done(openingReport) : ControlAnswer(refusal))
        case .revocation(.control(let ticket), let outcome):
            if let result = ControlAnswer(outcome) { answer(ticket, result) }
        default: break
        }
    }

    /// The end of the present opening, as far as it is known.
    private var openingReport: JSONObject {
        guard let end = process.device.reader.doorStatus.grantUntil else { return JSONObject() }
        let seconds = ((end - moment.instant).wholeMilliseconds + 999) / 1000
        let until = moment.epochSeconds.map { $0 + seconds }
        let time = AuditTime(
            Moment(instant: end, epochSeconds: until), zone: process.device.reader.configuration.zone)
        return ["for-s": seconds, "until": EventLine.time(time)]
    }

    func receive(_ notice: ReaderNotice) {
        guard let server, server.hasSubscribers(to: .notices) else { return }
        server.publish(NoticeLine.json(notice), to: .notices)
    }

    /// Sends the change of an output to subscribers, after this turn: no phone waits then.
    func receive(_ action: DoorAction) {
        guard let server, server.hasSubscribers(to: .outputs) else { return }
        reactor.schedule(at: reactor.now) { [weak server] in
            server?.publish(NoticeLine.json(action), to: .outputs)
        }
    }

    func receive(_ event: inout StoredEvent) {
        guard let server, server.hasSubscribers(to: .events) else { return }
        server.publish(event.json, to: .events)
    }

    /// Answers a request that waited. After this turn: a client's next request must not meet the door in an
    /// intermediate state.
    private func answer(_ ticket: UInt64, _ answer: ControlAnswer) {
        reactor.schedule(at: reactor.now) { [weak self] in self?.server?.answer(ticket, answer) }
    }
}

extension ReaderControl: ControlServerOwner {
    func perform(_ action: ControlRequest.Action, for peer: ControlPeer, ticket: UInt64) -> ControlAnswer? {
        defer { flush() }
        switch action {
        case .status: return .done(process.statusReport)
        case .metrics: return .done(["metrics": process.metricsText])
        case .quiet:
            let reasons = process.disturbances
            restart.ask(isQuiet: reasons.isEmpty, at: reactor.now)
            return .done(["quiet": reasons.isEmpty, "disturbs": reasons.map(\.rawValue)])
        case .subscribe: return .done
        case .door(let order):
            return ControlAnswer(
                process.execute(order, for: DoorOperator(.control, peer.actor, .control(ticket))))
        case .revocation(let order):
            let event = AuditEvent(
                .command, at: auditTime, channel: .control, credential: order.credential.text, command: order.command,
                actor: peer.actor, detail: order.detail)
            guard !order.mayRelease || process.hasRoom(for: event) else { return .refused(.tooOften) }
            return ControlAnswer(
                process.device.reader.execute(order, ticket: .control(ticket), event, at: moment))
        case .timed(let verb, let seconds):
            let event = AuditEvent(
                .command, at: auditTime, channel: .control, command: verb.name, actor: peer.actor)
            // An order that opens a window could not have its own record.
            guard !action.mayRelease || process.hasRoom(for: event) else { return .refused(.tooOften) }
            let outcome = verb == .setTime ? setTime(seconds) : perform(verb, seconds, ticket)
            if case .refused(let refusal) = outcome { return .refused(refusal) }
            record(event)
            return outcome == .waits ? nil : .done
        }
    }

    /// Passes a timed request to its service.
    private func perform(_ verb: TimedVerb, _ seconds: Int64, _ ticket: UInt64) -> TimedOutcome {
        for service in process.services {
            if let outcome = service.perform(verb, seconds: seconds, ticket: ticket) { return outcome }
        }
        return .refused(verb.absence)
    }

    private func setTime(_ seconds: Int64) -> TimedOutcome {
        var events: [ReaderClock.Event] = []
        guard process.wall.set(to: seconds, by: .operatorLocally, into: &events) == .done else {
            return .refused(.timeRefused)
        }
        process.report(events)
        return .done
    }
}
