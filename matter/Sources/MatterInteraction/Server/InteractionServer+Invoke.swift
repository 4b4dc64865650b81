// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Timekeeping

extension InteractionServer {
    /// Performs an InvokeRequest.
    mutating func invoke(
        _ input: inout Input, _ state: Transaction.State?, _ model: inout some DataModel,
        _ effects: inout [InteractionEffect]
    ) throws(Refusal) {
        let request = try decode(input.payload, as: InvokeRequest.init)
        try verifyTiming(request.isTimed, state, at: input.now)
        guard let item = request.items.first, request.items.count <= InteractionLimits.commandsPerInvoke else {
            throw Refusal(.invalidAction)
        }
        if state == nil { try verifyCapacity(for: input.accessor.session) }
        transactions[input.exchange] = nil
        input.accessor.isTimed = request.isTimed
        let command = PendingCommand(
            ticket: makeTicket(), path: item.path, reference: item.reference,
            suppressesResponse: request.suppressesResponse)
        let outcome = perform(item, command.ticket, input, &model, &effects)
        if case .later = outcome {
            transactions[input.exchange] = Transaction(
                accessor: input.accessor, state: .invoking(command),
                deadline: input.now + InteractionLimits.commandTimeout)
        } else {
            respond(outcome, to: command, on: input.exchange, &effects)
        }
    }

    private func perform(
        _ item: InvokeRequest.Item, _ ticket: CommandTicket, _ input: Input, _ model: inout some DataModel,
        _ effects: inout [InteractionEffect]
    ) -> CommandOutcome {
        do throws(StatusInformation) {
            try judge(item, in: model, by: input.accessor)
        } catch {
            effects.append(.notice(.commandRefused(item.path, session: input.accessor.session, error)))
            return .status(error)
        }
        return model.invoke(item.path, fields: item.fields, ticket: ticket, by: input.accessor, at: input.now)
    }

    /// Checks existence, access, timing and fields, in this order.
    private func judge(
        _ item: InvokeRequest.Item, in model: some DataModel, by accessor: Accessor
    ) throws(StatusInformation) {
        let (endpoint, cluster) = try model.find(item.path.endpoint, item.path.cluster)
        guard let declaration = cluster.commands.first(where: { $0.id == item.path.command }) else {
            throw StatusInformation(.unsupportedCommand)
        }
        let granted = GrantedPrivileges(of: accessor, on: cluster.id, of: endpoint, entries: model.accessEntries)
        guard granted.include(declaration.privilege), !declaration.isFabricScoped || accessor.fabric != nil else {
            throw StatusInformation(.unsupportedAccess)
        }
        guard !declaration.isTimed || accessor.isTimed else { throw StatusInformation(.needsTimedInteraction) }
        guard item.fields.map({ (try? $0.structure()) != nil }) ?? true else {
            throw StatusInformation(.invalidCommand)
        }
    }

    /// Handles the outcome of a command that `DataModel.invoke` left open. No effect if its exchange has ended.
    public mutating func complete(
        _ ticket: CommandTicket, with outcome: CommandOutcome, effects: inout [InteractionEffect]
    ) {
        for (exchange, transaction) in transactions {
            guard case .invoking(let command) = transaction.state, command.ticket == ticket else { continue }
            if case .later = outcome { return }
            transactions[exchange] = nil
            return respond(outcome, to: command, on: exchange, &effects)
        }
    }

    /// Ends the exchange of a command with its outcome.
    func respond(
        _ outcome: CommandOutcome, to command: PendingCommand, on exchange: UInt32,
        _ effects: inout [InteractionEffect]
    ) {
        var suppresses = command.suppressesResponse
        if case .unanswered = outcome { suppresses = true }
        guard !suppresses else {
            effects.append(.close(exchange: exchange))
            return
        }
        var response = InvokeResponse(
            path: command.path, reference: command.reference, content: .status(StatusInformation(.failure)))
        switch outcome {
        case .status(let status): response.content = .status(status)
        case .response(let id, let fields):
            if let element = try? TLVElement(fields) { response.content = .data(id, element) }
        case .later, .unanswered: break
        }
        var payload = response.payload
        if payload.count > InteractionLimits.largestMessage {
            response.content = .status(StatusInformation(.resourceExhausted))
            payload = response.payload
        }
        send(Opcode.invokeResponse, payload, exchange, &effects)
    }
}
