// SPDX-License-Identifier: Apache-2.0

import LockChannel
import MatterNode
import System
import Timekeeping

/// The PINs of the node, whose changes and refusals the reader records.
extension LockProcess {
    /// Forwards changes of PINs; without the reader, or an administrator, they are refused at once.
    func forward(_ request: PINRequest) {
        guard let author = request.author,
            connection.send(
                .recordPINs(
                    LockPINRequest(
                        number: request.id,
                        changes: request.changes.map {
                            LockPINChange(isAdded: $0.kind == .added, index: $0.index, user: $0.user)
                        }, author: LockNode(author))))
        else {
            node?.answer(request.id, isDone: false, at: now)
            return
        }
    }

    /// Reports the refusal of an order.
    func forward(_ action: LockAction, _ author: MatterAuthor?, _ reason: PINRefusal) {
        guard let author else { return }
        let isCounted = reason == .wrong || reason == .lastWrong
        guard isCounted || uncountedReports.admit(at: reactor.now) else { return }
        connection.send(
            .pinRefused(
                LockPINRefusal(
                    position: action == .lock ? .locked : .unlocked, author: LockNode(author),
                    reason: LockPINRefusal.Reason(reason))))
    }
}

extension LockPINRefusal.Reason {
    fileprivate init(_ reason: PINRefusal) {
        self =
            switch reason {
            case .missing: .missing
            case .wrong: .wrong
            case .lastWrong: .lastWrong
            case .disabled: .disabled
            }
    }
}
