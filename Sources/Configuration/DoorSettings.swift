// SPDX-License-Identifier: Apache-2.0

public import Reader
import Timekeeping

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
        /// `longest-lockout-s`
        public var longestLockoutSeconds: Int?
        /// `re-arm-ms`
        public var reArmMilliseconds = 2000
        /// `schedules`
        public var schedules: [OfficeHoursLine] = []
        /// `closed-days`
        public var closedDays: [HolidayLine] = []
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
            configuration.lockout.longestPause = .seconds(longestLockoutSeconds ?? max(lockoutSeconds * 10, 300))
            return configuration
        }

        /// The hours in which the door is unlocked by schedule.
        public var officeHours: OfficeHours {
            OfficeHours(spans: schedules.map(\.span), closedDays: Holidays(closedDays.map(\.holiday)))
        }
    }
}
