/// One key of the configuration: its name, what it takes, its default, what it means. The table of all of them
/// decodes files and is what the reference file is checked against.
public struct SettingKey: Sendable {
    /// A path to a property that may be handed between threads, which is what `Sendable` tables need.
    typealias Path<Value> = any (WritableKeyPath<ReaderSettings, Value> & Sendable)

    /// The whole path, `door.pulse-s`.
    public let name: String
    /// What it takes, in words that follow "needs": `a whole number from 1 to 300`.
    public let takes: String
    /// What it means, in whole sentences.
    public let meaning: String
    /// A value as a file writes it, for a key that has no default.
    public let example: String
    /// False for a key that is accepted and checked, and that nothing reads yet.
    public let takesEffect: Bool
    /// The key's value in `settings` as a file writes it; nil where there is none.
    public let written: @Sendable (_ settings: ReaderSettings) -> String?
    /// Takes a value over into `settings`; the faults it has, each with the element's index where it is a list's.
    let decode: @Sendable (SettingValue, _ settings: inout ReaderSettings) -> [SettingFault]

    /// The table that the key is in; empty for the root.
    public var table: String { name.lastIndex(of: ".").map { String(name[..<$0]) } ?? "" }
    /// The key's name in its table.
    public var lastName: String { name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? name }

    /// The same key, accepted without effect.
    var withoutEffect: SettingKey {
        SettingKey(
            name: name, takes: takes, meaning: meaning, example: example, takesEffect: false, written: written,
            decode: decode)
    }
}

/// A key's value with the elements that a list has.
struct SettingValue {
    var value: SettingsEntry.Value
    var elements: [SettingsEntry.Value]
}

/// What is wrong with a value.
struct SettingFault {
    /// The element of a list that it is about.
    var element: Int?
    var text: String
}

extension SettingKey {
    /// As a basic string of TOML, and printable whatever is in it.
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
