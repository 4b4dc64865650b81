/// A value of a JSON text (RFC 8259), and the line on which it begins.
struct JSONNode: Equatable {
    /// What a value is.
    indirect enum Content: Equatable {
        case null
        case boolean(Bool)
        /// As it is written; the grammar has been checked.
        case number(String)
        case string(String)
        case array([JSONNode])
        case object([Member])
    }

    /// A name and its value; the line is the name's.
    struct Member: Equatable {
        var name: String
        var line: Int
        var value: JSONNode
    }

    var content: Content
    /// Counted from 1.
    var line: Int

    /// What the value is called in a fault.
    var kind: String {
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
