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
    private func take(_ order: LockChannelOrder) {
        guard let matter = operation.matter else { return }
        let name = order.position == .unlocked ? "unlock" : "lock"
        let event = AuditEvent(
            order.position == .unlocked ? .unlocked : .command, at: auditTime, channel: .matter, command: name,
            actor: order.actor)
        if let refusal = refusal(of: order, event, matter) {
            matter.logOrder(.warning, "\(order.actor): \(name), refused: \(refusal)")
            return reply(order.number, isDone: false)
        }
        matter.logOrder(.notice, "\(order.actor): \(name)")
        switch order.position {
        case .unlocked: device.reader.open(.pulse, ticket: .matter(order.number), event, at: moment.instant)
        case .locked:
            // An order that changes nothing is answered, and not recorded.
            if device.reader.hasOpeningToEnd(at: moment.instant) {
                matter.isLocking = true
                _ = device.reader.operate(.officeOff, at: moment)
                audit.record(event)
            }
            // Fire, an exit or a panel may hold it open.
            let state = device.reader.doorStatus
            reply(order.number, isDone: state.state != .inactive && !state.isUnlocked)
        }
    }

    /// The reason to refuse an order before the door is asked; nil for none.
    private func refusal(of order: LockChannelOrder, _ event: AuditEvent, _ matter: MatterService) -> String? {
        if !matter.takeOrder() { return "more than \(CompanionPacing.ordersPerSecond) orders within a second" }
        guard order.position == .unlocked else { return nil }
        if !operation.settings.matter.mayUnlock { return "matter.may-unlock is false" }
        if matter.isLate { return ControlAnswer.Refusal.late.text }
        return audit.hasRoom(for: event) ? nil : ControlAnswer.Refusal.tooOften.text
    }

    /// Answers an order to unlock.
    func answer(order: UInt32, _ answer: OperatorAnswer) {
        if answer != .door(.done) {
            operation.matter?.logOrder(.warning, "the door is not opened: \(answer.reason)")
        }
        reply(order, isDone: answer == .door(.done))
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

extension OperatorAnswer {
    fileprivate var reason: String {
        switch self {
        case .door(let verdict): verdict.rawValue
        case .logFull: "log-full"
        case .notRecorded: "not-recorded"
        case .expired: "expired"
        }
    }
}
