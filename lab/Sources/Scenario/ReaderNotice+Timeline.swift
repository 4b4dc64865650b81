// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Reader
import Timekeeping

extension TimelineEntry {
    /// The entry for a notice of a reader with this name at `now`.
    init(_ notice: ReaderNotice, of reader: String, at now: Instant) {
        self.init(now, reader, notice.timelineEvent, notice.description)
        switch notice {
        case .advertising(let on): level = on
        case .connected(let link, let mode, _):
            self.link = Int(link.generation)
            reason = mode?.rawValue
        case .measured(let link, let dBm), .traced(let link, let dBm), .near(let link, let dBm):
            self.link = Int(link.generation)
            rssi = Int(dBm)
        case .refused(let phone, let refusal):
            link = Int(phone.number)
            reason = refusal.name
        case .messageRefused(let phone, let code, _):
            link = Int(phone.number)
            status = Int(code.rawValue)
        case .executed(let phone, let credential, let command, let code):
            link = Int(phone.number)
            self.credential = credential
            self.command = command
            status = Int(code.rawValue)
        case .decided(let phone, let decision, let code):
            link = Int(phone.number)
            credential = decision.credentialID?.text
            command = decision.kind.rawValue
            status = Int(code.rawValue)
        case .blacklisted(let phone, let credential), .repeated(let phone, let credential):
            link = Int(phone.number)
            self.credential = credential
        case .unanswerable(let link), .disconnected(let link, _): self.link = Int(link.generation)
        case .tapped(let phone), .tapEnded(let phone): link = Int(phone.number)
        case .doorStarted: level = false
        case .door(let event): level = event.isUnlocked
        case .controllerReady, .controllerFailed, .rssiUnavailable, .unserved, .configurationIgnored: break
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
        case .refused: .refused
        case .messageRefused: .messageRefused
        case .executed, .decided: .executed
        case .disconnected: .disconnected
        case .doorStarted: .door
        case .door(let event): event.isUnlocked == nil ? .note : .door
        case .rssiUnavailable, .unserved, .unanswerable, .blacklisted, .repeated, .tapped, .tapEnded,
            .configurationIgnored:
            .note
        }
    }
}
