// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping

/// Orders to a lock whose program decides. The command is answered with the decision.
extension NodeModel {
    /// Requests the program's decision. Only one order waits at a time.
    mutating func order(
        _ action: LockAction, _ author: LockAuthor, _ call: Invocation
    ) throws(StatusInformation) -> CommandOutcome {
        guard lock.order == nil else { throw StatusInformation(.busy) }
        let id = makeRequestNumber()
        lock.order = PendingOrder(
            id: id, action: action, author: author, ticket: call.ticket, due: call.now + LockOrder.answerTime)
        requests.append(
            .order(
                LockOrder(
                    id: id, action: action, fabric: author.fabric, node: author.node, user: author.credential?.user)))
        return .later(call.ticket)
    }

    /// Handles the program's answer. It is ignored without a waiting order, window or record.
    mutating func answer(_ id: UInt32, isDone: Bool, at now: Instant) {
        if windowRequest?.request.id == id { return answerWindow(isPermitted: isDone, at: now) }
        if lock.pendingUsers?.id == id { return answer(users: id, isDone ? .done : .refused, at: now) }
        guard let order = lock.order, order.id == id else { return }
        lock.order = nil
        if isDone {
            move(order.action, order.author, relock: nil, isMoved: true, at: now)
            requests.append(.complete(order.ticket, .done))
        } else {
            refuseLock(order.action, order.author, error: .restricted, at: now)
            requests.append(.complete(order.ticket, .status(.failure)))
        }
    }
}
