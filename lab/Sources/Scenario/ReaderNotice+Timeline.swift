import AccessProtocol
import Peripheral
import Reader
import Timekeeping

extension TimelineEntry {
    /// The entry for a notice of the reader at `now`.
    init(_ notice: ReaderNotice, at now: Instant) {
        self.init(now, "reader", notice.timelineEvent, notice.description)
        switch notice {
        case .advertising(let on): level = on
        case .connected(let link, let mode, _):
            self.link = Int(link.generation)
            reason = mode?.rawValue
        case .measured(let link, let dBm), .near(let link, let dBm):
            self.link = Int(link.generation)
            rssi = Int(dBm)
        case .refused(let link, let refusal):
            self.link = Int(link.generation)
            reason = refusal.name
        case .messageRefused(let link, let code, _):
            self.link = Int(link.generation)
            status = Int(code.rawValue)
        case .executed(let link, let credential, let command, let code):
            self.link = Int(link.generation)
            self.credential = credential
            self.command = command
            status = Int(code.rawValue)
        case .decided(let link, let decision, let code):
            self.link = Int(link.generation)
            credential = decision.credentialID?.text
            command = decision.kind.rawValue
            status = Int(code.rawValue)
        case .blacklisted(let link, let credential), .repeated(let link, let credential):
            self.link = Int(link.generation)
            self.credential = credential
        case .unanswerable(let link), .disconnected(let link, _), .tapped(let link), .tapEnded(let link):
            self.link = Int(link.generation)
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
        case .measured: .measured
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
