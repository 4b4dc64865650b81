// SPDX-License-Identifier: Apache-2.0

public import MatterNode

extension MatterCommand {
    /// The operation at the lock, with the answer for the user; nil for another command.
    public var lockOperation: (operation: MatterOperation, answer: String)? {
        switch self {
        case .lock(let movement, let source):
            (.locked(movement.action, source), "\(movement.rawValue) by \(source)")
        case .attempt(let movement, let source, let error):
            (
                .lockRefused(movement.action, source, error),
                "\(movement.rawValue) by \(source), refused: \(MatterValues.errors.word(of: error))"
            )
        case .state(let state): (.lockState(state), "the lock is \(MatterValues.states.word(of: state))")
        case .jam: (.alarm(.jammed), "the bolt is jammed")
        case .alarm(let alarm): (.alarm(alarm), "alarm: \(MatterValues.alarms.word(of: alarm))")
        case .refuse(let error):
            (.refusing(error), "orders are refused: \(MatterValues.refusals.word(of: error))")
        case .hold(let hold): (.hold(hold.demand), "safety inputs: \(hold.rawValue)")
        case .actuator(let isEnabled):
            (.actuator(isEnabled), "the actuator is \(MatterValues.switches.word(of: isEnabled))")
        case .mode(let mode): (.operatingMode(mode), "operating mode: \(MatterValues.modes.word(of: mode))")
        case .door(let door): (.door(door), "the door is \(MatterValues.doors.word(of: door))")
        default: nil
        }
    }
}

extension MatterLockMovement {
    fileprivate var action: LockAction {
        switch self {
        case .lock: .lock
        case .unlock: .unlock
        case .unbolt: .unbolt
        }
    }
}

extension MatterHold {
    fileprivate var demand: LockHold {
        switch self {
        case .open: .open
        case .locked: .locked
        case .none: .none
        }
    }
}

extension MatterBatteryChange {
    /// The battery for who types a change.
    public static func text(_ battery: BatteryState) -> String {
        let charge = battery.percent.map { "\($0) %" } ?? "unknown charge"
        let level =
            switch battery.level {
            case .ok: "ok"
            case .warning: "warning"
            case .critical: "critical"
            }
        let status =
            battery.isPresent ? words.word(of: .status(battery.status)) : words.word(of: .presence(false))
        let fault = battery.fault.map { ", \(words.word(of: .fault($0)))" } ?? ""
        return "\(charge), \(level), \(status)\(fault)"
    }
}
