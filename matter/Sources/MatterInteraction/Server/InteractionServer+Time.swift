// SPDX-License-Identifier: Apache-2.0

public import MatterTLV
public import Timekeeping

extension InteractionServer {
    /// Begins a timed interaction.
    mutating func beginTimed(_ input: Input, _ effects: inout [InteractionEffect]) throws(Refusal) {
        let timeout = try decode(input.payload, as: TimedRequest.init).milliseconds
        try verifyCapacity(for: input.accessor.session)
        // The time begins with the arrival (Matter Core 8.7.3.2). If it may be over, the interaction is refused: the
        // request would be late.
        let end = input.now + (.milliseconds(Int(timeout)) - input.age)
        guard end > input.now || input.age == .zero else { throw Refusal(.timeout) }
        transactions[input.exchange] = Transaction(
            accessor: input.accessor, state: .timed(until: end), deadline: end + InteractionLimits.timedGrace)
        effects.append(
            .send(
                opcode: Opcode.statusResponse, payload: StatusResponse(.success).payload, exchange: input.exchange,
                expectingReply: true))
    }

    /// Compares the timedRequest field of a request with the state of its exchange.
    func verifyTiming(_ isTimed: Bool, _ state: Transaction.State?, at now: Instant) throws(Refusal) {
        switch state {
        case .timed(let end):
            guard now <= end else { throw Refusal(.timeout) }
            guard isTimed else { throw Refusal(.timedRequestMismatch) }
        case .writing(let progress):
            guard isTimed == progress.isTimed else { throw Refusal(.timedRequestMismatch) }
        default:
            guard !isTimed else { throw Refusal(.timedRequestMismatch) }
        }
    }

    /// Ends overdue transactions, and requests exchanges for due reports.
    public mutating func advance(to now: Instant, effects: inout [InteractionEffect]) {
        for exchange in exchanges(where: { $0.deadline <= now }) {
            guard let transaction = transactions.removeValue(forKey: exchange) else { continue }
            expire(transaction, on: exchange, &effects)
        }
        for index in subscriptions.indices {
            guard let deadline = subscriptions[index].deadline, deadline <= now else { continue }
            subscriptions[index].phase = .opening
            effects.append(
                .openReport(
                    session: subscriptions[index].accessor.session, subscription: subscriptions[index].id))
        }
    }

    private mutating func expire(
        _ transaction: Transaction, on exchange: UInt32, _ effects: inout [InteractionEffect]
    ) {
        if case .invoking(let command) = transaction.state {
            respond(.status(StatusInformation(.failure)), to: command, on: exchange, &effects)
        } else {
            effects.append(.close(exchange: exchange))
        }
        if let subscription = transaction.subscription {
            endSubscription(subscription, .unanswered, effects: &effects)
            effects.append(.sessionSuspect(transaction.accessor.session))
        } else {
            effects.append(.notice(.abandoned(exchange: exchange)))
        }
    }

    /// Handles the failure of an exchange whose message the peer did not acknowledge.
    public mutating func exchangeFailed(_ exchange: UInt32, effects: inout [InteractionEffect]) {
        guard let transaction = transactions.removeValue(forKey: exchange) else { return }
        guard let subscription = transaction.subscription else {
            effects.append(.notice(.abandoned(exchange: exchange)))
            return
        }
        endSubscription(subscription, .unanswered, effects: &effects)
        effects.append(.sessionSuspect(transaction.accessor.session))
    }

    /// Handles the end of a session, with all its exchanges.
    public mutating func sessionEnded(_ session: UInt16, effects: inout [InteractionEffect]) {
        transactions = transactions.filter { $0.value.accessor.session != session }
        for subscription in subscriptions where subscription.accessor.session == session {
            endSubscription(subscription.id, .sessionEnded, effects: &effects)
        }
    }

    /// Handles the removal of a fabric: removes its subscriptions, its events and its transactions except commands,
    /// since the removal itself may be a command.
    public mutating func fabricRemoved(_ fabric: FabricIndex, effects: inout [InteractionEffect]) {
        events.remove(of: fabric)
        for subscription in subscriptions where subscription.accessor.fabric == fabric {
            endSubscription(subscription.id, .fabricRemoved, effects: &effects)
        }
        for exchange in exchanges(where: { $0.accessor.fabric == fabric && !$0.isCommand }) {
            transactions[exchange] = nil
            effects.append(.close(exchange: exchange))
        }
    }
}
