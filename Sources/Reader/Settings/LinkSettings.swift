// SPDX-License-Identifier: Apache-2.0

extension ReaderSettings {
    /// `[link]`: the process by which the reader is one of a fleet.
    public struct Link: Equatable, Sendable {
        /// `socket`; nil for no link.
        public var socket: String?
        /// `user`
        public var user = "readerd-link"
        /// `name`; nil for the device identifier.
        public var name: String?
    }
}

extension SettingKey {
    static let link: [SettingKey] = [
        text(
            "link.socket", \.link.socket, takes: "text: a path",
            "The socket for readerd-link, the process that delivers events and states to an MQTT broker: docs/fleet.md. "
                + "Absent: none.",
            example: "/run/readerd-link/reader.sock", check: SettingChecks.socketPath),
        text(
            "link.user", \.link.user, takes: "text: a user's name or number",
            "The user as whom readerd-link runs. Nobody else is let in, but the user of readerd itself.",
            check: SettingChecks.notEmpty),
        text(
            "link.name", \.link.name, takes: "text: a name",
            "The name of the door for people, as Home Assistant shows it. Absent: the device identifier.",
            example: "Front door", check: SettingChecks.notEmpty),
    ]
}
