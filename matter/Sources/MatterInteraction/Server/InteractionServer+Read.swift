// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Timekeeping

extension InteractionServer {
    /// Answers a ReadRequest with the first message of a report.
    mutating func read(
        _ input: Input, _ model: some DataModel, _ effects: inout [InteractionEffect]
    ) throws(Refusal) {
        let selection = try decode(input.payload, as: ReadRequest.init).selection
        guard selection.attributes.count <= InteractionLimits.pathsPerRead,
            selection.events.count <= InteractionLimits.eventPaths
        else { throw Refusal(.pathsExhausted) }
        try verifyCapacity(for: input.accessor.session)
        let job = ReportJob(.read, for: input.accessor, selection, upTo: events.nextNumber)
        report(job, on: input.exchange, model, at: input.now, &effects)
    }

    /// Sends the next message of a report.
    mutating func report(
        _ job: ReportJob, on exchange: UInt32, _ model: some DataModel, at now: Instant,
        _ effects: inout [InteractionEffect]
    ) {
        var job = job
        let payload = job.next(model, events, at: now)
        let isLast = job.isComplete && job.purpose == .read
        effects.append(
            .send(opcode: Opcode.reportData, payload: payload, exchange: exchange, expectingReply: !isLast))
        if isLast {
            transactions[exchange] = nil
        } else {
            transactions[exchange] = Transaction(
                accessor: job.accessor, state: .reporting(job), deadline: now + InteractionLimits.peerTimeout)
        }
    }

    /// Processes the answer to a message of a report.
    mutating func answered(
        _ job: ReportJob, _ input: Input, _ model: inout some DataModel, _ effects: inout [InteractionEffect]
    ) throws(Refusal) {
        let status = try decode(input.payload, as: StatusResponse.init).status
        guard status == .success else {
            transactions[input.exchange] = nil
            effects.append(.close(exchange: input.exchange))
            if let id = job.purpose.subscription { endSubscription(id, .refused(status), effects: &effects) }
            return
        }
        guard job.isComplete else { return report(job, on: input.exchange, model, at: input.now, &effects) }
        transactions[input.exchange] = nil
        switch job.purpose {
        case .read: break
        case .priming(let id): establish(id, job, input, &effects)
        case .change(let id):
            effects.append(.close(exchange: input.exchange))
            finishReport(of: id, job)
        }
    }
}

extension ReportJob {
    /// A report of all that a request selects.
    init(_ purpose: Purpose, for accessor: Accessor, _ selection: ReportSelection, upTo nextEvent: UInt64) {
        self.init(
            purpose, for: accessor, isFabricFiltered: selection.isFabricFiltered,
            attributes: AttributeWalk(selection.attributes, versions: selection.versions),
            events: EventWalk(selection.events, from: selection.firstEvent, to: nextEvent, isQuiet: false))
    }
}
