// SPDX-License-Identifier: Apache-2.0

extension SettingKey {
    static let updater: [SettingKey] = [
        SettingKey(
            name: "updater.command", takes: commandTakes,
            meaning:
                "The program started by the commands BOOTLD and boot of a maintenance credential, without a shell. "
                + "Absent: not supported.",
            example: #"["/usr/lib/readerd/update"]"#,
            written: { settings in
                let command = settings.updater.command
                return command.isEmpty ? nil : "[" + command.map(quoted).joined(separator: ", ") + "]"
            },
            decode: decodeCommand)
    ]

    private static let commandTakes = "one or more texts in a list: the program's absolute path, then its arguments"

    @Sendable private static func decodeCommand(_ value: SettingValue, _ settings: inout ReaderSettings)
        -> [SettingFault]
    {
        guard case .array = value.value else {
            return wrongType(value.value, needs: commandTakes)
        }
        guard !value.elements.isEmpty else {
            return [SettingFault(text: "is empty: remove the key if there is no updater")]
        }
        let maximum = ReaderSettings.Updater.maximumCount
        guard value.elements.count <= maximum else {
            return [SettingFault(text: "has \(value.elements.count) texts: needs \(maximum) at most")]
        }
        var command: [String] = []
        var faults: [SettingFault] = []
        for (number, element) in value.elements.enumerated() {
            guard case .string(let text) = element else {
                faults.append(SettingFault(element: number, text: "needs text, not \(element.kind)"))
                continue
            }
            if let problem = SettingChecks.argument(text, isProgram: number == 0) {
                faults.append(SettingFault(element: number, text: problem))
            }
            command.append(text)
        }
        if faults.isEmpty { settings.updater.command = command }
        return faults
    }
}

extension SettingChecks {
    /// Checks an argument of a program; the program itself must be an absolute path.
    static func argument(_ text: String, isProgram: Bool) -> String? {
        if text.utf8.contains(0) { return "has a zero octet" }
        if text.utf8.count > ReaderSettings.Updater.maximumOctets {
            return "is too long: needs \(ReaderSettings.Updater.maximumOctets) octets at most"
        }
        if isProgram, text.utf8.first != UInt8(ascii: "/") || text.utf8.last == UInt8(ascii: "/") {
            return "\(SettingKey.quoted(text)) is not an absolute path of a program"
        }
        return nil
    }
}
