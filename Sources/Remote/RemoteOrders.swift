// SPDX-License-Identifier: Apache-2.0

public import Configuration
internal import Crypto
public import Fleet
internal import Octets
public import Reader
public import Timekeeping

/// The signed orders of a back end, each executed at most once, and their answers. A value without I/O.
///
/// An order that passes all checks is first kept on the disk, with its counter, then executed: after a power cut
/// between the two it is not executed again. An order that cannot be checked or kept is refused.
///
/// ```
/// received ─ receive ─▶ keeping ── kept ──▶ acting ── acted ──▶ answered
///     └── refused ─────────┴── not kept, expired ──────────────────▲
/// ```
public struct RemoteOrders: Sendable {
    /// The next step of a received order.
    public enum Step: Equatable, Sendable {
        /// The answer; the order changes nothing.
        case answer(RemoteAnswer)
        /// Keep these octets as the setting of this name, and report the result by `kept` with the ticket.
        case keep(UInt64, name: String, [UInt8])
        /// The same order is under way: both get its answer.
        case waits
    }

    /// The next step of an order that was kept or could not be kept.
    public enum Kept: Equatable, Sendable {
        /// Execute the order now, and report the result by `acted`.
        case act(Act)
        /// The answer; the order is not executed.
        case answer(Reply)
    }

    /// An order to execute.
    public struct Act: Equatable, Sendable {
        /// The command.
        public var command: RemoteCommand
        /// The actor in the record: the first octets of the key's SHA-256, in digits.
        public var actor: String
        /// The last second in which it may move the door, since 1970 in UTC.
        public var until: Int64
    }

    /// The answer to an order that was under way.
    public struct Reply: Equatable, Sendable {
        /// The answer.
        public var answer: RemoteAnswer
        /// The numbers of the messages with the order.
        public var numbers: [UInt64]
    }

    /// An order under way.
    private struct Pending: Equatable {
        var ticket: UInt64
        var order: RemoteOrder
        var command: RemoteCommand
        var numbers: [UInt64]
        /// The number of the event; nil before it is recorded.
        var sequence: UInt64?
        /// True once the order is on the disk, and being executed.
        var isActing = false
    }

    /// The reader's identifier in topics.
    private let device: String
    private let keys: [CommandKey]
    /// Nil while it is unknown, so that no order is accepted.
    private var ledger: RemoteLedger?
    /// The state that the back end desires.
    public var desired: DesiredState
    private var pending: [Pending] = []
    private var lastTicket: UInt64 = 0
    /// The time at which an operator began an empty policy, which has lost the previous counters; nil for other
    /// policies.
    private var begunAt: Int64?

    /// Creates the orders to the reader with this identifier in topics, which `keys` may sign.
    public init(device: String, keys: [CommandKey]) {
        (self.device, self.keys) = (device, keys)
        desired = DesiredState(device: device)
    }

    /// The name of the setting with the counters and the last orders.
    public static var setting: String { RemoteLedger.setting }

    /// Begins with the kept setting, nil if there were no orders. Before this call, and after invalid octets, every
    /// order is refused. `begunAt` is the setting of a policy that an operator has begun, nil for other policies. Later
    /// calls change nothing: this value is newer than the disk.
    public mutating func restore(_ kept: [UInt8]?, begunAt: [UInt8]? = nil) {
        guard ledger == nil else { return }
        if let begunAt {
            guard let seconds = PolicyTime.seconds(begunAt) else { return }
            self.begunAt = seconds
        }
        ledger = kept.map { RemoteLedger($0) } ?? RemoteLedger()
    }

    /// True if a policy was begun at an uncertain time: every order is refused until `begin`.
    public var needsBeginning: Bool { begunAt == PolicyTime.unknown }

    /// Sets the time at which the policy was begun to `now`, in seconds since 1970, from a synchronised clock or an
    /// operator. Returns the setting to keep; nil if the time is known already.
    public mutating func begin(at now: Int64) -> (name: String, octets: [UInt8])? {
        guard needsBeginning, now < PolicyTime.unknown else { return nil }
        begunAt = now
        return (PolicyDocument.begunAt, PolicyTime.octets(now))
    }

    /// The octets of the setting, with the answers so far; nil while it is unknown.
    public var octets: [UInt8]? { ledger?.octets }

    /// True while an order is being kept or executed, or a desired state kept.
    public var areUnderWay: Bool { !pending.isEmpty || desired.isBeingKept }

    // MARK: - An order

    /// Receives an order, with the number of its message for the answer. `permitted` are the commands that the
    /// configuration permits, and `settable` the parts of the desired state.
    public mutating func receive(
        _ octets: [UInt8], isRetained: Bool, number: UInt64, permitted: [RemoteCommand],
        settable: [OwnedPart] = [], zone: TimeZoneRule, at moment: Moment
    ) -> Step {
        let signed: RemoteOrder.Signed
        do throws(RemoteOrder.FormFault) { signed = try RemoteOrder.Signed(octets) } catch {
            return .answer(RemoteAnswer(device: device, id: nil, command: nil, .refused, .form))
        }
        let order = signed.order
        if let reason = refusal(of: signed, zone, at: moment) { return .answer(answer(order, .refused(reason))) }
        if order.command == DesiredManifest.command {
            return .answer(desired.receive(order, settable: settable, since: begunAt, at: moment))
        }
        guard let ledger else { return .answer(answer(order, .refused(.notKept))) }
        if let entry = ledger.entry(order.key, order.id) { return repeatAnswer(of: entry, number) }
        let counter = ledger.counter(of: order.key)
        let command = RemoteCommand(rawValue: order.command)
        if let reason = refusal(of: order, command, isRetained, after: counter, permitted, at: moment) {
            return .answer(answer(order, .refused(reason), counter: counter))
        }
        guard let command else { return .answer(answer(order, .refused(.forbidden), counter: counter)) }
        return keep(order, command, number)
    }

    /// The reason to refuse an order for another reader, or without a valid signature; nil for other orders.
    private func refusal(
        of signed: RemoteOrder.Signed, _ zone: TimeZoneRule, at moment: Moment
    ) -> RemoteAnswer.Reason? {
        guard signed.order.reader == device else { return .reader }
        let latest = moment.latestSeconds.map { zone.civilTime(at: $0) }
        guard let key = keys.first(where: { $0.id == signed.order.key && $0.isAccepted(at: latest) }) else {
            return .key
        }
        let octets = signed.signedOctets
        return key.key.isValid(signature: signed.signature.span, for: octets.span) ? nil : .signature
    }

    /// The reason to refuse an order of the back end; nil to execute it. The limits of an opening apply to commands
    /// that this firmware does not have.
    private func refusal(
        of order: RemoteOrder, _ command: RemoteCommand?, _ isRetained: Bool, after counter: UInt64?,
        _ permitted: [RemoteCommand], at moment: Moment
    ) -> RemoteAnswer.Reason? {
        let strict = command ?? .pulse
        // A broker delivers a retained message to each new connection, perhaps hours after the person has left.
        if isRetained, strict.mustBeFresh { return .retained }
        if let reason = RemoteOrders.refusal(
            ofTimeOf: order, life: strict.lifeSeconds, since: begunAt, at: moment)
        {
            return reason
        }
        if let counter, order.counter <= counter { return .counter }
        guard let command, permitted.contains(command) else { return .forbidden }
        // No command has arguments.
        guard order.arguments.isEmpty else { return .form }
        return pending.count < FleetLimits.ordersAhead ? nil : .busy
    }

    /// The reason to refuse an order at this time; nil if it holds, no longer than `life` in seconds, and from after
    /// `since`.
    static func refusal(
        ofTimeOf order: RemoteOrder, life: UInt64, since: Int64?, at moment: Moment
    ) -> RemoteAnswer.Reason? {
        guard let now = moment.epochSeconds else { return .clock }
        if let since, Int64(clamping: order.notBefore) <= since { return .policyBegun }
        if Int64(clamping: order.notBefore) > now { return .early }
        if moment.isOver(Int64(clamping: order.expires)) { return .expired }
        return order.expires - order.notBefore <= life ? nil : .expired
    }

    /// Repeats the answer to an order that was accepted before; nothing moves.
    private mutating func repeatAnswer(of entry: RemoteLedger.Entry, _ number: UInt64) -> Step {
        guard let index = pending.firstIndex(where: { $0.order.key == entry.key && $0.order.id == entry.id }) else {
            return .answer(
                RemoteAnswer(
                    device: device, id: entry.id, command: entry.command, entry.outcome, sequence: entry.sequence,
                    counter: entry.counter))
        }
        if pending[index].numbers.count < FleetLimits.ordersAhead { pending[index].numbers.append(number) }
        return .waits
    }

    private mutating func keep(_ order: RemoteOrder, _ command: RemoteCommand, _ number: UInt64) -> Step {
        lastTicket += 1
        pending.append(Pending(ticket: lastTicket, order: order, command: command, numbers: [number]))
        ledger?.append(order, installed: keys.map(\.id)) { entry in
            pending.contains { $0.order.key == entry.key && $0.order.id == entry.id }
        }
        return .keep(lastTicket, name: RemoteLedger.setting, ledger?.octets ?? [])
    }

    // MARK: - Under way

    /// Reports that the order of this ticket is on the disk, or could not be kept; nil if the ticket is not waiting.
    public mutating func kept(_ ticket: UInt64, _ isKept: Bool, at moment: Moment) -> Kept? {
        guard let index = pending.firstIndex(where: { $0.ticket == ticket && !$0.isActing }) else { return nil }
        let waiting = pending[index]
        let until = Int64(clamping: waiting.order.expires)
        let refusal: RemoteAnswer.Reason? =
            !isKept
            ? .notKept
            : moment.epochSeconds == nil ? .clock : moment.isOver(until) ? .expired : nil
        if let refusal { return acted(ticket, refusal).map(Kept.answer) }
        pending[index].isActing = true
        return .act(
            Act(command: waiting.command, actor: "key \(Hexadecimal.text(waiting.order.key.prefix(4)))", until: until))
    }

    /// Reports that the event of an order is on the disk under this number, before the order is executed.
    public mutating func recorded(_ ticket: UInt64, _ sequence: UInt64?) {
        guard let index = pending.firstIndex(where: { $0.ticket == ticket }) else { return }
        pending[index].sequence = sequence
    }

    /// Reports that the order of this ticket was executed, or refused; nil for an unknown ticket. The caller then keeps
    /// `octets`.
    public mutating func acted(_ ticket: UInt64, _ refusal: RemoteAnswer.Reason?) -> Reply? {
        guard let index = pending.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        let ended = pending.remove(at: index)
        let outcome = refusal.map(RemoteLedger.Outcome.refused) ?? .done
        let sequence = refusal == nil ? ended.sequence : nil
        ledger?.end(ended.order.key, ended.order.id, outcome, sequence)
        return Reply(
            answer: answer(ended.order, outcome, sequence: sequence, counter: ended.order.counter),
            numbers: ended.numbers)
    }

    /// Forgets the numbers of messages when the process that sent them has ended; the next process has other numbers.
    public mutating func forgetNumbers() {
        for index in pending.indices { pending[index].numbers = [] }
    }

    private func answer(
        _ order: RemoteOrder, _ outcome: RemoteLedger.Outcome, sequence: UInt64? = nil, counter: UInt64? = nil
    ) -> RemoteAnswer {
        RemoteAnswer(
            device: device, id: order.id, command: order.command, outcome, sequence: sequence, counter: counter)
    }
}

extension RemoteAnswer {
    /// Creates an answer with the outcome of an order; nil for an unknown outcome.
    fileprivate init(
        device: String, id: [UInt8], command: String, _ outcome: RemoteLedger.Outcome?, sequence: UInt64?,
        counter: UInt64?
    ) {
        switch outcome {
        case .done:
            self.init(device: device, id: id, command: command, Result.done, sequence: sequence, counter: counter)
        case .refused(let reason):
            self.init(device: device, id: id, command: command, .refused, reason, counter: counter)
        case nil: self.init(device: device, id: id, command: command, Result.repeated, counter: counter)
        }
    }
}
