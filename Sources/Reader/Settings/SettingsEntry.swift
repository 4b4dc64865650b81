/// One thing that stands in a configuration file: a table, a key with its value, or an element of an array.
public struct SettingsEntry: Equatable, Sendable {
    /// What it is, and its value.
    public enum Value: Equatable, Sendable {
        /// `[name]`, an inline table, or a table that a dotted key implies.
        case table
        /// An array; its elements are entries of their own.
        case array
        /// Text.
        case string(String)
        /// A whole number.
        case integer(Int64)
        /// Any other number.
        case float(Double)
        /// `true` or `false`.
        case boolean(Bool)
        /// A date, a time, or both.
        case dateTime

        /// What it is, in words.
        var kind: String {
            switch self {
            case .table: "a table"
            case .array: "a list"
            case .string: "text"
            case .integer: "a whole number"
            case .float: "a number with a point"
            case .boolean: "true or false"
            case .dateTime: "a date or time"
            }
        }
    }

    /// The keys from the root, joined by dots, keys that are not bare in quotes; an element has its array's path.
    public var path: String
    /// Which element of its array it is, from 0; nil for the value of a key.
    public var index: Int?
    /// What it is.
    public var value: Value
    /// The line of its key, from 1.
    public var line: Int
    /// The column of its key, from 1.
    public var column: Int

    /// An entry with these properties.
    public init(path: String, index: Int? = nil, value: Value, line: Int, column: Int) {
        self.path = path
        self.index = index
        self.value = value
        self.line = line
        self.column = column
    }
}
