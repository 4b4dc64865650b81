/// A value of a JSON text (RFC 8259), and the line on which it begins.
public struct JSONNode: Equatable, Sendable {
    /// What a value is.
    public indirect enum Content: Equatable, Sendable {
        /// `null`.
        case null
        /// `true` or `false`.
        case boolean(Bool)
        /// As it is written; the grammar has been checked.
        case number(String)
        /// Text, its escapes resolved.
        case string(String)
        /// A list.
        case array([JSONNode])
        /// An object, in the order of the text; each name once.
        case object([Member])
    }

    /// A name and its value; the line is the name's.
    public struct Member: Equatable, Sendable {
        /// The name, its escapes resolved.
        public var name: String
        /// The line of the name, counted from 1.
        public var line: Int
        /// What stands behind the name.
        public var value: JSONNode
    }

    /// What the value is.
    public var content: Content
    /// The line on which it begins, counted from 1.
    public var line: Int

    /// A value with this content, beginning on this line.
    public init(content: Content, line: Int) {
        self.content = content
        self.line = line
    }

    /// What the value is called in a fault.
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
