// SPDX-License-Identifier: Apache-2.0

extension JSONNode {
    /// The member of an object with this name; nil if the object has no such member, or the node is no object.
    public subscript(name: String) -> JSONNode? {
        guard case .object(let members) = content else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The value as a text on one line. Parsing it gives an equal value, but for the lines.
    public var written: String {
        switch content {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .number(let text): text
        case .string(let text): JSONObject.quoted(text)
        case .array(let elements): "[" + elements.map(\.written).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(JSONObject.quoted($0.name)):\($0.value.written)" }.joined(separator: ",") + "}"
        }
    }
}
