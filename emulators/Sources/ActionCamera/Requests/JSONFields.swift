// SPDX-License-Identifier: Apache-2.0

public import JSON

/// The members of an object of a request.
struct JSONFields {
    private let members: [JSONNode.Member]

    /// The members of an object; nil for anything else.
    init?(_ node: JSONNode) {
        guard case .object(let members) = node.content else { return nil }
        self.members = members
    }

    /// The members of the object in a body; nil if the body is not an object.
    init?(body: [UInt8]) {
        guard let node = try? JSONParser.parse(body) else { return nil }
        self.init(node)
    }

    var names: [String] { members.map(\.name) }

    func has(_ name: String) -> Bool { self[name] != nil }

    private subscript(_ name: String) -> JSONNode.Content? {
        members.first { $0.name == name }.map(\.value.content)
    }

    func boolean(_ name: String) -> Bool? {
        guard case .boolean(let value) = self[name] else { return nil }
        return value
    }

    func text(_ name: String) -> String? {
        guard case .string(let text) = self[name] else { return nil }
        return text
    }

    /// A whole number; `30.0` is one.
    func integer(_ name: String) -> Int? { number(name).flatMap { Int(exactly: $0) } }

    /// A finite number.
    func number(_ name: String) -> Double? {
        guard case .number(let digits) = self[name], let value = Double(digits), value.isFinite else { return nil }
        return value
    }
}

extension Double: @retroactive JSONWritable {
    /// A number, which is finite.
    public var json: String { description }
}
