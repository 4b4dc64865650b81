// SPDX-License-Identifier: Apache-2.0

import Reader
import Timekeeping

/// A person or a back end with an order about the door, and the ticket for the answer to an opening.
struct DoorOperator {
    var channel: AuditChannel
    var actor: String
    var ticket: OperatorTicket
    /// The last second in which the door may move, since 1970 in UTC; nil for no such limit.
    var until: Int64?
    /// The detail of the event record.
    var detail: String

    init(
        _ channel: AuditChannel, _ actor: String, _ ticket: OperatorTicket, until: Int64? = nil, detail: String = ""
    ) {
        (self.channel, self.actor, self.ticket, self.until) = (channel, actor, ticket, until)
        self.detail = detail
    }
}

extension ReaderProcess {
    /// Executes an order about the door. An opening is recorded first, as with a phone; securing the door is immediate,
    /// and an order that changes nothing is not recorded.
    ///
    /// - Parameter command: the name in the event record; nil for the order's.
    func execute(_ order: DoorOrder, for person: DoorOperator, command: String? = nil) -> DoorOutcome {
        let event = AuditEvent(
            order.opening == nil ? .command : .unlocked, at: auditTime, channel: person.channel,
            command: command ?? order.command, actor: person.actor, detail: person.detail)
        // An order that releases could not have its own record.
        guard !order.mayRelease || hasRoom(for: event) else { return .refused(.tooOften) }
        if let request = order.opening {
            device.reader.open(request, ticket: person.ticket, event, until: person.until, at: moment.instant)
            return .waits
        }
        let outcome = device.reader.execute(order, at: moment)
        if outcome == .done { record(event) }
        return outcome
    }
}
