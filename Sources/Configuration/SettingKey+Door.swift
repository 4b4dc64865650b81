// SPDX-License-Identifier: Apache-2.0

import Reader
import Timekeeping

extension SettingKey {
    static let door: [SettingKey] =
        openings + [
            choice(
                "door.exit-request", \.door.exitRequest,
                "The effect of gpio.rex. \"unlock\": the door is unlocked while the input is active, and for one "
                    + "pulse after. \"mask\": the door opens mechanically from inside; the input only masks the "
                    + "alarm."),
            boolean(
                "door.fire-releases", \.door.fireReleases,
                "gpio.fire unlocks the door while active, before everything else."),
            choice(
                "door.tamper", \.door.tamper,
                "The response to an open housing (gpio.tamper). \"record\": an event. \"alarm\": also an alarm while "
                    + "it is open. \"block\": also access is refused until an operator resets it."),
        ] + contact + attempts + officeHours

    private static let openings: [SettingKey] = [
        integer("door.pulse-s", \.door.pulseSeconds, 1...300, "The duration of a grant."),
        integer(
            "door.extended-s", \.door.extendedSeconds, 1...86_400,
            "The duration of a grant with extended time."),
        choice(
            "door.fail-mode", \.door.failMode,
            "The state of the lock without power. \"secure\": locked, energised to open. \"safe\": unlocked, "
                + "energised to lock."),
        choice(
            "door.relock", \.door.relock,
            "The end of a grant before pulse-s: never, at the door's opening, or at its closing. Needs gpio.contact."),
        integer(
            "door.re-arm-ms", \.door.reArmMilliseconds, 0...60_000,
            "The time in which identical requests of one credential count as one, which opens once; 0 for none."),
    ]

    private static let contact: [SettingKey] = [
        integer(
            "door.open-time-s", \.door.openTimeSeconds, 1...3600,
            "The time before the alarm of a door held open. IEC 60839-11-1 recommends 10 or more."),
        integer(
            "door.open-warning-s", \.door.openWarningSeconds, 0...3600,
            "The buzzer's warning time before that alarm; 0 for no warning."),
        integer(
            "door.alarm-repeat-s", \.door.alarmRepeatSeconds, 10...86_400,
            "The interval at which a continuing alarm of the contact is reported again."),
        integer(
            "door.shunt-ms", \.door.shuntMilliseconds, 0...60_000,
            "The time after locking, or after a request to exit, in which an opening is not a forced one."),
    ]

    private static let attempts: [SettingKey] = [
        integer(
            "door.lockout-attempts", \.door.lockoutAttempts, 0...100,
            "The number of consecutive refused attempts that starts a lockout; 0 for none. Anyone in radio range can "
                + "cause a lockout."),
        integer(
            "door.lockout-s", \.door.lockoutSeconds, 1...3600,
            "The duration of a lockout. Each further one is twice as long, up to door.longest-lockout-s."),
        integer(
            "door.longest-lockout-s", \.door.longestLockoutSeconds, 1...86_400,
            "The maximum duration of a lockout. Equal to door.lockout-s, all have the same duration. Absent: ten times "
                + "door.lockout-s or 300, whichever is more.",
            example: 300),
    ]

    private static let officeHours: [SettingKey] = [
        list(
            "door.schedules", \.door.schedules,
            takes: "a list of texts: weekdays and times \"mon-fri 08:00-18:00\", and the days of the year if it is not "
                + "all of it \"sat 22:00-02:00 300-60\"",
            "The office hours in which the door is unlocked, in local time, including the last minute. An end before "
                + "the beginning is on the next day. \"hol\" among the weekdays is a day of reader.holidays, on which "
                + "no other period begins. Without a set clock the door stays locked.",
            write: \.text,
            read: { OfficeHoursLine($0) },
            problem: "is not a time period: needs weekdays and times as in \"mon-fri 08:00-18:00\", up to 24:00, and "
                + "days of the year from 1 to 366"),
        list(
            "door.closed-days", \.door.closedDays,
            takes: "a list of texts: days as of reader.holidays",
            "Further days on which no period of schedules begins, not even one for holidays.",
            write: \.text, read: { HolidayLine($0) }, problem: HolidayLine.problem),
        boolean(
            "door.schedule-waits-for-user", \.door.scheduleWaitsForUser,
            "Each period of schedules begins with its first grant."),
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
                "the warning, \(settings.door.openWarningSeconds) s before the alarm, would begin at the opening: "
                    + "needs open-warning-s below open-time-s")
        }
        if areSound(["door.lockout-s", "door.longest-lockout-s"]),
            let longest = settings.door.longestLockoutSeconds, longest < settings.door.lockoutSeconds
        {
            addFault(
                "door.longest-lockout-s",
                "\(longest) s is below the duration of the first lockout, \(settings.door.lockoutSeconds) s: needs "
                    + "lockout-s or more")
        }
        if areSound(["door.relock", "gpio.contact"]), settings.door.relock != .never,
            settings.gpio.lines[.contact] == nil
        {
            report(.warning, "door.relock", "has no effect without gpio.contact")
        }
        for (key, count, limit) in [
            ("door.schedules", settings.door.schedules.count, OfficeHours.limit),
            ("door.closed-days", settings.door.closedDays.count, Holidays.limit),
            ("reader.holidays", settings.reader.holidays.count, Holidays.limit),
        ] where count > limit {
            addFault(key, "has \(count) lines: at most \(limit) are possible")
        }
    }
}
