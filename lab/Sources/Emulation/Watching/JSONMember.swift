// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A value in a JSON object that is written as a literal.
public protocol JSONMember {
    /// The value as JSON.
    var asJSON: String { get }
}

/// A value that is JSON already.
public struct JSONLiteral: JSONMember {
    /// The text.
    public let asJSON: String

    /// The value of this text.
    public init(_ text: String) { asJSON = text }
}

extension String: JSONMember {
    /// The quoted text.
    public var asJSON: String { JSONObject.quoted(self) }
}

extension JSONObject: JSONMember {
    /// The object.
    public var asJSON: String { text }
}

extension Array: JSONMember where Element: JSONMember {
    /// The elements in brackets.
    public var asJSON: String { "[" + map(\.asJSON).joined(separator: ",") + "]" }
}

extension JSONMember where Self: CustomStringConvertible {
    /// The number or truth value, as Swift writes it.
    public var asJSON: String { description }
}

extension Bool: JSONMember {}
extension Int: JSONMember {}
extension Int8: JSONMember {}
extension Int32: JSONMember {}
extension Int64: JSONMember {}
extension UInt8: JSONMember {}
extension UInt16: JSONMember {}
extension UInt32: JSONMember {}
extension UInt64: JSONMember {}

extension JSONObject: @retroactive ExpressibleByDictionaryLiteral {
    /// An object of these members, in their order; those that are nil are left out.
    public init(dictionaryLiteral elements: (String, (any JSONMember)?)...) {
        self.init()
        for case (let name, let value?) in elements { add(name, json: value.asJSON) }
    }
}
