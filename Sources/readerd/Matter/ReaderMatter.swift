// SPDX-License-Identifier: Apache-2.0

import Configuration
import Credentials
import JSON
import LockChannel
import Logging
import NordicProvisioning
import Reader
import System
import Timekeeping
import WiFiStation

/// The Matter lock: the states of the door for its process, and the orders of Matter nodes.
final class ReaderMatter: ReaderService {
    unowned let process: ReaderProcess
    let matter: MatterService
    let gateway: ReaderGateway?
    /// The movements of the lock and the granted cards of this turn.
    private var movements: [LockReport] = []
    private var granted: CardEvidence?

    init(_ process: ReaderProcess, _ matter: MatterService, gateway: ReaderGateway?) {
        (self.process, self.matter, self.gateway) = (process, matter, gateway)
    }

    func start() {
        gateway?.onNotice = { [weak self] in self?.followWindow($0) }
        aliro?.send = { [weak self] in self?.matter.send($0) ?? false }
        aliro?.warn = { [weak self] text in self?.matter.logOrder(.warning, text) }
    }

    func restore(_ contents: StoredContents) { restore(contents.settings[MatterService.setting]) }

    func serve() { start(matter, absent: .matterAbsent, without: "Matter lock") { $0.handle($1) } }

    func close() { closeMatter() }

    func settle() { relayEvents() }

    func perform(_ effect: ReaderEffect) {
        if case .operated(.matter(let order), _, let refusal) = effect { answer(order: order, refusal) }
    }

    func receive(_ verdict: OpeningVerdict) { matter.opening = verdict.channel }

    func perform(_ verb: TimedVerb, seconds: Int64, ticket: UInt64) -> TimedOutcome? {
        guard verb == .matterWindow else { return nil }
        return openWindow(seconds: Int(seconds)) ? .done : .refused(.matterAbsent)
    }

    private func handle(_ event: MatterService.Event) {
        switch event {
        case .connected: matter.send(.reader(lockReader))
        case .lost:
            endMatterRadio()
            noticeMatterLoss()
            aliro?.forgetRequests()
        case .request(.order(let order)): execute(order)
        case .request(.wifi(let request)): perform(request)
        case .request(.openWindow(let request)): decide(request)
        case .request(.state(let state)): record(state)
        case .request(.aliro(let request)): change(request)
        case .request(.recordPINs(let request)): record(request)
        case .request(.pinRefused(let refusal)): record(refusal)
        case .request(let request): relay(request)
        }
    }

    private var lockReader: LockReader {
        LockReader(
            firmware: FirmwareVersion.text, serial: process.setup.deviceID,
            hasContact: settings.gpio.lines[.contact] != nil,
            pulseSeconds: Int(settings.door.pulseSeconds),
            wifi: gateway?.service.companion.gateway.station.address, aliro: aliro?.state,
            hasPINs: settings.matter.hasPINs)
    }

    /// The Aliro reader that Matter provisions; nil for none.
    private var aliro: MatterAliro? { process.service() }

    /// Carries out a change of Aliro. An administrator's costs a record, as an order does.
    private func change(_ request: LockAliroRequest) {
        guard let aliro else {
            matter.logOrder(.warning, "a change of Aliro, refused: matter.aliro is false")
            matter.send(.aliro(request: request.number, .unsupported))
            return
        }
        if request.author != nil, !matter.takeOrder() {
            matter.logOrder(.warning, "a change of Aliro, refused: \(MatterService.text(.busy))")
            matter.send(.aliro(request: request.number, .failed))
            return
        }
        aliro.perform(request)
    }

    // MARK: - Orders

    /// An opening is recorded first, as an operator's is; securing the door is immediate.
    private func execute(_ request: LockChannelOrder) {
        let (order, name): (DoorOrder, String) =
            request.position == .unlocked ? (.pulse, "unlock") : (.officeOff, "lock")
        let person = DoorOperator(
            .matter, request.actor, .matter(request.number), detail: request.user.map { "user \($0)" } ?? "")
        let outcome: DoorOutcome
        if let refusal = refusal(of: order, matter) {
            outcome = .refused(refusal)
        } else {
            // The door's events follow within this turn.
            if order == .officeOff, process.device.reader.hasOpeningToEnd(at: moment.instant) {
                matter.isLocking = true
            }
            outcome = process.execute(order, for: person, command: name)
        }
        // The door's answer to an order to secure it is its state.
        if case .refused(let refusal) = outcome, order == .pulse || refusal == .busy {
            matter.logOrder(.warning, "\(request.actor): \(name), refused: \(MatterService.text(refusal))")
            return reply(request.number, isDone: false)
        }
        matter.logOrder(.notice, "\(request.actor): \(name)")
        if outcome == .waits { return }
        // Fire, an exit or a panel may hold it open.
        let state = process.device.reader.doorStatus
        reply(request.number, isDone: state.state != .inactive && !state.isUnlocked)
    }

    /// The reason to refuse an order before the door is asked; nil for none.
    private func refusal(of order: DoorOrder, _ matter: MatterService) -> DoorRefusal? {
        if !matter.takeOrder() { return .busy }
        guard order.mayRelease else { return nil }
        if !settings.matter.mayUnlock { return .forbidden }
        return matter.isLate ? .late : nil
    }

    /// Answers an order to unlock.
    func answer(order: UInt32, _ refusal: DoorRefusal?) {
        if let refusal {
            matter.logOrder(.warning, "the door is not opened: \(refusal.rawValue)")
        }
        reply(order, isDone: refusal == nil)
    }

    func reply(_ order: UInt32, isDone: Bool) {
        matter.send(.answered(order: order, isDone: isDone))
    }

    // MARK: - Reports

    /// Reports a movement of the lock to the process, unless an order of the process caused it.
    func receive(_ notice: ReaderNotice) {
        guard matter.isConnected else { return }
        switch notice {
        case .decided(_, let decision, _) where decision.isGranted: granted = decision.card
        case .door(.released(let cause)):
            guard let origin = LockOrigin(cause, opening: matter.opening) else { return }
            movements.append(.moved(.unlocked, by: origin))
        case .door(.secured) where !matter.isLocking: movements.append(.moved(.locked, by: .auto))
        case .door(.tamper(active: true)): movements.append(.alarm(.tamper))
        case .door(.lockout(active: true)): movements.append(.alarm(.lockout))
        default: break
        }
    }

    /// Reports movements. The decision about a card follows the release that it causes, in the same turn.
    private func reportMovements() {
        let place = granted.flatMap { aliro?.place(of: $0) }
        for movement in movements {
            if let place, movement == .moved(.unlocked, by: .nfc) {
                matter.send(.movedByAliro(.unlocked, place))
            } else {
                matter.send(movement)
            }
        }
        movements.removeAll(keepingCapacity: true)
        granted = nil
    }

    /// Reports the states of the door to the process, if they have changed.
    func report() {
        matter.isLocking = false
        reportMovements()
        guard matter.isConnected else { return }
        let door = LockDoor(
            process.device.reader.doorStatus, hasContact: settings.gpio.lines[.contact] != nil)
        guard door != matter.told else { return }
        matter.told = door
        matter.send(.door(door))
    }

    var status: (name: String, report: JSONObject)? {
        (
            "matter",
            [
                "connected": matter.isConnected, "fabrics": matter.node?.fabrics.count,
                "commissionable": matter.node?.isCommissionable,
            ]
        )
    }
}

extension LockOrigin {
    /// The origin of a release of the lock; nil for an order of the process itself.
    fileprivate init?(_ cause: ReleaseCause, opening: AuditChannel?) {
        switch cause {
        case .pulse, .extended, .office:
            switch opening {
            case .matter: return nil
            case .bluetooth: self = .bluetooth
            case .nfc: self = .nfc
            case .control, .remote, .reader, .local, nil: self = .control
            }
        case .schedule: self = .schedule
        case .panel: self = .panel
        case .exit: self = .exit
        case .fire: self = .fire
        }
    }
}

extension LockDoor {
    fileprivate init(_ status: DoorStatus, hasContact: Bool) {
        let position: DoorPosition =
            switch status.alarm {
            case .forced: .forced
            case .heldOpenTooLong: .ajar
            case nil: status.standsOpen ? .open : .closed
            }
        let isHeldOpen = status.isFire || status.isExitRequested || status.isUnlockedByPanel
        let isBarred = status.isBlocked || [.lockdown, .inactive].contains(status.state)
        self.init(
            lock: status.isUnlocked ? .unlocked : .locked, position: hasContact ? position : nil,
            hold: isHeldOpen ? .open : isBarred ? .locked : .none)
    }
}

extension MatterService {
    /// The reason for the log.
    static func text(_ refusal: DoorRefusal) -> String {
        switch refusal {
        case .busy: "more than \(CompanionPacing.ordersPerSecond) orders within a second"
        case .forbidden: "matter.may-unlock is false"
        default: ControlAnswer.Refusal(refusal).text
        }
    }
}
