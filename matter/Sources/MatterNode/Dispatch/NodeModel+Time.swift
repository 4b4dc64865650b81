// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping

extension NodeModel {
    /// The time of the next action.
    var deadline: Instant? {
        var deadline = Instant.earlier(.earlier(failSafe?.deadline, window?.deadline), windowRequest?.due)
        for next in [
            networking.deadline, networking.rejoinDue, identification.end, load.onEnd, load.waitEnd, lockDeadline,
            battery.deadline, interposer?.deadline, lock.pendingUsers?.due, lock.pinsEnabledAt,
        ] { deadline = .earlier(deadline, next) }
        return deadline
    }

    /// Performs the actions due at `now`.
    mutating func advance(to now: Instant) {
        if let failSafe, failSafe.deadline <= now { rollBack(.timeout, after: nil, at: now) }
        if let deadline = window?.deadline, deadline <= now { closeWindow(.timeout) }
        if let due = windowRequest?.due, due <= now { answerWindow(isPermitted: false, at: now) }
        advanceNetworking(to: now)
        if let end = identification.end, end <= now { identify(seconds: 0, at: now) }
        advanceLoad(to: now)
        advanceLock(to: now)
        advanceUsers(to: now)
        advancePINs(to: now)
        advanceBattery(to: now)
        for (ticket, outcome) in interposer?.takeDue(at: now) ?? [] { requests.append(.complete(ticket, outcome)) }
    }

    /// Handles a manual operation, or the state of an input.
    mutating func receive(_ operation: MatterOperation, at now: Instant) {
        switch operation {
        case .locked(let action, let source):
            move(action, LockAuthor(source: source), relock: lock.relockSeconds, isMoved: true, at: now)
        case .lockedByAliro(let action, let kind, let index):
            let author = LockAuthor(
                source: .aliro, credential: state.users.credential(LockCredentialKind(kind), index))
            move(action, author, relock: lock.relockSeconds, isMoved: true, at: now)
        case .aliroGranted(let grant): receive(grant, at: now)
        case .lockState(let state):
            lock.isJammed = false
            set(state)
        case .lockRefused(let action, let source, let error):
            refuseLock(action, LockAuthor(source: source), error: error, at: now)
        case .refusing(let error): lock.refusal = error
        case .actuator(let isEnabled): setActuator(isEnabled)
        case .operatingMode(let mode): setOperatingMode(mode)
        case .alarm(let code): alarm(code, at: now)
        case .door(let door): setDoor(door, at: now)
        case .hold(let hold): lock.hold = hold
        case .power(let isOn):
            load.onEnd = nil
            load.waitEnd = nil
            load.waitTenths = 0
            setLoad(isOn, isMoved: true)
        case .contact(let isClosed): setContact(isClosed, at: now)
        case .battery(let state): set(state, at: now)
        }
    }
}
