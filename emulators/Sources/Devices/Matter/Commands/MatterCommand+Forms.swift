// SPDX-License-Identifier: Apache-2.0

extension MatterCommand {
    /// The forms of the commands with their effects, in the order of the help. `|` separates alternatives; words in
    /// capitals stand for arguments.
    public static let forms: [(form: String, effect: String)] =
        [
            ("button", "open the commissioning window with the label's code, for 15 minutes"),
            ("close", "close the window"),
            ("reset", "forget everything"),
            ("lock|unlock|unbolt", "a lock, by hand; frees the bolt"),
            ("lock|unlock|unbolt \(MatterValues.sources.form)", "the same from another source (LockOperation)"),
            (
                "lock|unlock|unbolt SOURCE \(MatterValues.errors.form)",
                "an attempt from one of these sources that the lock refuses (LockOperationError)"
            ),
            ("state \(MatterValues.states.form)", "LockState, without a movement"),
            (
                "jam",
                "the bolt jams: LockState not fully locked, the alarm LockJammed, and orders fail until it is freed"
            ),
            (
                "refuse \(MatterValues.refusals.form)",
                "the lock refuses orders of apps with this error (LockOperationError, and the status Failure)"
            ),
            ("hold \(MatterHold.allCases.map(\.rawValue).joined(separator: "|"))", hold),
            ("actuator \(MatterValues.switches.form)", "ActuatorEnabled: switched off, orders of apps are refused"),
            ("mode \(MatterValues.modes.form)", "OperatingMode, set at the lock"),
            ("alarm \(MatterValues.alarms.form)", "DoorLockAlarm; `jam` and `door` bring about the others"),
            (
                "door \(MatterValues.doors.form)",
                "DoorState, with the alarms DoorAjar and DoorForcedOpen (`--door-contact`)"
            ),
            (
                "battery PERCENT",
                "BatPercentRemaining; from 15 on the charge level is a warning, from 5 on critical (`--battery`)"
            ),
            (
                "battery \(MatterBatteryChange.words.form)",
                "the battery's charge, presence, status and fault (`--battery`)"
            ),
            ("power \(MatterValues.switches.form)", "a light or a plug, by hand"),
            ("contact open|closed", "a contact sensor"),
            ("wifi down|up", "the access points go, and come back"),
            ("disconnect", "end the Bluetooth links"),
        ] + MatterFault.forms + [
            ("faults", "the active faults"),
            ("release KIND", "this fault no longer"), ("release KIND COMMAND", "the same of a command"),
            ("clear", "no faults any more"),
            ("codes|findings|help|quit", "the setup codes; what the app got wrong so far; this list; end"),
        ]

    private static let hold =
        "fire or an exit holds the door open, a lockdown holds it locked: Matter does not override them"

    /// The commands, one line each.
    public static let helpLines = forms.map { "\($0.form): \($0.effect)" }
}
