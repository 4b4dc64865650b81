// SPDX-License-Identifier: Apache-2.0

/// A parser of JSON texts (RFC 8259) into nodes with line numbers, which locate errors in a file. Refuses
/// duplicate names in an object, because a value would be lost.
public struct JSONParser {
    /// The maximum nesting of arrays and objects: twice as deep as a device file, and deeper than a request.
    public static let maximumDepth = 16

    private let octets: [UInt8]
    private var position = 0
    private var line = 1

    private init(_ octets: [UInt8]) { self.octets = octets }

    /// Parses the only value of a text; only white space may follow it.
    ///
    /// - Throws: `JSONFault` for the first error.
    public static func parse(_ octets: [UInt8]) throws(JSONFault) -> JSONNode {
        var parser = JSONParser(octets)
        let node = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.peek == nil else { throw parser.fault("the JSON value has ended, and more follows") }
        return node
    }

    private var peek: UInt8? { position < octets.count ? octets[position] : nil }

    private func fault(_ problem: String) -> JSONFault { JSONFault(line: line, problem) }

    /// A description of the unexpected input.
    private var found: String {
        guard let octet = peek else { return "the text ends" }
        if octet == UInt8(ascii: "\"") { return "a quotation mark stands" }
        let isPrintable = (0x21...0x7E).contains(octet)
        return isPrintable ? "\"\(Character(UnicodeScalar(octet)))\" stands" : "octet \(octet) stands"
    }

    private mutating func skipSpace() {
        while let octet = peek, [0x20, 0x09, 0x0A, 0x0D].contains(octet) {
            if octet == 0x0A { line += 1 }
            position += 1
        }
    }

    /// Consumes `octet` if it is next.
    private mutating func consume(_ octet: UInt8) -> Bool {
        guard peek == octet else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONFault) -> JSONNode {
        skipSpace()
        let start = line
        let content: JSONNode.Content
        switch peek {
        case UInt8(ascii: "{"): content = .object(try members(depth: depth + 1))
        case UInt8(ascii: "["): content = .array(try elements(depth: depth + 1))
        case UInt8(ascii: "\""): content = .string(try string())
        case UInt8(ascii: "t"): content = try word("true", .boolean(true))
        case UInt8(ascii: "f"): content = try word("false", .boolean(false))
        case UInt8(ascii: "n"): content = try word("null", .null)
        case let octet? where octet == UInt8(ascii: "-") || JSONParser.isDigit(octet):
            content = .number(try number())
        default: throw fault("\(found) where a value is expected")
        }
        return JSONNode(content: content, line: start)
    }

    private mutating func members(depth: Int) throws(JSONFault) -> [JSONNode.Member] {
        try open(depth)
        var members: [JSONNode.Member] = []
        if consume(UInt8(ascii: "}")) { return members }
        while true {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else {
                throw fault("\(found) where a name in quotation marks is expected")
            }
            let nameLine = line
            let name = try string()
            guard !members.contains(where: { $0.name == name }) else {
                throw JSONFault(line: nameLine, "\"\(name)\" is given twice in one object; keep one")
            }
            skipSpace()
            guard consume(UInt8(ascii: ":")) else { throw fault("\(found) where \":\" is expected after a name") }
            members.append(JSONNode.Member(name: name, line: nameLine, value: try value(depth: depth)))
            skipSpace()
            if consume(UInt8(ascii: "}")) { return members }
            guard consume(UInt8(ascii: ",")) else { throw fault("\(found) where \",\" or \"}\" is expected") }
        }
    }

    private mutating func elements(depth: Int) throws(JSONFault) -> [JSONNode] {
        try open(depth)
        var elements: [JSONNode] = []
        if consume(UInt8(ascii: "]")) { return elements }
        while true {
            elements.append(try value(depth: depth))
            skipSpace()
            if consume(UInt8(ascii: "]")) { return elements }
            guard consume(UInt8(ascii: ",")) else { throw fault("\(found) where \",\" or \"]\" is expected") }
        }
    }

    private mutating func open(_ depth: Int) throws(JSONFault) {
        guard depth <= JSONParser.maximumDepth else {
            throw fault("lists and objects lie more than \(JSONParser.maximumDepth) deep in each other")
        }
        position += 1
        skipSpace()
    }

    private mutating func word(_ text: StaticString, _ content: JSONNode.Content) throws(JSONFault)
        -> JSONNode.Content
    {
        for expected in text.description.utf8 {
            guard consume(expected) else { throw fault("\(found) where \(text) is expected") }
        }
        return content
    }

    /// Parses a number (RFC 8259, 6): no leading zero, digits after a decimal point and in an exponent.
    private mutating func number() throws(JSONFault) -> String {
        let start = position
        _ = consume(UInt8(ascii: "-"))
        if !consume(UInt8(ascii: "0")) { try digits() }
        if consume(UInt8(ascii: ".")) { try digits() }
        if consume(UInt8(ascii: "e")) || consume(UInt8(ascii: "E")) {
            if !consume(UInt8(ascii: "+")) { _ = consume(UInt8(ascii: "-")) }
            try digits()
        }
        if let next = peek, JSONParser.isDigit(next) {
            throw fault("a number begins with 0; leave it out")
        }
        return String(decoding: octets[start..<position], as: UTF8.self)
    }

    private static func isDigit(_ octet: UInt8) -> Bool { (0x30...0x39).contains(octet) }

    private mutating func digits() throws(JSONFault) {
        let start = position
        while let octet = peek, JSONParser.isDigit(octet) { position += 1 }
        guard position > start else { throw fault("\(found) where a digit is expected") }
    }

    private mutating func string() throws(JSONFault) -> String {
        position += 1
        var text: [UInt8] = []
        while let octet = peek {
            position += 1
            switch octet {
            case UInt8(ascii: "\""):
                guard let text = String(validating: text, as: UTF8.self) else {
                    throw fault("a text is not UTF-8; write it as UTF-8")
                }
                return text
            case UInt8(ascii: "\\"): try escape(into: &text)
            case ..<0x20:
                position -= 1
                throw fault("\(found) in a text; write it as an escape, \\n for a line's end")
            default: text.append(octet)
            }
        }
        throw fault("the text ends within a text; close it with \"")
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONFault) {
        guard let octet = peek else { throw fault("the text ends within a text; close it with \"") }
        position += 1
        switch octet {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(octet)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try scalar()).utf8)
        default:
            position -= 1
            throw fault("\(found) after \\ in a text; JSON knows \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX")
        }
    }

    /// Parses the digits after `\u`; a surrogate pair is one character beyond U+FFFF (RFC 8259, 7).
    private mutating func scalar() throws(JSONFault) -> Character {
        let first = try unit()
        var value = first
        if (0xD800...0xDBFF).contains(first) {
            guard consume(UInt8(ascii: "\\")), consume(UInt8(ascii: "u")) else { throw halfCharacter }
            let second = try unit()
            guard (0xDC00...0xDFFF).contains(second) else { throw halfCharacter }
            value = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
        }
        guard let scalar = UnicodeScalar(value) else { throw halfCharacter }
        return Character(scalar)
    }

    private var halfCharacter: JSONFault { fault("half a character is escaped in a text; write both \\u of it") }

    private mutating func unit() throws(JSONFault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let octet = peek, let digit = Character(UnicodeScalar(octet)).hexDigitValue else {
                throw fault("\(found) where four hexadecimal digits are expected after \\u")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}

/// The reason why octets are not a JSON text, with the line.
public struct JSONFault: Error, Equatable, Sendable {
    /// The line, counted from 1.
    public var line: Int
    /// The error, and the remedy where it helps.
    public var problem: String

    /// A fault on this line.
    public init(line: Int, _ problem: String) {
        self.line = line
        self.problem = problem
    }
}
