// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Timekeeping

/// A report in progress: the answer to a read, the first report of a subscription, or a later one.
struct ReportJob: Sendable {
    enum Purpose: Equatable, Sendable {
        case read
        /// The first report of a subscription, which SubscribeResponse follows.
        case priming(UInt32)
        case change(UInt32)

        /// The subscription.
        var subscription: UInt32? {
            switch self {
            case .read: nil
            case .priming(let id), .change(let id): id
            }
        }
    }

    let purpose: Purpose
    let accessor: Accessor
    let isFabricFiltered: Bool
    private var attributes: AttributeWalk
    private(set) var events: EventWalk
    /// The step that did not fit the previous message.
    private var waiting: AttributeWalk.Step?
    private var waitingEvent: EventWalk.Step?
    private var list: ListRemainder?
    /// True after the last message.
    private(set) var isComplete = false

    init(
        _ purpose: Purpose, for accessor: Accessor, isFabricFiltered: Bool, attributes: AttributeWalk,
        events: EventWalk
    ) {
        self.purpose = purpose
        self.accessor = accessor
        self.isFabricFiltered = isFabricFiltered
        self.attributes = attributes
        self.events = events
    }

    /// The next message.
    mutating func next(_ model: some DataModel, _ buffer: EventBuffer, at now: Instant) -> [UInt8] {
        var message = ReportMessage(subscription: purpose.subscription)
        attributes.reconsiderAccess()
        isComplete = fill(&message, model, buffer, at: now)
        return message.finish(hasMore: !isComplete, suppressesResponse: isComplete && purpose == .read)
    }

    /// Fills a message. Returns true if nothing is left.
    private mutating func fill(
        _ message: inout ReportMessage, _ model: some DataModel, _ buffer: EventBuffer, at now: Instant
    ) -> Bool {
        while true {
            if list != nil {
                guard fillList(&message) else { return false }
                continue
            }
            guard let step = waiting.take() ?? attributes.next(in: model, for: accessor) else { break }
            guard add(step, to: &message, model, at: now) else { return false }
        }
        while let step = waitingEvent.take() ?? events.next(in: buffer, of: model, for: accessor) {
            guard ReportJob.add(step, to: &message) == .added else {
                // `EventRecord.largestData` leaves room for any event in an empty message.
                waitingEvent = step
                return false
            }
        }
        return true
    }

    /// Adds a step. Returns false if the message is full.
    private mutating func add(
        _ step: AttributeWalk.Step, to message: inout ReportMessage, _ model: some DataModel, at now: Instant
    ) -> Bool {
        let addition: ReportMessage.Addition
        switch step {
        case .status(let path, let status):
            addition = message.add(to: .attributes) { path.writeReport(of: status, into: &$0) }
        case .value(let target):
            do throws(StatusInformation) {
                addition = try message.add(to: .attributes) { (writer: inout TLVWriter) throws(StatusInformation) in
                    try write(target, into: &writer, model, at: now)
                }
                if case .tooLarge(let count) = addition, count > message.capacity {
                    return split(target, model, at: now)
                }
            } catch {
                if !target.isExpanded { waiting = .status(target.path, error) }
                return true
            }
        }
        if addition != .added { waiting = step }
        return addition == .added
    }

    /// Prepares the parts of a list that exceeds a message. For any other value that exceeds it, a status is reported.
    private mutating func split(_ target: AttributeWalk.Target, _ model: some DataModel, at now: Instant) -> Bool {
        let remainder = target.isList ? ListRemainder(target, self, model, at: now) : nil
        if let remainder {
            list = remainder
        } else {
            waiting = .status(target.path, StatusInformation(.resourceExhausted))
        }
        return true
    }

    private mutating func fillList(_ message: inout ReportMessage) -> Bool {
        guard var remainder = list else { return true }
        while !remainder.isDone {
            guard message.add(to: .attributes, { remainder.writeNext(into: &$0) }) == .added else {
                list = remainder
                return false
            }
            remainder.advance()
        }
        list = nil
        return true
    }

    private func write(
        _ target: AttributeWalk.Target, into writer: inout TLVWriter, _ model: some DataModel, at now: Instant
    ) throws(StatusInformation) {
        writer.open(.structure, as: .anonymous)
        writer.open(.structure, as: 1)
        writer.unsigned(model.dataVersion(endpoint: target.path.endpoint, cluster: target.path.cluster), as: 0)
        target.path.write(into: &writer, as: 1)
        try writeValue(of: target, into: &writer, as: 2, model, at: now)
        writer.close()
        writer.close()
    }

    /// Writes the value of an attribute, also of a global one.
    func writeValue(
        of target: AttributeWalk.Target, into writer: inout TLVWriter, as tag: TLVTag, _ model: some DataModel,
        at now: Instant
    ) throws(StatusInformation) {
        if target.cluster.writeGlobal(target.path.attribute, into: &writer, as: tag) { return }
        try model.read(
            target.path, by: accessor, fabricFiltered: isFabricFiltered, into: &writer, as: tag, at: now)
    }

    private static func add(_ step: EventWalk.Step, to message: inout ReportMessage) -> ReportMessage.Addition {
        switch step {
        case .event(let event): message.add(to: .events) { event.writeReport(into: &$0) }
        case .status(let path, let status): message.add(to: .events) { path.writeReport(of: status, into: &$0) }
        }
    }
}

extension AttributePath {
    /// Writes an AttributeReportIB with an AttributeStatusIB.
    func writeReport(of status: StatusInformation, into writer: inout TLVWriter) {
        writer.structure(as: .anonymous) { report in
            report.structure(as: 0) { body in
                write(into: &body, as: 0)
                status.write(into: &body, as: 1)
            }
        }
    }
}

extension EventPath {
    /// Writes an EventReportIB with an EventStatusIB.
    func writeReport(of status: StatusInformation, into writer: inout TLVWriter) {
        writer.structure(as: .anonymous) { report in
            report.structure(as: 0) { body in
                write(into: &body, as: 0)
                status.write(into: &body, as: 1)
            }
        }
    }
}
