// SPDX-License-Identifier: Apache-2.0

/// A node of a file with its path, and accessors that validate its type.
public struct JSONPlace {
    /// The node.
    public let node: JSONNode
    /// The path, such as `services[0].uuid`; empty for the whole file.
    public let path: String

    /// Parses a file, and returns its root.
    public init(file octets: [UInt8]) throws(JSONPlaceFault) {
        do throws(JSONFault) { self.init(try JSONParser.parse(octets), "") } catch {
            throw JSONPlaceFault(line: error.line, path: "", error.problem)
        }
    }

    private init(_ node: JSONNode, _ path: String) {
        self.node = node
        self.path = path
    }

    /// An error at this place.
    public func fault(_ problem: String) -> JSONPlaceFault { JSONPlaceFault(line: node.line, path: path, problem) }

    /// The members of an object, which must have no other names than these.
    public func members(_ known: [String]) throws(JSONPlaceFault) -> JSONMembers {
        guard case .object(let members) = node.content else { throw fault("is \(node.kind), and must be an object") }
        for member in members where !known.contains(member.name) {
            let place = path.isEmpty ? member.name : "\(path).\(member.name)"
            throw JSONPlaceFault(
                line: member.line, path: place, "unknown key; here are \(known.joined(separator: ", "))")
        }
        return JSONMembers(place: self, members: members)
    }

    /// Returns true if an object has this member, which determines the form of a description.
    public func has(_ name: String) -> Bool {
        guard case .object(let members) = node.content else { return false }
        return members.contains { $0.name == name }
    }

    /// The place of a member.
    public func member(_ member: JSONNode.Member) -> JSONPlace {
        JSONPlace(member.value, path.isEmpty ? member.name : "\(path).\(member.name)")
    }

    /// The places of an array's elements.
    public func elements() throws(JSONPlaceFault) -> [JSONPlace] {
        guard case .array(let elements) = node.content else { throw fault("is \(node.kind), and must be a list") }
        return elements.enumerated().map { JSONPlace($1, "\(path)[\($0)]") }
    }

    /// A string.
    public func text() throws(JSONPlaceFault) -> String {
        guard case .string(let text) = node.content else { throw fault("is \(node.kind), and must be text") }
        return text
    }

    /// The string of this node, which must be in `known`.
    public func word(_ known: [String]) throws(JSONPlaceFault) -> String {
        let text = try text()
        guard known.contains(text) else {
            throw fault("\(text.debugDescription) is not known; write \(known.joined(separator: ", "))")
        }
        return text
    }

    /// A string that is the raw value of a case.
    public func value<Value: RawRepresentable & CaseIterable>() throws(JSONPlaceFault) -> Value
    where Value.RawValue == String {
        let word = try word(Value.allCases.map(\.rawValue))
        guard let value = Value(rawValue: word) else { throw fault("is not known") }
        return value
    }

    /// A boolean.
    public func boolean() throws(JSONPlaceFault) -> Bool {
        guard case .boolean(let value) = node.content else { throw fault("is \(node.kind), and must be true or false") }
        return value
    }

    /// An integer in this range.
    public func number(_ range: ClosedRange<Int>) throws(JSONPlaceFault) -> Int {
        guard case .number(let text) = node.content else { throw fault("is \(node.kind), and must be a number") }
        guard let value = Int(text), range.contains(value) else {
            throw fault("\(text) is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Octets in over-the-air order, two hexadecimal digits each.
    public func octets(maximum: Int) throws(JSONPlaceFault) -> [UInt8] {
        let digits = Array(try text().utf8)
        guard digits.count.isMultiple(of: 2) else {
            throw fault("has \(digits.count) hexadecimal digits; two make an octet")
        }
        var octets: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Character(UnicodeScalar(digits[index])).hexDigitValue,
                let low = Character(UnicodeScalar(digits[index + 1])).hexDigitValue
            else { throw fault("has something else than hexadecimal digits at character \(index + 1)") }
            octets.append(UInt8(truncatingIfNeeded: high << 4 | low))
        }
        guard octets.count <= maximum else { throw fault("has \(octets.count) octets, and \(maximum) are the most") }
        return octets
    }

    /// This number of octets, two hexadecimal digits each.
    public func octets(exactly count: Int) throws(JSONPlaceFault) -> [UInt8] {
        let octets = try octets(maximum: count)
        guard octets.count == count else { throw fault("has \(octets.count) octets; \(count) are needed") }
        return octets
    }

    /// A duration such as `250 ms` or `1 s`, at most a day.
    public func duration(atLeast: Duration) throws(JSONPlaceFault) -> Duration {
        let text = try text()
        let digits = text.prefix { ("0"..."9").contains($0) }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        let scale: Int64? = unit == "ms" ? 1 : unit == "s" ? 1000 : nil
        guard digits.count <= 9, let count = Int64(digits), let scale else {
            throw fault("\(text.debugDescription) is no time; write it as \"250 ms\" or \"1 s\"")
        }
        let duration = Duration.milliseconds(count * scale)
        guard (atLeast ... .seconds(86_400)).contains(duration) else {
            let (seconds, attoseconds) = atLeast.components
            let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
            throw fault("\(text) is out of range: \(milliseconds) ms to 86400 s")
        }
        return duration
    }
}

/// The members of an object.
public struct JSONMembers {
    /// The object.
    public let place: JSONPlace
    /// The members in the order of the text.
    public let members: [JSONNode.Member]

    /// The member with this name, if present.
    public subscript(_ name: String) -> JSONPlace? {
        members.first { $0.name == name }.map(place.member)
    }

    /// The member with this name.
    ///
    /// - Throws: `JSONPlaceFault` if it is missing.
    public func required(_ name: String) throws(JSONPlaceFault) -> JSONPlace {
        guard let found = self[name] else { throw place.fault("lacks \"\(name)\"") }
        return found
    }
}
