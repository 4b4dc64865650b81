// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf
public import Timekeeping

/// Commands that need the event store. The request and its answer are asynchronous, and the reactor is not blocked. A
/// change is carried out also if the phone has disconnected meanwhile.
extension AccessReader {
    /// The time after which a phone is answered "busy" (−21). Shorter than a connection may last without an exchange,
    /// so that the answer arrives.
    static let storageWait = Duration.milliseconds(1500)

    /// The progress of a command that may need the event store.
    enum StorageStep: Equatable {
        /// The command does not need the event store.
        case none
        /// The command waits for an answer.
        case waits
        /// The command has ended with this status.
        case ended(StatusCode)
    }

    /// Begins a command that needs the event store.
    mutating func begin(
        _ command: AuthorizedCommand, _ link: AccessLink, at moment: Moment
    ) -> StorageStep {
        guard command.name.needsStorage else { return .none }
        result.removeAll(keepingCapacity: true)
        do throws(StatusCode) {
            let former = policy.blacklist
            var step: BlacklistStep?
            var pushed: PushedConfiguration?
            let work = try work(for: command, link, at: moment, &step, &pushed)
            guard configuration.isAudited else { return withoutStorage(command) }
            if step != nil { policy.beginChange(of: former) }
            let waiting = PendingCommands.Waiting(
                link: link, command: command,
                event: event(.command, link, command.credentialID, command.name, info: 0, at: moment),
                deadline: moment.instant + AccessReader.storageWait, blacklistStep: step,
                pushed: pushed)
            effects.append(.store(StorageRequest(id: commands.append(waiting), work: work)))
            return .waits
        } catch {
            return .ended(error)
        }
    }

    /// The result of a command in a reader without an event store, as in the lab: the blacklist is in memory only, and
    /// there are no logs.
    private func withoutStorage(_ command: AuthorizedCommand) -> StorageStep {
        switch command.name.equivalent {
        case .status: .none
        case .update, .setTime, .setClock: .ended(.notSupported)
        case .blacklistPush, .blacklistClear: .ended(.ok)
        default: .ended(.notSupported)
        }
    }

    /// The request to the event store.
    ///
    /// - Throws: The status for the phone if there is nothing to request.
    private mutating func work(
        for command: AuthorizedCommand, _ link: AccessLink, at moment: Moment,
        _ step: inout BlacklistStep?, _ pushed: inout PushedConfiguration?
    ) throws(StatusCode) -> StorageWork {
        switch command.name.equivalent {
        case .eventQuery:
            if command.name == .accessLog, command.data.isEmpty { return .events(.newest(PhoneAnswer.eventLimit)) }
            guard let asked = try? EventLogQuery(decodingDelimited: command.data.span) else { throw .decode }
            var query = AuditQuery(asked)
            query.limit = min(query.limit, PhoneAnswer.eventLimit)
            return .events(query)
        case .systemLogQuery:
            guard let asked = try? SystemLogQuery(decodingDelimited: command.data.span) else { throw .decode }
            var query = SystemLineQuery(asked)
            query.limit = min(query.limit, PhoneAnswer.lineLimit)
            return .systemLines(query)
        case .eventClear:
            return .clearEvents(event(.logCleared, link, command.credentialID, command.name, info: 0, at: moment))
        case .systemLogClear: return .clearSystemLines
        case .blacklistPush: return .blacklist(try push(command.data, clock: earliestClock(at: moment), &step))
        case .blacklistClear: return .blacklist(clearBlacklist(&step))
        case .update: return try update(command, link, at: moment, &pushed)
        case .setTime, .setClock: return try setTime(command)
        default: return .counters
        }
    }

    /// Handles the answer to a request. Its changes take effect also if the phone was answered or has disconnected
    /// before.
    public mutating func answerStorage<Port: ReaderPort & ~Copyable>(
        _ id: CommandID, _ answer: StorageAnswer, port: inout Port, at moment: Moment
    ) {
        let isKept: Bool
        if case .failed = answer { isKept = false } else { isKept = true }
        if let revocation = commands.removeRevocation(id) { return end(revocation, isKept: isKept) }
        guard let waiting = commands.remove(id) else { return }
        if let step = waiting.blacklistStep {
            policy.end(step, isKept: isKept, waiting: commands.blacklistSteps)
        }
        switch answer {
        case .done where waiting.command.name.changesBlacklist:
            let count = Int32(clamping: policy.blacklist.count)
            record(waiting.event.changed(to: .blacklistChanged, info: count))
        case .done:
            guard let pushed = waiting.pushed else { break }
            if (try? adopt(pushed)) != nil {
                record(waiting.event.changed(to: .configurationChanged, info: 0))
            }
            return requestCounters(waiting)
        default: break
        }
        if case .counters(let counters) = answer { logCounters = counters }
        result.removeAll(keepingCapacity: true)
        finish(
            waiting, status(of: answer, to: waiting.command, isPush: waiting.pushed != nil, at: moment))
        sendAnswers(port: &port, at: moment.instant)
    }

    /// Requests the counters for the status that answers an `UPDATE`, once its configuration is kept.
    private mutating func requestCounters(_ waiting: PendingCommands.Waiting) {
        guard waiting.deadline != nil else { return }
        var waiting = waiting
        waiting.pushed = nil
        effects.append(.store(StorageRequest(id: commands.append(waiting), work: .counters)))
    }

    /// Answers the phones whose time has run out with "busy" (−21).
    mutating func expireCommands<Port: ReaderPort & ~Copyable>(port: inout Port, at moment: Moment) {
        for waiting in commands.expire(at: moment.instant) {
            result.removeAll(keepingCapacity: true)
            finish(
                waiting,
                status(of: .failed(.unavailable), to: waiting.command, isPush: waiting.pushed != nil, at: moment))
        }
        sendAnswers(port: &port, at: moment.instant)
    }

    /// Leaves the result in `result` and returns the status. `STATUS`, and `UPDATE` with it, is answered even if the
    /// disk fails.
    private mutating func status(
        of answer: StorageAnswer, to command: AuthorizedCommand, isPush: Bool, at moment: Moment
    ) -> StatusCode {
        // An `UPDATE` whose configuration could not be kept is answered by the error; otherwise by the status.
        if command.name == .update, isPush, case .failed(let status) = answer { return status }
        if command.name.equivalent == .status || command.name == .update {
            return execute(command, at: moment)
        }
        switch answer {
        case .failed(let status): return status
        case .events(let records): PhoneAnswer.append(records, to: &result)
        case .systemLines(let lines): PhoneAnswer.append(lines, to: &result)
        case .clock(let outcome): return outcome.status
        case .counters, .done: break
        }
        return .ok
    }

    private mutating func finish(_ waiting: PendingCommands.Waiting, _ status: StatusCode) {
        // Without a deadline the phone was answered before, and may be executing another command.
        guard waiting.deadline != nil else { return }
        let command = waiting.command
        record(waiting.event.changed(to: .command, info: Int32(status.rawValue)))
        guard waiting.link.session.isExecuting else {
            return report(
                .executed(waiting.link.id, credential: command.credentialID, command: command.name.rawValue, status))
        }
        complete(command, status, waiting.link)
        answered.append(waiting.link)
    }
}

extension CommandName {
    /// True if the answer needs the event store.
    var needsStorage: Bool {
        switch equivalent {
        case .status, .update, .setTime, .setClock, .eventQuery, .eventClear, .systemLogQuery, .systemLogClear,
            .blacklistPush, .blacklistClear:
            true
        default: false
        }
    }

    /// True if the command changes the blacklist.
    var changesBlacklist: Bool { self == .blacklistPush || self == .blacklistClear }
}
