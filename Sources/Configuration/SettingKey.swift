// SPDX-License-Identifier: Apache-2.0

/// A key of the configuration: name, values, default and meaning. The table of all keys decodes files, and the
/// reference file is checked against it.
public struct SettingKey: Sendable {
    /// A path to a property; `Sendable`, as the tables are.
    typealias Path<Value> = any (WritableKeyPath<ReaderSettings, Value> & Sendable)

    /// The full path, as in `door.pulse-s`.
    public let name: String
    /// The permitted values, as a phrase after "needs": `a whole number from 1 to 300`.
    public let takes: String
    /// The meaning, in sentences.
    public let meaning: String
    /// An example as written in a file, for a key without a default.
    public private(set) var example = ""
    /// The value in `settings` as written in a file; nil without a value.
    public let written: @Sendable (_ settings: ReaderSettings) -> String?
    /// The value in force without a written one, as written in a file, where it follows from other keys.
    public private(set) var implied: @Sendable (_ settings: ReaderSettings) -> String? = { _ in nil }
    /// Stores a value in `settings`, and returns its faults. Faults of a list have the element's index.
    let decode: @Sendable (SettingValue, _ settings: inout ReaderSettings) -> [SettingFault]

    /// Stores the value of these entries of a file: the key's, then its elements'. Ignores the faults of the value.
    package func store(_ entries: [SettingsEntry], in settings: inout ReaderSettings) {
        guard let first = entries.first else { return }
        _ = decode(SettingValue(value: first.value, elements: entries.dropFirst().map(\.value)), &settings)
    }

    /// The table of the key; empty for the root.
    public var table: String { name.lastIndex(of: ".").map { String(name[..<$0]) } ?? "" }
}

/// The value of a key, with the elements of a list.
struct SettingValue {
    var value: SettingsEntry.Value
    var elements: [SettingsEntry.Value]
}

/// A fault of a value.
struct SettingFault {
    /// The index of the faulty element of a list.
    var element: Int?
    var text: String
}

extension SettingKey {
    /// Returns a basic string of TOML, with control characters escaped.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
