extension ReaderSettings {
    /// `[door]`
    public struct Door: Equatable, Sendable {
        /// `pulse-s`
        public var pulseSeconds = 5
        /// `extended-s`
        public var extendedSeconds = 3600
        /// `fail-mode`
        public var failMode = DoorConfiguration.FailMode.secure
        /// `relock`
        public var relock = DoorConfiguration.Relock.never
        /// `exit-request`
        public var exitRequest = DoorConfiguration.ExitRequest.unlock
        /// `fire-releases`
        public var fireReleases = true
        /// `tamper`
        public var tamper = DoorConfiguration.TamperPolicy.alarm
        /// `open-time-s`
        public var openTimeSeconds = 30
        /// `open-warning-s`
        public var openWarningSeconds = 10
        /// `alarm-repeat-s`
        public var alarmRepeatSeconds = 300
        /// `shunt-ms`
        public var shuntMilliseconds = 2000
        /// `lockout-attempts`
        public var lockoutAttempts = 0
        /// `lockout-s`
        public var lockoutSeconds = 30
        /// `re-arm-ms`
        public var reArmMilliseconds = 2000
        /// `schedules`
        public var schedules: [OfficeHoursLine] = []
        /// `closed-days`
        public var closedDays: [ClosedDayLine] = []
        /// `schedule-waits-for-user`
        public var scheduleWaitsForUser = false

        /// The configuration of the door's state machine.
        public var configuration: DoorConfiguration {
            var configuration = DoorConfiguration(pulse: .seconds(pulseSeconds), failMode: failMode)
            configuration.extended = .seconds(extendedSeconds)
            configuration.relock = relock
            configuration.exitRequest = exitRequest
            configuration.fireReleases = fireReleases
            configuration.tamper = tamper
            configuration.scheduleWaitsForUser = scheduleWaitsForUser
            configuration.contact.permittedOpen = .seconds(openTimeSeconds)
            configuration.contact.warning = .seconds(openWarningSeconds)
            configuration.contact.alarmRepeat = .seconds(alarmRepeatSeconds)
            configuration.contact.shunt = .milliseconds(shuntMilliseconds)
            configuration.lockout.attempts = lockoutAttempts
            configuration.lockout.firstPause = .seconds(lockoutSeconds)
            configuration.lockout.longestPause = .seconds(max(lockoutSeconds * 10, 300))
            return configuration
        }

        /// The hours in which the door is unlocked by schedule.
        public var officeHours: OfficeHours {
            OfficeHours(spans: schedules.map(\.span), closedDays: closedDays.map(\.day))
        }
    }
}

extension SettingKey {
    static let door: [SettingKey] =
        openings + [
            choice(
                "door.exit-request", \.door.exitRequest,
                "What gpio.rex does. \"unlock\": it unlocks the door while it is active, and for one pulse after. "
                    + "\"mask\": the door opens from inside without the lock, and only the alarm is held back."),
            boolean(
                "door.fire-releases", \.door.fireReleases,
                "Whether gpio.fire unlocks the door for as long as it is active, over everything else."),
            choice(
                "door.tamper", \.door.tamper,
                "What follows when gpio.tamper tells that the housing is open. \"record\": an event. \"alarm\": also "
                    + "an alarm while it lasts. \"block\": also nobody is let in until an operator has reset it."),
        ] + contact + attempts + officeHours

    private static let openings: [SettingKey] = [
        integer("door.pulse-s", \.door.pulseSeconds, 1...300, "How long a grant unlocks the door."),
        integer(
            "door.extended-s", \.door.extendedSeconds, 1...86_400,
            "How long a grant with extended time unlocks the door."),
        choice(
            "door.fail-mode", \.door.failMode,
            "What the lock does without power. \"secure\": it is locked, and energised to open. \"safe\": it is free, "
                + "and energised to stay locked."),
        choice(
            "door.relock", \.door.relock,
            "When a grant ends before pulse-s: never, as soon as the door has opened, or as soon as it has closed. "
                + "Needs gpio.contact."),
        integer(
            "door.re-arm-ms", \.door.reArmMilliseconds, 0...60_000,
            "How long the same credential that asks for the same counts as one request, which opens once; 0 for "
                + "never."),
    ]

    private static let contact: [SettingKey] = [
        integer(
            "door.open-time-s", \.door.openTimeSeconds, 1...3600,
            "How long the door may stand open before the alarm. IEC 60839-11-1 recommends 10 or more."),
        integer(
            "door.open-warning-s", \.door.openWarningSeconds, 0...3600,
            "How long before that alarm the buzzer warns; 0 for no warning."),
        integer(
            "door.alarm-repeat-s", \.door.alarmRepeatSeconds, 10...86_400,
            "How often an alarm of the contact that lasts is told again."),
        integer(
            "door.shunt-ms", \.door.shuntMilliseconds, 0...60_000,
            "How long after the lock was secured, or an exit was asked for, an opening is not yet forced."),
    ]

    private static let attempts: [SettingKey] = [
        integer(
            "door.lockout-attempts", \.door.lockoutAttempts, 0...100,
            "After how many refused attempts in a row nobody is let in for a while; 0 for never. Anybody in radio "
                + "range can shut others out with it."),
        integer(
            "door.lockout-s", \.door.lockoutSeconds, 1...3600,
            "How long nobody is let in then. Each further run doubles it, up to ten times this or 300, whichever is "
                + "more."),
    ]

    private static let officeHours: [SettingKey] = [
        list(
            "door.schedules", \.door.schedules,
            takes: "a list of texts: weekdays and times \"mon-fri 08:00-18:00\", and the days of the year if it is not "
                + "all of it \"sat 22:00-02:00 300-60\"",
            "When the door stands open by itself, in local time, the last minute included. An end before the beginning "
                + "is on the next day. Without a set clock the door stays secured.",
            write: \.text,
            read: { OfficeHoursLine($0) },
            problem: "is no part of a day: needs weekdays and times as in \"mon-fri 08:00-18:00\", up to 24:00, and "
                + "days of the year from 1 to 366"),
        list(
            "door.closed-days", \.door.closedDays,
            takes: "a list of texts: \"2026-12-24\", or \"12-25\" for every year",
            "Days on which no part of schedules begins.",
            write: \.text,
            read: { ClosedDayLine($0) },
            problem: "is no day: needs \"2026-12-24\", or \"12-25\" for every year"),
        boolean(
            "door.schedule-waits-for-user", \.door.scheduleWaitsForUser,
            "Whether the door stands open by schedule only from the first grant on, each time."),
    ]
}

extension DecodedSettings {
    /// Finds faults and warnings in combinations of the door's keys.
    mutating func checkDoor() {
        if areSound(["door.open-time-s", "door.open-warning-s"]),
            settings.door.openWarningSeconds >= settings.door.openTimeSeconds
        {
            let key = isWritten("door.open-warning-s") ? "door.open-warning-s" : "door.open-time-s"
            addFault(
                key,
                "the warning, \(settings.door.openWarningSeconds) s before the alarm, would begin with the opening: "
                    + "needs open-warning-s below open-time-s")
        }
        if areSound(["door.relock", "gpio.contact"]), settings.door.relock != .never, settings.gpio.contact == nil {
            remark(
                SettingsRemark(
                    .warning, line: lines["door.relock"], key: "door.relock",
                    "has no effect without gpio.contact: nothing tells that the door has opened"))
        }
        for (key, count) in [
            ("door.schedules", settings.door.schedules.count), ("door.closed-days", settings.door.closedDays.count),
        ] where count > OfficeHours.limit {
            addFault(key, "has \(count) lines: at most \(OfficeHours.limit) are possible")
        }
    }
}
