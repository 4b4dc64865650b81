// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Peripheral
import Reader
import Timekeeping

extension TimelineEntry {
    /// The entry for a notice of a reader with this name at `now`.
    init(_ notice: ReaderNotice, of reader: String, at now: Instant) {
        self.init(now, reader, notice.timelineEvent, notice.description)
        link = notice.phone?.link.map { Int($0.generation) }
        switch notice {
        case .advertising(let state): level = state == .on
        case .connected(_, let mode, _): reason = mode?.rawValue
        case .measured(_, let dBm, _), .traced(_, let dBm), .near(_, let dBm): rssi = Int(dBm)
        case .refused(_, let refusal): reason = refusal.name
        case .messageRefused(_, let code, _): status = Int(code.rawValue)
        case .executed(_, let credential, let command, let code):
            (self.credential, self.command) = (credential, command)
            status = Int(code.rawValue)
        case .decided(_, let decision, let code):
            (credential, command) = (decision.credentialID?.text, decision.kind.rawValue)
            status = Int(code.rawValue)
        case .cardRefused(_, _, let refusal): reason = refusal.rawValue
        case .blacklisted(_, let credential), .repeated(_, let credential): self.credential = credential
        case .doorStarted: level = false
        case .door(let event): level = event.isUnlocked
        case .unanswerable, .disconnected, .tapped, .tapEnded, .controllerReady, .controllerFailed, .rssiUnavailable,
            .rssiUnusable, .rssiUsable, .unserved, .advertisingRefused, .configurationIgnored, .mailbox:
            break
        }
    }
}

extension ReaderNotice {
    fileprivate var timelineEvent: TimelineEntry.Event {
        switch self {
        case .controllerReady: .controllerReady
        case .controllerFailed: .controllerFailed
        case .advertising: .advertising
        case .connected: .connected
        case .measured, .traced: .measured
        case .near: .near
        case .refused, .cardRefused: .refused
        case .messageRefused: .messageRefused
        case .executed, .decided: .executed
        case .disconnected: .disconnected
        case .doorStarted: .door
        case .door(let event): event.isUnlocked == nil ? .note : .door
        case .rssiUnavailable, .rssiUnusable, .rssiUsable, .unserved, .advertisingRefused, .unanswerable, .blacklisted,
            .repeated, .tapped, .tapEnded, .configurationIgnored, .mailbox:
            .note
        }
    }
}
