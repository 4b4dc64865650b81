// SPDX-License-Identifier: Apache-2.0

import JSON
import LockChannel
import Logging
import NordicProvisioning
import Reader
import System
import Timekeeping
import WiFiStation

/// The Matter lock: the states of the door for its process, and the orders of Matter nodes.
extension ReaderProcess {
    func startMatter() {
        start(operation.matter, absent: .matterAbsent, without: "Matter lock") { process, event in process.take(event) }
    }

    private func take(_ event: MatterService.Event) {
        switch event {
        case .connected: operation.matter?.send(.reader(lockReader))
        case .lost:
            endMatterRadio()
            noticeMatterLoss()
        case .request(.order(let order)): take(order)
        case .request(.wifi(let request)): take(request)
        case .request(.openWindow(let request)): decide(request)
        case .request(.state(let state)): record(state)
        case .request(let request): relay(request)
        }
    }

    private var lockReader: LockReader {
        LockReader(
            firmware: FirmwareVersion.text, serial: operation.deviceID,
            hasContact: operation.settings.gpio.lines[.contact] != nil,
            pulseSeconds: Int(operation.settings.door.pulseSeconds),
            wifi: operation.provisioning?.companion.gateway.station.address)
    }

    // MARK: - Orders

    /// An opening is recorded first, as an operator's is; securing the door is immediate.
    private func take(_ request: LockChannelOrder) {
        guard let matter = operation.matter else { return }
        let (order, name): (DoorOrder, String) =
            request.position == .unlocked ? (.pulse, "unlock") : (.officeOff, "lock")
        let person = DoorOperator(.matter, request.actor, .matter(request.number))
        let outcome: DoorOutcome
        if let refusal = refusal(of: order, matter) {
            outcome = .refused(refusal)
        } else {
            // The door's events follow within this turn.
            if order == .officeOff, device.reader.hasOpeningToEnd(at: moment.instant) { matter.isLocking = true }
            outcome = execute(order, for: person, command: name)
        }
        // The answer to an order to secure an inactive door names the state, as for any other.
        if case .refused(let refusal) = outcome, refusal != .inactive {
            matter.logOrder(.warning, "\(request.actor): \(name), refused: \(MatterService.text(refusal))")
            return reply(request.number, isDone: false)
        }
        matter.logOrder(.notice, "\(request.actor): \(name)")
        if outcome == .waits { return }
        // Fire, an exit or a panel may hold it open.
        let state = device.reader.doorStatus
        reply(request.number, isDone: state.state != .inactive && !state.isUnlocked)
    }

    /// The reason to refuse an order before the door is asked; nil for none.
    private func refusal(of order: DoorOrder, _ matter: MatterService) -> DoorRefusal? {
        if !matter.takeOrder() { return .busy }
        guard order.mayRelease else { return nil }
        if !operation.settings.matter.mayUnlock { return .forbidden }
        return matter.isLate ? .late : nil
    }

    /// Answers an order to unlock.
    func answer(order: UInt32, _ refusal: DoorRefusal?) {
        if let refusal {
            operation.matter?.logOrder(.warning, "the door is not opened: \(refusal.rawValue)")
        }
        reply(order, isDone: refusal == nil)
    }

    func reply(_ order: UInt32, isDone: Bool) {
        operation.matter?.send(.answered(order: order, isDone: isDone))
    }

    // MARK: - Reports

    /// Tells the process a movement of the lock that none of its orders has caused.
    func tellMatter(_ notice: ReaderNotice) {
        guard let matter = operation.matter, matter.isConnected, case .door(let event) = notice else { return }
        switch event {
        case .released(let cause):
            guard let origin = LockOrigin(cause, opening: matter.opening) else { return }
            matter.send(.moved(.unlocked, by: origin))
        case .secured where !matter.isLocking: matter.send(.moved(.locked, by: .auto))
        case .tamper(active: true): matter.send(.alarm(.tamper))
        case .lockout(active: true): matter.send(.alarm(.lockout))
        default: break
        }
    }

    /// Tells the process the states of the door, if they are others now.
    func flushMatter() {
        guard let matter = operation.matter else { return }
        matter.isLocking = false
        guard matter.isConnected else { return }
        let door = LockDoor(
            device.reader.doorStatus, hasContact: operation.settings.gpio.lines[.contact] != nil)
        guard door != matter.told else { return }
        matter.told = door
        matter.send(.door(door))
    }

    /// The Matter lock's part of the status; nil without one.
    var matterReport: JSONObject? {
        operation.matter.map { matter in
            [
                "connected": matter.isConnected, "fabrics": matter.node?.fabrics.count,
                "commissionable": matter.node?.isCommissionable,
            ]
        }
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
    fileprivate static func text(_ refusal: DoorRefusal) -> String {
        switch refusal {
        case .busy: "more than \(CompanionPacing.ordersPerSecond) orders within a second"
        case .forbidden: "matter.may-unlock is false"
        default: ControlAnswer.Refusal(refusal).text
        }
    }
}
