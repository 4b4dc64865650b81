// SPDX-License-Identifier: Apache-2.0

import Configuration
import LockChannel
import Logging
import Reader
import System
import Timekeeping

/// Commissioning windows and fabrics of the Matter lock: the reader decides about windows of administrators, and keeps
/// every change on record.
extension ReaderMatter {
    /// The time for which changes are gathered before the recorded state is kept. Changes of the last moment before the
    /// end of the process are recorded again by the next one.
    private static let keepingPause = Duration.seconds(1)
    /// The states that wait for the stored one: more than change within the seconds of a start.
    private static let unrecordedLimit = 32

    // MARK: - Windows

    /// Decides about a window of an administrator.
    func decide(_ request: LockWindowRequest) {
        guard let reason = refusal(of: request) else {
            log.notice("matter: \(request.author.actor) opens a window for \(request.seconds) s")
            return reply(request.number, isDone: true)
        }
        if matter.refusalLines.admit(at: reactor.now) {
            log.warning("matter: \(request.author.actor): no commissioning window: \(reason)")
        }
        reply(request.number, isDone: false)
    }

    /// The reason to refuse a window; nil to permit it. Without a record there is no window.
    private func refusal(of request: LockWindowRequest) -> String? {
        guard settings.matter.mayShare else { return "matter.may-share is false; use readerd matter open" }
        if process.device.reader.ledger.isFull || process.device.reader.ledger.fault != nil {
            return "the event log takes no records"
        }
        let event = AuditEvent(.matterWindow, at: auditTime, channel: .matter, actor: request.author.actor)
        return process.hasRoom(for: event) ? nil : ControlAnswer.Refusal.tooOften.text
    }

    // MARK: - Records

    /// Continues with the state that an earlier run has recorded; nil for none or an unreadable state: the
    /// present state is then recorded as a whole.
    func restore(_ kept: [UInt8]?) {
        guard matter.recorded == nil else { return }
        matter.recorded = kept.flatMap { try? LockNodeState(stored: $0) } ?? LockNodeState()
        for state in matter.unrecorded { record(state, matter) }
        matter.unrecorded = []
    }

    /// Records the differences of a state of the node to the recorded one, as soon as that is known.
    func record(_ node: LockNodeState) {
        guard matter.recorded == nil else { return record(node, matter) }
        if matter.unrecorded.count >= Self.unrecordedLimit { matter.unrecorded.removeFirst() }
        matter.unrecorded.append(node)
    }

    private func record(_ node: LockNodeState, _ matter: MatterService) {
        guard let former = matter.recorded else { return }
        guard !node.isSame(as: former) else { return }
        for change in node.changes(since: former) { record(change, node) }
        // The station is the process's until its window closes.
        if former.window != nil, node.window == nil { matter.windowEnd = nil }
        setRecorded(node, matter)
    }

    /// Records the end of a window with the connection: the process closes it when it loses its reader.
    func noticeMatterLoss() {
        guard var state = matter.unrecorded.last ?? matter.recorded,
            state.window != nil
        else { return }
        (state.window, state.author, state.cause) = (nil, nil, .readerLost)
        record(state)
    }

    private func record(_ change: LockNodeChange, _ state: LockNodeState) {
        let (kind, info, detail): (AuditKind, Int32, String) =
            switch change {
            case .fabricAdded(let fabric): (.matterFabricAdded, Int32(fabric.index), fabric.detail)
            case .fabricUpdated(let fabric): (.matterFabricUpdated, Int32(fabric.index), fabric.detail)
            case .fabricRemoved(let fabric): (.matterFabricRemoved, Int32(fabric.index), fabric.detail)
            case .windowOpened(let window): (.matterWindow, 0, window.opener == nil ? "operator" : "administrator")
            case .windowClosed: (.matterWindowEnded, 0, cause(state))
            }
        var actor = state.author
        if case .windowOpened(let window) = change { actor = window.opener }
        log.notice("matter: \(kind.name)\(actor.map { ", \($0.actor)" } ?? "")\(detail.isEmpty ? "" : ": \(detail)")")
        record(
            AuditEvent(
                kind, at: auditTime, info: info, channel: .matter, actor: actor?.actor ?? "", detail: detail))
    }

    /// The cause of a window's end. A node that names none has another window of the operator's, or was restarted.
    private func cause(_ state: LockNodeState) -> String {
        state.cause?.rawValue ?? (state.window == nil ? "restart" : LockCause.operator.rawValue)
    }

    private func setRecorded(_ state: LockNodeState, _ matter: MatterService) {
        matter.recorded = state
        guard !matter.isKeeping else { return }
        matter.isKeeping = true
        reactor.schedule(at: reactor.now + Self.keepingPause) { [weak self] in self?.keepMatterState() }
    }

    /// Ends the channel with the reader: the process closes its window then.
    func closeMatter() {
        noticeMatterLoss()
        keepMatterState()
        matter.close()
    }

    /// Keeps the recorded state for the next run.
    private func keepMatterState() {
        guard matter.isKeeping, let state = matter.recorded else { return }
        matter.isKeeping = false
        audit.keep(MatterService.setting, state.octets)
    }
}
