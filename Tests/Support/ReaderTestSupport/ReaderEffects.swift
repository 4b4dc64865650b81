// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Timekeeping

import Reader

/// Somebody who is to be let in once that is recorded.
struct OpenRequest: Equatable {
    var token: OpeningToken
    var event: AuditEvent
}

/// The effects by kind, for tests that look at one kind; what is set replaces those of the kind.
extension AccessReader {
    var doorActions: [DoorAction] {
        get { effects.compactMap { if case .door(let action, _) = $0 { action } else { nil } } }
        set { replace(newValue.map { .door($0, since: nil) }) { if case .door = $0 { true } else { false } } }
    }

    var auditEvents: [AuditEvent] {
        get { effects.compactMap { if case .recorded(let event) = $0 { event } else { nil } } }
        set { replace(newValue.map { .recorded($0) }) { if case .recorded = $0 { true } else { false } } }
    }

    /// The openings that wait for their verdict.
    var openRequests: [OpenRequest] { ledger.waiting.map { OpenRequest(token: $0.token, event: $0.event) } }

    var storageRequests: [StorageRequest] {
        get { effects.compactMap { if case .store(let request) = $0 { request } else { nil } } }
        set { replace(newValue.map { .store($0) }) { if case .store = $0 { true } else { false } } }
    }

    var updateRequests: [UpdateRequest] {
        effects.compactMap { if case .update(let request) = $0 { request } else { nil } }
    }

    private mutating func replace(_ new: [ReaderEffect], _ isOfKind: (ReaderEffect) -> Bool) {
        effects.removeAll(where: isOfKind)
        effects += new
    }

    /// The oldest notice that was not taken yet.
    mutating func nextNotice() -> ReaderNotice? {
        guard let index = effects.firstIndex(where: { if case .notice = $0 { true } else { false } }),
            case .notice(let notice) = effects.remove(at: index)
        else { return nil }
        return notice
    }

    /// Both halves of a decision.
    mutating func decideOpening<Port: ReaderPort & ~Copyable>(
        _ token: OpeningToken, _ status: StatusCode, port: inout Port, at moment: Moment
    ) {
        decide(token, status, at: moment)
        answerOpenings(port: &port, at: moment)
    }

    /// The number of openings of the door since the start.
    var timesOpened: UInt32 { doorStatus.openings }
}
