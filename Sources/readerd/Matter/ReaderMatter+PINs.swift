// SPDX-License-Identifier: Apache-2.0

import Configuration
import LockChannel
import Logging
import Reader

/// The records of the Matter lock's PINs, which its process keeps.
extension ReaderMatter {
    /// Records changes of PINs by an administrator, and permits them. Without a record there is no change.
    func record(_ request: LockPINRequest) {
        if let reason = refusal(of: request) {
            matter.logOrder(.warning, "\(request.author.actor): a change of PINs, refused: \(reason)")
            return reply(request.number, isDone: false)
        }
        for change in request.changes { record(event(change, by: request.author)) }
        matter.logOrder(.notice, "\(request.author.actor): a change of PINs")
        reply(request.number, isDone: true)
    }

    private func refusal(of request: LockPINRequest) -> String? {
        guard settings.matter.hasPINs else { return "matter.pin is false" }
        guard matter.takeOrder() else { return MatterService.text(.busy) }
        if process.device.reader.ledger.isFull || process.device.reader.ledger.fault != nil {
            return "the event log takes no records"
        }
        guard let first = request.changes.first else { return nil }
        return process.hasRoom(for: event(first, by: request.author), count: request.changes.count)
            ? nil : ControlAnswer.Refusal.tooOften.text
    }

    private func event(_ change: LockPINChange, by author: LockNode) -> AuditEvent {
        AuditEvent(
            change.isAdded ? .matterPINAdded : .matterPINRemoved, at: auditTime, channel: .matter, actor: author.actor,
            detail: "pin \(change.index) user \(change.user)")
    }

    /// Records an order without a PIN that authorizes it, within the share of its fabric.
    func record(_ refusal: LockPINRefusal) {
        let name = refusal.position == .unlocked ? "unlock" : "lock"
        matter.logOrder(.warning, "\(refusal.author.actor): \(name), refused: PIN \(refusal.reason.rawValue)")
        let event = AuditEvent(
            .matterPINRefused, at: auditTime, channel: .matter, command: name, actor: refusal.author.actor,
            detail: refusal.reason.rawValue)
        if process.hasRoom(for: event) { record(event) }
    }
}
