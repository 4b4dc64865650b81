// SPDX-License-Identifier: Apache-2.0

@testable import Configuration

/// The JSON Schema `docs/readerd.schema.json` of configuration files, as the table of keys makes it.
enum ReferenceSchema {
    static let text: String = {
        var root = Table()
        for key in SettingKey.all { root.insert(key, key.name.split(separator: ".")[...]) }
        return """
            {
              "$schema": "http://json-schema.org/draft-07/schema#",
              "title": "readerd.toml",
              "description": "The configuration of readerd; see configuration.md.",
              "type": "object",
              "additionalProperties": false,
              "properties": {
            \(root.lines(indentation: 4))
              }
            }

            """
    }()

    /// Keys and tables in the order of their first appearance.
    private final class Table {
        private enum Entry {
            case key(SettingKey)
            case table(Table)
        }

        private var entries: [(name: Substring, entry: Entry)] = []

        func insert(_ key: SettingKey, _ path: ArraySlice<Substring>) {
            guard let name = path.first else { return }
            guard path.count > 1 else { return entries.append((name, .key(key))) }
            for case (name, .table(let table)) in entries { return table.insert(key, path.dropFirst()) }
            let table = Table()
            entries.append((name, .table(table)))
            table.insert(key, path.dropFirst())
        }

        func lines(indentation: Int) -> String {
            let space = String(repeating: " ", count: indentation)
            return entries.map { name, entry in
                switch entry {
                case .key(let key): "\(space)\"\(name)\": {\(ReferenceSchema.members(key).joined(separator: ", "))}"
                case .table(let table):
                    """
                    \(space)"\(name)": {
                    \(space)  "type": "object",
                    \(space)  "additionalProperties": false,
                    \(space)  "properties": {
                    \(table.lines(indentation: indentation + 4))
                    \(space)  }
                    \(space)}
                    """
                }
            }
            .joined(separator: ",\n")
        }
    }

    private static func members(_ key: SettingKey) -> [String] {
        let value = key.written(ReaderSettings())
        var members = ["\"description\": \(SettingKey.quoted("\(key.meaning) Takes \(key.takes)."))"]
        members += shape(key.takes, like: value ?? key.example)
        if let value { members.append("\"default\": \(number(value[...]).map { "\($0)" } ?? value)") }
        return members
    }

    /// The type, which a value as a file writes it tells, and the bounds, which the key's words tell.
    private static func shape(_ takes: String, like value: String) -> [String] {
        let choice = takes.hasPrefix("\"") || takes.hasPrefix("a list of \"") ? choices(takes) : []
        let choices = choice.isEmpty ? [] : ["\"enum\": [\(choice.joined(separator: ", "))]"]
        switch value.first {
        case "t", "f": return ["\"type\": \"boolean\""]
        case "\"": return ["\"type\": \"string\""] + choices
        case "[":
            let item = (["\"type\": \"string\""] + choices).joined(separator: ", ")
            return ["\"type\": \"array\"", "\"items\": {\(item)}"]
        default:
            guard let (least, most) = bounds(takes) else { return [] }
            return ["\"type\": \"integer\"", "\"minimum\": \(least)", "\"maximum\": \(most)"]
        }
    }

    /// The texts in quotation marks, with these.
    static func choices(_ takes: String) -> [String] {
        let parts = takes.split(separator: "\"", omittingEmptySubsequences: false)
        return parts.indices.filter { $0 % 2 == 1 }.map { "\"\(parts[$0])\"" }
    }

    /// `a whole number from 1 to 300`
    static func bounds(_ takes: String) -> (Int, Int)? {
        let words = takes.split(separator: " ")
        guard words.count == 7, takes.hasPrefix("a whole number from "), let least = number(words[4]),
            let most = number(words[6])
        else { return nil }
        return (least, most)
    }

    /// A whole number as files write it, `0x004C` too; nil for anything else.
    private static func number(_ text: Substring) -> Int? {
        text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
    }
}
