// SPDX-License-Identifier: Apache-2.0

/// An entry of a configuration file: a table, a key with its value, or an element of an array.
public struct SettingsEntry: Equatable, Sendable {
    /// The type of an entry, with its value.
    public enum Value: Equatable, Sendable {
        /// `[name]`, an inline table, or a table that a dotted key implies.
        case table
        /// An array; its elements are entries too.
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

        /// The type in words.
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

    /// The keys from the root, joined by dots, with quotes around keys that are not bare; an element has its array's
    /// path.
    public var path: String
    /// The index of an element of an array, from 0; nil for the value of a key.
    public var index: Int?
    /// The value.
    public var value: Value
    /// The line of its key, from 1.
    public var line: Int
    /// The column of its key, from 1.
    public var column: Int

    /// Creates an entry with these properties.
    public init(path: String, index: Int? = nil, value: Value, line: Int, column: Int) {
        self.path = path
        self.index = index
        self.value = value
        self.line = line
        self.column = column
    }
}
