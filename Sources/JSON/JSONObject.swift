// SPDX-License-Identifier: Apache-2.0

/// A JSON object under construction (RFC 8259), on one line, with its members in order of addition.
public struct JSONObject: Equatable, Sendable {
    private var members = ""

    /// An object without members.
    public init() {}

    /// The object as text.
    public var text: String { "{" + members + "}" }

    /// Adds a member.
    public mutating func add(_ name: String, _ value: some JSONWritable) { add(name, json: value.json) }

    /// Adds a member whose value is already JSON.
    public mutating func add(_ name: String, json: String) {
        if !members.isEmpty { members += "," }
        members += JSONObject.quoted(name) + ":" + json
    }

    /// Adds the members of another object.
    public mutating func add(contentsOf other: JSONObject) {
        guard !other.members.isEmpty else { return }
        if !members.isEmpty { members += "," }
        members += other.members
    }

    /// A JSON string literal (RFC 8259, 7), on one line for any content.
    public static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22, 0x5C: result += "\\\(scalar)"
            // Further characters that some readers treat as line ends, or that control a terminal or hide text in it.
            case ..<0x20, 0x7F...0x9F, 0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// An object with these members in their order. One whose value is nil is left out.
    public init(dictionaryLiteral elements: (String, (any JSONWritable)?)...) {
        for (name, value) in elements {
            if let value { add(name, json: value.json) }
        }
    }
}
