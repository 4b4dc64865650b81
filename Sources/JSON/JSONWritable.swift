// SPDX-License-Identifier: Apache-2.0

/// A value of a member of a `JSONObject`.
public protocol JSONWritable {
    /// The value as JSON on one line.
    var json: String { get }
}

/// A value that is JSON already.
public struct JSONLiteral: JSONWritable {
    /// The text.
    public let json: String

    /// The value of a JSON text on one line.
    public init(_ json: String) { self.json = json }
}

extension JSONObject: JSONWritable {
    /// The object as text.
    public var json: String { text }
}

extension String: JSONWritable {
    /// A string literal.
    public var json: String { JSONObject.quoted(self) }
}

extension Bool: JSONWritable {
    /// `true` or `false`.
    public var json: String { self ? "true" : "false" }
}

extension Array: JSONWritable where Element: JSONWritable {
    /// An array.
    public var json: String { "[" + map(\.json).joined(separator: ",") + "]" }
}

extension Optional where Wrapped: JSONWritable {
    /// The value; `null` for nil.
    public var orNull: any JSONWritable { self ?? JSONLiteral("null") as any JSONWritable }
}

extension JSONWritable where Self: FixedWidthInteger {
    /// A number.
    public var json: String { "\(self)" }
}

extension Int: JSONWritable {}
extension Int8: JSONWritable {}
extension Int16: JSONWritable {}
extension Int32: JSONWritable {}
extension Int64: JSONWritable {}
extension UInt8: JSONWritable {}
extension UInt16: JSONWritable {}
extension UInt32: JSONWritable {}
extension UInt64: JSONWritable {}
