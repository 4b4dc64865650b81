// SPDX-License-Identifier: Apache-2.0

import Fleet
import Reader

extension SettingKey {
    static let link: [SettingKey] =
        companion(
            "link", \.link.socket, \.link.user,
            "the process that delivers events and states to an MQTT broker: docs/operate/fleet.md") + [
            text(
                "link.name", \.link.name, takes: "text: a name",
                "The name of the door for people, as Home Assistant shows it. Absent: the device identifier.",
                example: "Front door", check: SettingChecks.notEmpty),
            choices(
                "link.may", \.link.may,
                "The commands that a back end may order from afar, signed with the command key. Empty: none."),
            choices(
                "link.may-set", \.link.maySet,
                "The parts of the reader's state that a back end may set from afar, signed with the command key: the "
                    + "blacklist as a whole, and settings that override the file. Empty: none."),
        ]
}

extension DecodedSettings {
    /// Finds settings with two owners, each of which would overwrite the other's value.
    mutating func checkOwners() {
        for setting in settings.reader.pushable where settings.link.maySet.contains(.setting(setting)) {
            report(
                .fault, "link.may-set",
                "\"\(setting.rawValue)\" is in reader.phones-may-set as well: remove it from one")
        }
    }
}

extension SettingKey {
    /// The keys of a companion process of the reader: its socket and its user. `purpose` completes "readerd-link, …".
    static func companion(
        _ section: String, _ socket: Path<String?>, _ user: Path<String>, _ purpose: String
    ) -> [SettingKey] {
        [
            text(
                "\(section).socket", socket, takes: "text: a path",
                "The socket for readerd-\(section), \(purpose). Absent: none.",
                example: "/run/readerd-\(section)/reader.sock", check: SettingChecks.socketPath),
            text(
                "\(section).user", user, takes: "text: a user's name or number",
                "The user as whom readerd-\(section) runs. No other user may connect, except that of readerd itself.",
                check: SettingChecks.notEmpty),
        ]
    }
}
