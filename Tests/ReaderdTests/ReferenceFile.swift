// SPDX-License-Identifier: Apache-2.0

@testable import Configuration

/// The reference file `docs/readerd.toml`, as the table of keys makes it.
enum ReferenceFile {
    private static let width = 100

    static let text: String = {
        var lines = wrapped(
            "readerd's configuration: every key, with its default and its meaning. A key that is commented out has "
                + "no default. A file needs only what differs. Check one with: readerd check-config FILE")
        var table = ""
        for key in SettingKey.all {
            if key.table != table {
                table = key.table
                // A table in which nothing is written would be a table all the same.
                let isWritten = SettingKey.all.contains { $0.table == table && $0.written(ReaderSettings()) != nil }
                lines += ["", (isWritten ? "" : "#") + "[\(table)]"]
            }
            lines += [""] + entry(key)
        }
        return lines.map { $0 + "\n" }.joined()
    }()

    private static func entry(_ key: SettingKey) -> [String] {
        let comment = wrapped("\(key.meaning) Takes \(key.takes).")
        let value = key.written(ReaderSettings())
        let name = key.table.isEmpty ? key.name : String(key.name.dropFirst(key.table.count + 1))
        return comment + [(value == nil ? "#" : "") + "\(name) = \(value ?? key.example)"]
    }

    private static func wrapped(_ text: String) -> [String] {
        var lines: [String] = []
        var line = "#"
        for word in text.split(separator: " ") {
            if line.count + 1 + word.count > width {
                lines.append(line)
                line = "#"
            }
            line += " \(word)"
        }
        return lines + [line]
    }
}
