import AccessProtocol
public import Peripheral
import Protobuf
public import Timekeeping

/// Commands whose answer needs whoever keeps the log, the blacklist and the settings: a request goes out, an answer
/// comes in, and the reactor goes on meanwhile. As with openings, a phone that has left changes nothing.
extension AccessReader {
    /// How long a phone waits for the disk before it is told that the reader is busy (−21): less than a connection may
    /// last without an exchange, so that it is told.
    static let storageWait = Duration.milliseconds(1500)

    /// How far a command came that needs what is kept.
    enum StorageStep: Equatable {
        /// It is none that needs anything kept.
        case none
        /// It waits for an answer.
        case waits
        /// It is over, with this status.
        case ended(StatusCode)
    }

    /// Begins a command that needs what is kept.
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
                link: link.id, command: command,
                event: event(.command, link, command.credentialID, command.name, info: 0, at: moment),
                deadline: moment.instant + AccessReader.storageWait, blacklistStep: step,
                pushed: pushed)
            effects.append(.store(StorageRequest(id: commands.append(waiting), work: work)))
            return .waits
        } catch {
            return .ended(error)
        }
    }

    /// Without anybody who keeps things, as in the lab, the blacklist is that in memory and there are no logs.
    private func withoutStorage(_ command: AuthorizedCommand) -> StorageStep {
        switch command.name.equivalent {
        case .status: .none
        case .update, .setTime, .setClock: .ended(.notSupported)
        case .blacklistPush, .blacklistClear: .ended(.ok)
        default: .ended(.notSupported)
        }
    }

    /// What to ask for; throws what the phone is told if there is nothing to ask for.
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

    /// Takes the answer to a request. One that nobody waits for any more still changes what it was to change.
    public mutating func answerStorage<Port: PeripheralPort & ~Copyable>(
        _ id: CommandID, _ answer: StorageAnswer, port: inout Port, at moment: Moment
    ) {
        guard let waiting = commands.take(id) else { return }
        let isKept: Bool
        if case .failed = answer { isKept = false } else { isKept = true }
        if let step = waiting.blacklistStep {
            policy.settle(step, isKept: isKept, waiting: commands.blacklistSteps)
        }
        switch answer {
        case .done where waiting.command.name.changesBlacklist:
            let count = Int32(clamping: policy.blacklist.count)
            effects.append(.record(waiting.event.changed(to: .blacklistChanged, info: count)))
        case .done:
            guard let pushed = waiting.pushed else { break }
            if (try? adopt(pushed)) != nil {
                effects.append(.record(waiting.event.changed(to: .configurationChanged, info: 0)))
            }
            return askCounters(waiting)
        default: break
        }
        if case .counters(let counters) = answer { logCounters = counters }
        result.removeAll(keepingCapacity: true)
        finish(
            waiting, status(of: answer, to: waiting.command, isPush: waiting.pushed != nil, at: moment), port: &port,
            at: moment)
    }

    /// Asks for what the status counts, for an `UPDATE` whose configuration is kept.
    private mutating func askCounters(_ waiting: PendingCommands.Waiting) {
        guard waiting.deadline != nil else { return }
        var waiting = waiting
        waiting.pushed = nil
        effects.append(.store(StorageRequest(id: commands.append(waiting), work: .counters)))
    }

    /// Tells phones that have waited for too long that the reader is busy (−21).
    mutating func expireCommands<Port: PeripheralPort & ~Copyable>(port: inout Port, at moment: Moment) {
        for waiting in commands.expire(at: moment.instant) {
            result.removeAll(keepingCapacity: true)
            finish(
                waiting,
                status(of: .failed(.unavailable), to: waiting.command, isPush: waiting.pushed != nil, at: moment),
                port: &port, at: moment)
        }
    }

    /// Leaves the result in `result`, and returns what the phone is told. `STATUS`, and `UPDATE` with it, is answered whatever the disk does:
    /// it is how one learns of it.
    private mutating func status(
        of answer: StorageAnswer, to command: AuthorizedCommand, isPush: Bool, at moment: Moment
    ) -> StatusCode {
        // A configuration that could not be kept is told so; one that was is answered with the status.
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

    private mutating func finish<Port: PeripheralPort & ~Copyable>(
        _ waiting: PendingCommands.Waiting, _ status: StatusCode, port: inout Port, at moment: Moment
    ) {
        // After its time is over the phone has its answer, and may be at another command.
        guard waiting.deadline != nil else { return }
        let command = waiting.command
        effects.append(.record(waiting.event.changed(to: .command, info: Int32(status.rawValue))))
        guard let link = link(waiting.link), link.session.isExecuting else {
            return tell(
                .executed(waiting.link, credential: command.credentialID, command: command.name.rawValue, status))
        }
        complete(command, status, link)
        sendAnswer(link, port: &port, at: moment.instant)
    }
}

extension CommandName {
    /// Whether its answer needs what outlives the reader.
    var needsStorage: Bool {
        switch equivalent {
        case .status, .update, .setTime, .setClock, .eventQuery, .eventClear, .systemLogQuery, .systemLogClear,
            .blacklistPush, .blacklistClear:
            true
        default: false
        }
    }

    /// Whether it changes who is called back.
    var changesBlacklist: Bool { self == .blacklistPush || self == .blacklistClear }
}
