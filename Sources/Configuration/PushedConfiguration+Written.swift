// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Octets
public import Reader
import Timekeeping

extension PushedConfiguration {
    /// One value in terms of the configuration file.
    public struct Written: Equatable, Sendable {
        /// The message's field, named as in docs/operate/configuration.md.
        public var field: String
        /// The file's keys that it overrides; the first is its equivalent.
        public var keys: [String]
        /// The value as written in a file.
        public var value: String

        /// True if a reader with these settings applies the value.
        public func holds(with settings: ReaderSettings) -> Bool {
            settings.reader.pushable.contains { $0.rawValue == keys.first }
        }
    }

    /// All values, in the order of the message's fields.
    public var written: [Written] {
        var all = [
            Written(
                field: "base.utcOffsetMinutes", keys: ["reader.utc-offset-minutes", "reader.time-zone"],
                value: "\(utcOffsetMinutes)"),
            Written(
                field: "ble.advertisingIntervalMs", keys: ["advertising.interval-ms"],
                value: "\(advertisingInterval.wholeMilliseconds)"),
            Written(
                field: "ble.maxConnectionTimeoutMs", keys: ["links.max-connection-ms"],
                value: "\(maximumConnection.wholeMilliseconds)"),
            Written(
                field: "access.groups", keys: ["credentials.groups"],
                value: "[" + groups.flatMap(\.lines).map { "\"\($0)\"" }.joined(separator: ", ") + "]"),
            Written(
                field: "oss.soUpdateFromBlacklist", keys: ["credentials.carried-blacklist"],
                value: "\(takesCarriedBlacklist)"),
        ]
        if let pulse {
            all.append(
                Written(
                    field: "lock.defaultOpenTimeSec", keys: ["door.pulse-s"],
                    value: "\(pulse.wholeMilliseconds / 1000)"))
        }
        if let extended {
            all.append(
                Written(
                    field: "lock.extendedOpenTimeSec", keys: ["door.extended-s"],
                    value: "\(extended.wholeMilliseconds / 1000)"))
        }
        if let closedDays {
            all.append(
                Written(
                    field: "lock.closedDays", keys: ["door.closed-days"],
                    value: "[" + closedDays.list.map { "\"\($0.name)\"" }.joined(separator: ", ") + "]"))
        }
        return all
    }
}

extension DoorGroup {
    /// The group as written in `credentials.groups`: a line for each schedule, or one line without a schedule.
    var lines: [String] { schedules.isEmpty ? ["\(id)"] : schedules.map { "\(id) \($0.line)" } }
}

extension DoorGroup.Schedule {
    /// The schedule, as in `mon-fri 08:00-18:00 300-60`; without the days of the year if it is for all of them.
    var line: String {
        let times = "\(DoorGroup.Schedule.clock(period.from))-\(DoorGroup.Schedule.clock(period.to))"
        return days + " " + times + (firstDay == 1 && lastDay == 366 ? "" : " \(firstDay)-\(lastDay)")
    }

    /// The weekdays as ranges: `mon-fri,sun`.
    private var days: String {
        var runs: [(first: Int, last: Int)] = []
        for day in 0..<7 where weekdays >> UInt8(day) & 1 == 1 {
            if let run = runs.last, run.last == day - 1 {
                runs[runs.count - 1].last = day
            } else {
                runs.append((day, day))
            }
        }
        let names = GroupLine.weekdays
        var parts = runs.map { $0.first == $0.last ? names[$0.first] : "\(names[$0.first])-\(names[$0.last])" }
        if weekdays & Holidays.bit != 0 { parts.append(GroupLine.holidays) }
        return parts.joined(separator: ",")
    }

    private static func clock(_ minute: UInt16) -> String {
        "\((minute / 60).padded(to: 2)):\((minute % 60).padded(to: 2))"
    }
}
