// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Octets

/// Values as JSON on one line, with sorted keys.
public enum JSONText {
    /// The line, without its end.
    public static func line(_ value: some Encodable) throws -> String { try encoded(value) }

    /// The line of an object, without its end.
    public static func line(_ fields: SortedJSON) throws -> String { try encoded(fields) }

    private static func encoded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self).printableJSON
    }
}

/// An object's members by name; those that are nil are left out.
public struct SortedJSON: Encodable, Sendable, ExpressibleByDictionaryLiteral {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private var values: [String: any Encodable & Sendable]

    /// The members of a literal.
    public init(dictionaryLiteral elements: (String, (any Encodable & Sendable)?)...) {
        values = Dictionary(elements.compactMap { name, value in value.map { (name, $0) } }) { $1 }
    }

    /// These members and others.
    public func and(_ others: SortedJSON) -> SortedJSON {
        var all = self
        all.values.merge(others.values) { $1 }
        return all
    }

    /// Encodes the members.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (name, value) in values { try container.encode(value, forKey: Name(stringValue: name)) }
    }
}
