// SPDX-License-Identifier: Apache-2.0

import LockChannel
import MatterNode

/// The reader's reports in the terms of Door Lock (Matter Application Clusters 5.2).
extension LockReport {
    /// The operations of a report; empty for a report about the process.
    var operations: [MatterOperation] {
        switch self {
        case .door(let door):
            [.hold(door.hold.demand), .lockState(door.lock.state)] + (door.position.map { [.door($0.state)] } ?? [])
        case .moved(.locked, let origin): [.locked(.lock, origin.source)]
        case .moved(.unlocked, let origin): [.locked(.unlock, origin.source)]
        case .movedByAliro(let position, let key):
            [.lockedByAliro(position == .locked ? .lock : .unlock, AliroKeyKind(key.kind), index: key.index)]
        case .granted(let grant): [.aliroGranted(AliroGrantedKey(point: grant.point, issuer: grant.issuer))]
        case .alarm(.tamper): [.alarm(.coverRemoved)]
        case .alarm(.lockout): [.alarm(.wrongCodeLimit)]
        case .reader, .answered, .aliro, .window, .link, .wifi: []
        }
    }

    /// The operations of a lost connection: the state is unknown, and nothing opens.
    static let unknown: [MatterOperation] = [.hold(.locked), .lockState(nil)]
}

extension LockPosition {
    fileprivate var state: LockState {
        switch self {
        case .locked: .locked
        case .unlocked: .unlocked
        }
    }
}

extension DoorPosition {
    fileprivate var state: DoorState {
        switch self {
        case .closed: .closed
        case .open: .open
        case .forced: .forcedOpen
        case .ajar: .ajar
        }
    }
}

extension DoorHold {
    fileprivate var demand: LockHold {
        switch self {
        case .none: .none
        case .open: .open
        case .locked: .locked
        }
    }
}

extension LockOrigin {
    /// The source of an operation. A phone over Bluetooth LE and an operator are the manufacturer's remote control;
    /// Matter defines no source for fire and the panel.
    fileprivate var source: LockSource {
        switch self {
        case .bluetooth, .control: .proprietaryRemote
        case .nfc: .rfid
        case .exit: .button
        case .schedule: .schedule
        case .panel, .fire: .unspecified
        case .auto: .auto
        }
    }
}
