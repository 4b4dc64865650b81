// SPDX-License-Identifier: Apache-2.0

/// A value in a JSON text (RFC 8259), with its line.
public struct JSONNode: Equatable, Sendable {
    /// The content of a value.
    public indirect enum Content: Equatable, Sendable {
        /// `null`.
        case null
        /// `true` or `false`.
        case boolean(Bool)
        /// A number in its original notation, whose syntax is valid.
        case number(String)
        /// A string with its escapes resolved.
        case string(String)
        /// An array.
        case array([JSONNode])
        /// An object, in the order of the text, with unique names.
        case object([Member])
    }

    /// A name and its value.
    public struct Member: Equatable, Sendable {
        /// The name, its escapes resolved.
        public var name: String
        /// The line of the name, counted from 1.
        public var line: Int
        /// The value.
        public var value: JSONNode
    }

    /// The content.
    public var content: Content
    /// The line on which it begins, counted from 1.
    public var line: Int

    /// A value with this content, beginning on this line.
    public init(content: Content, line: Int) {
        self.content = content
        self.line = line
    }

    /// A description of the type for error messages.
    public var kind: String {
        switch content {
        case .null: "null"
        case .boolean: "true or false"
        case .number: "a number"
        case .string: "text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
