// SPDX-License-Identifier: Apache-2.0

import MatterTLV
public import Timekeeping

extension InteractionServer {
    /// Begins a subscription with its first report.
    mutating func subscribe(
        _ input: Input, _ model: some DataModel, _ effects: inout [InteractionEffect]
    ) throws(Refusal) {
        let request = try decode(input.payload, as: SubscribeRequest.init)
        guard request.selection.attributes.count <= InteractionLimits.pathsPerSubscription,
            request.selection.events.count <= InteractionLimits.eventPaths
        else { throw Refusal(.pathsExhausted) }
        try verifyCapacity(for: input.accessor.session)
        let id = makeSubscriptionNumber()
        let job = ReportJob(.priming(id), for: input.accessor, request.selection, upTo: events.nextNumber)
        guard selectsAnything(job, request.selection, model) else { throw Refusal(.invalidAction) }
        let replaced = request.keepsSubscriptions ? [] : subscriptions.filter { $0.belongs(to: input.accessor) }
        try verifySubscriptionCapacity(for: input.accessor, without: replaced.count)
        for subscription in replaced { endSubscription(subscription.id, .replaced, effects: &effects) }
        subscriptions.append(Subscription(id, request, for: input.accessor, at: input.now))
        report(job, on: input.exchange, model, at: input.now, &effects)
    }

    /// True if the report contains an attribute or an event, or would contain an attribute without its filters.
    private func selectsAnything(_ job: ReportJob, _ selection: ReportSelection, _ model: some DataModel) -> Bool {
        var unfiltered = AttributeWalk(selection.attributes, versions: [:])
        while let step = unfiltered.next(in: model, for: job.accessor) {
            if case .value = step { return true }
        }
        return selection.events.contains { selector in
            guard let path = selector.path else { return true }
            return (try? path.readableDeclaration(in: model, for: job.accessor)) != nil
        }
    }

    /// Verifies the capacity for one more subscription after the removal of `replaced` ones of the same fabric.
    private func verifySubscriptionCapacity(for accessor: Accessor, without replaced: Int) throws(Refusal) {
        let ofFabric = subscriptions.count { $0.accessor.fabric == accessor.fabric }
        guard subscriptions.count - replaced < InteractionLimits.subscriptions,
            ofFabric - replaced < InteractionLimits.subscriptionsPerFabric
        else { throw Refusal(.resourceExhausted) }
    }

    /// Ends the priming with SubscribeResponse.
    mutating func establish(_ id: UInt32, _ job: ReportJob, _ input: Input, _ effects: inout [InteractionEffect]) {
        guard let index = subscriptions.firstIndex(where: { $0.id == id }) else {
            // Replaced in the meantime.
            send(Opcode.statusResponse, StatusResponse(.failure).payload, input.exchange, &effects)
            return
        }
        let interval = subscriptions[index].maximumInterval
        finishReport(of: id, job)
        subscriptions[index].lastReport = input.now
        let response = SubscribeResponse(subscription: id, maximumInterval: interval)
        send(Opcode.subscribeResponse, response.payload, input.exchange, &effects)
        effects.append(
            .notice(.subscribed(subscription: id, session: input.accessor.session, maximumInterval: interval)))
    }

    /// Makes the subscription wait for the next change.
    mutating func finishReport(of id: UInt32, _ job: ReportJob) {
        guard let index = subscriptions.firstIndex(where: { $0.id == id }) else { return }
        subscriptions[index].phase = .idle
        subscriptions[index].nextEvent = job.events.end
    }

    /// Ends a subscription and its report.
    mutating func endSubscription(_ id: UInt32, _ reason: SubscriptionEnd, effects: inout [InteractionEffect]) {
        guard let index = subscriptions.firstIndex(where: { $0.id == id }) else { return }
        subscriptions.remove(at: index)
        for exchange in exchanges(where: { $0.subscription == id }) {
            transactions[exchange] = nil
            effects.append(.close(exchange: exchange))
        }
        effects.append(.notice(.unsubscribed(subscription: id, reason)))
    }

    /// Records a change of an attribute, which subscriptions report. Not for attributes with the quality "changes
    /// omitted".
    public mutating func changed(_ path: AttributePath) {
        for index in subscriptions.indices { subscriptions[index].markChanged(path) }
    }

    /// Records an event, which reads and subscriptions report.
    ///
    /// - Returns: its receipt; nil if the fields are not a TLV structure of at most `EventRecord.largestData` octets.
    @discardableResult
    public mutating func record(_ event: EventRecord) -> EventReceipt? {
        guard let receipt = events.append(event) else { return nil }
        for index in subscriptions.indices {
            let subscription = subscriptions[index]
            guard event.fabric == nil || event.fabric == subscription.accessor.fabric else { continue }
            if subscription.events.contains(where: { $0.isUrgent && $0.includes(event.path) }) {
                subscriptions[index].hasUrgentEvent = true
            }
        }
        return receipt
    }

    /// Answers `InteractionEffect.openReport`.
    ///
    /// - Parameter exchange: the new exchange; nil if the session cannot open one, which ends the subscription.
    public mutating func exchangeOpened(
        _ subscription: UInt32, exchange: UInt32?, model: some DataModel, at now: Instant,
        effects: inout [InteractionEffect]
    ) {
        guard let index = subscriptions.firstIndex(where: { $0.id == subscription }),
            subscriptions[index].phase == .opening
        else {
            if let exchange { effects.append(.close(exchange: exchange)) }
            return
        }
        guard let exchange else {
            endSubscription(subscription, .unanswered, effects: &effects)
            return
        }
        let job = subscriptions[index].report(upTo: events.nextNumber, at: now)
        report(job, on: exchange, model, at: now, &effects)
    }
}
