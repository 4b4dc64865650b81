// SPDX-License-Identifier: Apache-2.0

import MatterTLV
public import Timekeeping

/// The server of the interaction model: reads, writes, commands, timed interactions, subscriptions and events.
///
/// It is a value: messages, time and changes of the model go in, messages and requests come out as effects. The caller
/// calls `advance(to:)` at `deadline`, and reports each change of an attribute with `changed(_:)`.
public struct InteractionServer: Sendable {
    /// The latest events.
    public internal(set) var events: EventBuffer

    var transactions: [UInt32: Transaction] = [:]
    var subscriptions: [Subscription] = []
    private var nextSubscription: UInt32
    private var nextTicket: UInt32 = 1

    /// A server.
    ///
    /// - Parameters:
    ///   - events: the restored event buffer.
    ///   - firstSubscription: the number of the first subscription: random, so that numbers do not repeat after a
    ///     restart.
    public init(events: EventBuffer = EventBuffer(), firstSubscription: UInt32) {
        self.events = events
        nextSubscription = firstSubscription
    }

    /// The number of subscriptions that are established or being primed.
    public var subscriptionCount: Int { subscriptions.count }

    /// The number of open transactions.
    public var transactionCount: Int { transactions.count }

    /// The time of the next `advance(to:)`.
    public var deadline: Instant? {
        let transaction = transactions.values.lazy.map(\.deadline).min()
        return .earlier(transaction, subscriptions.lazy.compactMap(\.deadline).min())
    }

    /// Processes a message of the interaction model.
    ///
    /// - Parameter age: the longest time that the message may have waited to be read. The time of a timed interaction
    ///   begins with its arrival.
    public mutating func receive(
        _ opcode: UInt8, _ payload: [UInt8], exchange: UInt32, by accessor: Accessor, model: inout some DataModel,
        at now: Instant, age: Duration = .zero, effects: inout [InteractionEffect]
    ) {
        do throws(Refusal) {
            guard payload.count <= InteractionLimits.largestRequest else { throw Refusal(.invalidAction) }
            let transaction = transactions[exchange]
            guard transaction == nil || transaction?.accessor.session == accessor.session else {
                throw Refusal(.invalidAction)
            }
            var input = Input(
                opcode: opcode, payload: payload, exchange: exchange, accessor: accessor, now: now, age: age)
            try dispatch(&input, transaction?.state, &model, &effects)
        } catch {
            refuse(exchange, error.status, effects: &effects)
            effects.append(.notice(.rejected(opcode: opcode, session: accessor.session, error.status)))
        }
    }

    private mutating func dispatch(
        _ input: inout Input, _ state: Transaction.State?, _ model: inout some DataModel,
        _ effects: inout [InteractionEffect]
    ) throws(Refusal) {
        switch (input.opcode, state) {
        case (Opcode.statusResponse, .reporting(let job)): try answered(job, input, &model, &effects)
        case (Opcode.readRequest, nil): try read(input, model, &effects)
        case (Opcode.subscribeRequest, nil): try subscribe(input, model, &effects)
        case (Opcode.writeRequest, nil), (Opcode.writeRequest, .timed), (Opcode.writeRequest, .writing):
            try write(&input, state, &model, &effects)
        case (Opcode.invokeRequest, nil), (Opcode.invokeRequest, .timed):
            try invoke(&input, state, &model, &effects)
        case (Opcode.timedRequest, nil): try beginTimed(input, &effects)
        default: throw Refusal(.invalidAction)
        }
    }

    /// Ends an exchange with a status.
    private mutating func refuse(
        _ exchange: UInt32, _ status: InteractionStatus, effects: inout [InteractionEffect]
    ) {
        if let subscription = transactions.removeValue(forKey: exchange)?.subscription {
            endSubscription(subscription, .refused(status), effects: &effects)
        }
        send(Opcode.statusResponse, StatusResponse(status).payload, exchange, &effects)
    }

    /// A message and its circumstances.
    struct Input {
        let opcode: UInt8
        let payload: [UInt8]
        let exchange: UInt32
        var accessor: Accessor
        let now: Instant
        /// The longest time since the arrival.
        let age: Duration
    }

    /// The refusal of a message as a whole.
    struct Refusal: Error {
        let status: InteractionStatus
        init(_ status: InteractionStatus) { self.status = status }
    }
}

extension InteractionServer {
    /// Decodes a message; a message that cannot be decoded is refused as an invalid action.
    func decode<Message>(
        _ payload: [UInt8], as decoder: ([UInt8]) throws(TLVError) -> Message
    ) throws(Refusal) -> Message {
        do throws(TLVError) {
            return try decoder(payload)
        } catch {
            throw Refusal(.invalidAction)
        }
    }

    /// Verifies that `session` may have one more open transaction.
    func verifyCapacity(for session: UInt16) throws(Refusal) {
        let requested = transactions.values.filter { $0.subscription == nil }
        guard requested.count < InteractionLimits.transactions,
            requested.count(where: { $0.accessor.session == session }) < InteractionLimits.transactionsPerSession
        else { throw Refusal(.busy) }
    }

    /// Sends the last message of an exchange.
    func send(_ opcode: UInt8, _ payload: [UInt8], _ exchange: UInt32, _ effects: inout [InteractionEffect]) {
        effects.append(.send(opcode: opcode, payload: payload, exchange: exchange, expectingReply: false))
    }

    /// The exchanges with open transactions that satisfy `condition`, in the order of their numbers.
    func exchanges(where condition: (Transaction) -> Bool) -> [UInt32] {
        transactions.filter { condition($0.value) }.keys.sorted()
    }

    /// A unique number for a subscription.
    mutating func makeSubscriptionNumber() -> UInt32 {
        repeat { nextSubscription &+= 1 } while subscriptions.contains { $0.id == nextSubscription }
        return nextSubscription
    }

    /// A number for a command.
    mutating func makeTicket() -> CommandTicket {
        defer { nextTicket &+= 1 }
        return CommandTicket(rawValue: nextTicket)
    }
}
