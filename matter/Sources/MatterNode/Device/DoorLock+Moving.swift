// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping

/// LockOperationTypeEnum.
private enum LockOperationType: UInt8 {
    case lock = 0
    case unlock
    case unlatch = 4
}

/// The movement of a lock, from any source, with its events.
extension NodeModel {
    /// Moves the lock, or records that it was moved, and reports it.
    ///
    /// - Parameters:
    ///   - seconds: the time until it locks again; nil or 0 for never.
    ///   - isMoved: true if the lock has moved already.
    mutating func move(
        _ action: LockAction, _ author: LockAuthor, relock seconds: UInt32?, isMoved: Bool, at now: Instant
    ) {
        let target: LockState =
            switch action {
            case .lock: .locked
            case .unlock: lock.traits.hasLatch ? .unlatched : .unlocked
            case .unbolt: .unlocked
            }
        if !isMoved { requests.append(.actuate(NodeModel.actuation(target))) }
        lock.isJammed = false
        set(target)
        recordOperation(NodeModel.operation(target), author, at: now)
        lock.latchDue = target == .unlatched ? now + lock.traits.latchTime : nil
        lock.relockDue =
            action == .lock || seconds ?? 0 == 0 || lock.traits.asksProgram ? nil : now + .seconds(Int(seconds ?? 0))
        notice(.lockOperation(action, author.source, fabric: author.fabric, node: author.node, isRefused: false))
    }

    /// Reports that the lock was not moved.
    mutating func refuseLock(
        _ action: LockAction, _ author: LockAuthor, error: LockOperationError, at now: Instant
    ) {
        let type: LockOperationType =
            action == .lock ? .lock : action == .unlock && lock.traits.hasLatch ? .unlatch : .unlock
        let hasUsers = lock.traits.hasUsers
        record(.device, .doorLock, 3, at: now) { event in
            event.unsigned(type.rawValue, as: 0)
            event.unsigned(author.source.rawValue, as: 1)
            event.unsigned(error.rawValue, as: 2)
            event.nullable(author.credential?.user, as: 3)
            event.nullable(author.fabric?.rawValue, as: 4)
            event.nullable(author.node?.rawValue, as: 5)
            if hasUsers { event.credentials(of: author, as: 6) }
        }
        notice(.lockOperation(action, author.source, fabric: author.fabric, node: author.node, isRefused: true))
    }

    mutating func alarm(_ alarm: LockAlarm, at now: Instant) {
        if alarm == .jammed {
            (lock.isJammed, lock.relockDue, lock.latchDue) = (true, nil, nil)
            set(.notFullyLocked)
        }
        record(.device, .doorLock, 0, at: now) { $0.unsigned(alarm.rawValue, as: 0) }
    }

    mutating func setActuator(_ isEnabled: Bool) {
        guard lock.isActuatorEnabled != isEnabled else { return }
        lock.isActuatorEnabled = isEnabled
        changed(.device, .doorLock, 2)
    }

    mutating func setOperatingMode(_ mode: LockMode) {
        guard lock.operatingMode != mode else { return }
        lock.operatingMode = mode
        state.lock = lock.stored
        changed(.device, .doorLock, 0x25)
    }

    mutating func setDoor(_ door: DoorState?, at now: Instant) {
        guard lock.traits.hasDoorContact, lock.door != door else { return }
        lock.door = door
        changed(.device, .doorLock, 3)
        guard let door else { return }
        record(.device, .doorLock, 1, at: now) { $0.unsigned(door.rawValue, as: 0) }
        switch door {
        case .forcedOpen: alarm(.doorForcedOpen, at: now)
        case .ajar: alarm(.doorAjar, at: now)
        default: break
        }
    }

    /// Performs due movements: the latch returns, in a lockdown with the bolt, and the lock relocks unless a safety
    /// input holds it open.
    mutating func advanceLock(to now: Instant) {
        if let order = lock.order, order.due <= now { answer(order.id, isDone: false, at: now) }
        if let due = lock.latchDue, due <= now {
            lock.latchDue = nil
            if lock.state == .unlatched, !lock.permits(.unbolt) {
                move(.lock, LockAuthor(source: .auto), relock: nil, isMoved: false, at: now)
            } else if lock.state == .unlatched {
                requests.append(.actuate(.unlock))
                set(.unlocked)
            }
        }
        if let due = lock.relockDue, due <= now, lock.permits(.lock) {
            move(.lock, LockAuthor(source: .auto), relock: nil, isMoved: false, at: now)
        }
    }

    /// The time of the next action of the lock.
    var lockDeadline: Instant? {
        Instant.earlier(.earlier(lock.latchDue, lock.order?.due), lock.permits(.lock) ? lock.relockDue : nil)
    }

    /// Sets the state of the lock.
    mutating func set(_ state: LockState?) {
        guard lock.state != state else { return }
        lock.state = state
        self.state.lock = lock.stored
        changed(.device, .doorLock, 0)
    }

    private mutating func recordOperation(_ type: LockOperationType, _ author: LockAuthor, at now: Instant) {
        let hasUsers = lock.traits.hasUsers
        record(.device, .doorLock, 2, at: now) { event in
            event.unsigned(type.rawValue, as: 0)
            event.unsigned(author.source.rawValue, as: 1)
            event.nullable(author.credential?.user, as: 2)
            event.nullable(author.fabric?.rawValue, as: 3)
            event.nullable(author.node?.rawValue, as: 4)
            if hasUsers { event.credentials(of: author, as: 5) }
        }
    }

    private static func actuation(_ state: LockState) -> MatterActuation {
        switch state {
        case .locked, .notFullyLocked: .lock
        case .unlocked: .unlock
        case .unlatched: .unlatch
        }
    }

    private static func operation(_ state: LockState) -> LockOperationType {
        switch state {
        case .locked, .notFullyLocked: .lock
        case .unlocked: .unlock
        case .unlatched: .unlatch
        }
    }
}

extension TLVWriter {
    /// Writes the list of an author's credentials, or a null.
    fileprivate mutating func credentials(of author: LockAuthor, as tag: TLVTag) {
        guard let credential = author.credential else { return null(as: tag) }
        array(as: tag) { list in credential.writePlace(into: &list) }
    }
}
