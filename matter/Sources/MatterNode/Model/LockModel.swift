// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping

/// A door lock.
struct LockModel: Sendable {
    let traits: LockTraits
    var state: LockState?
    var door: DoorState?
    var operatingMode: LockMode
    var relockSeconds: UInt32
    var hold = LockHold.none
    /// True if the bolt is jammed, until it is moved by hand.
    var isJammed = false
    var isActuatorEnabled = true
    /// The error with which orders are refused; nil for none.
    var refusal: LockOperationError?
    /// The order that waits for the program.
    var order: PendingOrder?
    /// The change of users that waits for the program.
    var pendingUsers: PendingUsers?
    /// The phones that documents have let in, until they are in the table.
    var grants: [AliroGrantedKey] = []
    /// The configuration and keys that the program has; nil if that is not known.
    var provision: AliroProvision?
    /// The end of the time in which no PIN is compared.
    var pinsEnabledAt: Instant?
    /// The time of relocking.
    var relockDue: Instant?
    /// The time of the latch's return.
    var latchDue: Instant?

    init(_ device: MatterDevice, stored: StoredLock?) {
        if case .lock(let traits) = device { self.traits = traits } else { traits = LockTraits() }
        // The latch returns without power.
        state =
            traits.asksProgram ? nil : stored?.state == .unlatched ? .unlocked : stored?.state ?? .locked
        operatingMode = stored?.operatingMode ?? .normal
        // The reader reports its door's contact.
        door = traits.hasDoorContact && !traits.asksProgram ? .closed : nil
        relockSeconds = traits.asksProgram ? traits.relockSeconds : stored?.relockSeconds ?? traits.relockSeconds
    }

    /// Resets the settings to the state as delivered. Inputs stay unchanged, as does the state of a door that the
    /// program moves.
    mutating func forgetSettings() {
        operatingMode = .normal
        relockSeconds = traits.relockSeconds
        pinsEnabledAt = nil
        guard !traits.asksProgram else { return }
        (state, relockDue, latchDue) = (.locked, nil, nil)
        isJammed = false
    }

    var stored: StoredLock {
        StoredLock(state: state, operatingMode: operatingMode, relockSeconds: relockSeconds)
    }

    /// The error of an order of Matter for `action`; nil if it can be executed.
    func obstacle(to action: LockAction) -> LockOperationError? {
        guard operatingMode == .normal, permits(action), isActuatorEnabled else { return .restricted }
        return isJammed ? .unspecified : refusal
    }

    /// True if the safety inputs permit `action`.
    func permits(_ action: LockAction) -> Bool {
        switch (hold, action) {
        case (.open, .lock), (.locked, .unlock), (.locked, .unbolt): false
        default: true
        }
    }
}

/// An order that waits for the program's answer.
struct PendingOrder: Sendable {
    let id: UInt32
    let action: LockAction
    let author: LockAuthor
    let ticket: CommandTicket
    /// The time at which it is refused without an answer.
    let due: Instant
}

/// The author of a lock operation.
struct LockAuthor: Sendable {
    let source: LockSource
    var fabric: FabricIndex?
    var node: NodeID?
    /// The credential, with its user.
    var credential: LockCredential?
}
