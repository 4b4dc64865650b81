// SPDX-License-Identifier: Apache-2.0

import MatterNode

/// The words of a command's argument, in the order of the help.
struct MatterWordTable<Value: Sendable>: Sendable {
    let entries: [(word: String, value: Value)]

    init(_ entries: (String, Value)...) { self.entries = entries }

    /// The value of a word; nil if there is no such word.
    subscript(word: String) -> Value? { entries.first { $0.word == word }?.value }
    /// The word of a value.
    func word(of value: Value) -> String where Value: Equatable { entries.first { $0.value == value }?.word ?? "?" }
    /// The words as they are written in a command's form.
    var form: String { entries.map(\.word).joined(separator: "|") }
}

/// The values of attributes and events as words.
enum MatterValues {
    static let switches = MatterWordTable(("on", true), ("off", false))

    /// LockStateEnum.
    static let states = MatterWordTable<LockState?>(
        ("locked", .locked), ("unlocked", .unlocked), ("unlatched", .unlatched),
        ("not-fully-locked", .notFullyLocked), ("unknown", nil))

    /// DoorStateEnum.
    static let doors = MatterWordTable<DoorState?>(
        ("open", .open), ("closed", .closed), ("ajar", .ajar), ("forced-open", .forcedOpen), ("jammed", .jammed),
        ("sensor-error", .unspecifiedError), ("unknown", nil))

    /// AlarmCodeEnum without the states of lock or door, and without the alarms of locks with users.
    static let alarms = MatterWordTable<LockAlarm>(
        ("factory-reset", .factoryReset), ("radio-power-cycled", .radioPowerCycled), ("cover-removed", .coverRemoved))

    /// OperationSourceEnum without the sources of features that the lock lacks.
    static let sources = MatterWordTable<LockSource>(
        ("manual", .manual), ("keypad", .keypad), ("button", .button), ("auto", .auto),
        ("proprietary-remote", .proprietaryRemote), ("unspecified", .unspecified))

    /// OperationErrorEnum.
    static let errors = MatterWordTable<LockOperationError>(
        ("unspecified", .unspecified), ("invalid-credential", .invalidCredential), ("disabled-user", .disabledUser),
        ("restricted", .restricted), ("insufficient-battery", .insufficientBattery))

    /// The errors of refused orders, and none.
    static let refusals = MatterWordTable<LockOperationError?>(
        ("unspecified", .unspecified), ("invalid-credential", .invalidCredential), ("disabled-user", .disabledUser),
        ("restricted", .restricted), ("insufficient-battery", .insufficientBattery), ("none", nil))

    /// OperatingModeEnum, those that the lock supports.
    static let modes = MatterWordTable<LockMode>(("normal", .normal), ("no-remote", .noRemote))
}
