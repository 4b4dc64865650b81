// SPDX-License-Identifier: Apache-2.0

/// An element of an XML text, with its line.
struct XMLElement {
    /// The name.
    var name: String
    /// The attributes in the order of the text; names are unique.
    var attributes: [(name: String, value: String)]
    /// The elements in it.
    var children: [XMLElement]
    /// The line of its start, counted from 1.
    var line: Int

    /// The value of an attribute; nil if it is not given.
    subscript(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
}

/// A parser of the XML that configurations are written in (XML 1.0): elements with attributes, comments, processing
/// instructions, references to characters. Text between elements, document types and namespaces are refused: no
/// configuration has them, and they would be lost.
struct XMLParser {
    /// The maximum length of a text in octets.
    static let maximumCount = 1_048_576
    /// The maximum nesting of elements.
    static let maximumDepth = 16
    /// The maximum number of elements: each handle of a server twice.
    static let maximumElements = 131_072

    private let octets: [UInt8]
    private var position = 0
    private var line = 1
    private var elements = 0

    private init(_ octets: [UInt8]) { self.octets = octets }

    /// Parses the only element of a text.
    static func parse(_ octets: [UInt8]) throws(DeviceImportFault) -> XMLElement {
        guard octets.count <= maximumCount else {
            throw DeviceImportFault(
                .file, "has \(octets.count) octets, and \(maximumCount) are the most of an XML text")
        }
        var parser = XMLParser(octets)
        if octets.starts(with: [0xEF, 0xBB, 0xBF]) { parser.position = 3 }
        try parser.skipMisc()
        let root = try parser.element(depth: 1)
        try parser.skipMisc()
        guard parser.peek == nil else { throw parser.fault("more follows the element <\(root.name)>") }
        return root
    }

    private var peek: UInt8? { position < octets.count ? octets[position] : nil }

    private func fault(_ problem: String) -> DeviceImportFault { DeviceImportFault(.line(line), problem) }

    private func starts(with text: StaticString) -> Bool {
        octets[position...].starts(with: text.description.utf8)
    }

    private mutating func advance(_ count: Int) {
        for _ in 0..<count where position < octets.count {
            if octets[position] == 0x0A { line += 1 }
            position += 1
        }
    }

    private mutating func skipSpace() {
        while let octet = peek, [0x20, 0x09, 0x0D, 0x0A].contains(octet) { advance(1) }
    }

    /// Skips white space, comments and processing instructions.
    private mutating func skipMisc() throws(DeviceImportFault) {
        while true {
            skipSpace()
            if starts(with: "<!--") {
                try skip(through: "-->")
            } else if starts(with: "<?") {
                try skip(through: "?>")
            } else {
                return
            }
        }
    }

    private mutating func skip(through end: StaticString) throws(DeviceImportFault) {
        let start = line
        while position < octets.count, !starts(with: end) { advance(1) }
        guard peek != nil else {
            throw DeviceImportFault(.line(start), "\(end) is missing: the text ends within a comment or an instruction")
        }
        advance(end.utf8CodeUnitCount)
    }

    private mutating func name() throws(DeviceImportFault) -> String {
        let start = position
        while let octet = peek, XMLParser.isName(octet) { advance(1) }
        guard position > start else { throw fault("a name is expected") }
        return String(decoding: octets[start..<position], as: UTF8.self)
    }

    /// Letters, digits, hyphens, full stops and underscores: the names of configurations are ASCII.
    private static func isName(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    private mutating func element(depth: Int) throws(DeviceImportFault) -> XMLElement {
        guard depth <= XMLParser.maximumDepth else {
            throw fault("elements lie more than \(XMLParser.maximumDepth) deep in each other")
        }
        elements += 1
        guard elements <= XMLParser.maximumElements else {
            throw fault("has more than \(XMLParser.maximumElements) elements")
        }
        guard peek == UInt8(ascii: "<") else { throw fault("an element is expected") }
        var element = XMLElement(name: "", attributes: [], children: [], line: line)
        advance(1)
        element.name = try name()
        while true {
            skipSpace()
            if starts(with: "/>") {
                advance(2)
                return element
            }
            if peek == UInt8(ascii: ">") { break }
            let attribute = try attribute()
            guard element[attribute.name] == nil else { throw fault("\(attribute.name) is given twice; keep one") }
            element.attributes.append(attribute)
        }
        advance(1)
        while true {
            try skipMisc()
            if starts(with: "</") { break }
            element.children.append(try self.element(depth: depth + 1))
        }
        advance(2)
        let end = try name()
        guard end == element.name else { throw fault("</\(end)> ends <\(element.name)> of line \(element.line)") }
        skipSpace()
        guard peek == UInt8(ascii: ">") else { throw fault("\">\" is expected") }
        advance(1)
        return element
    }

    private mutating func attribute() throws(DeviceImportFault) -> (name: String, value: String) {
        let name = try name()
        skipSpace()
        guard peek == UInt8(ascii: "=") else { throw fault("\"=\" is expected after \(name)") }
        advance(1)
        skipSpace()
        guard let quote = peek, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw fault("the value of \(name) is expected in quotation marks")
        }
        advance(1)
        var value: [UInt8] = []
        while let octet = peek, octet != quote {
            switch octet {
            case UInt8(ascii: "<"): throw fault("\"<\" stands in the value of \(name); write it as &lt;")
            case UInt8(ascii: "&"): value.append(contentsOf: String(try reference()).utf8)
            default:
                value.append(octet)
                advance(1)
            }
        }
        guard peek != nil else { throw fault("the text ends within the value of \(name)") }
        advance(1)
        guard let text = String(validating: value, as: UTF8.self) else { throw fault("\(name) is not UTF-8") }
        return (name, text)
    }

    /// `&lt;` and its like, and `&#65;` or `&#x41;` (XML 1.0, 4.1, 4.6).
    private mutating func reference() throws(DeviceImportFault) -> Character {
        /// The longest: `&#x10FFFF;`.
        let end = octets[position...].prefix(10).firstIndex(of: UInt8(ascii: ";"))
        guard let end else { throw fault("a reference begins with & and ends with ;, as &amp;") }
        let name = String(decoding: octets[(position + 1)..<end], as: UTF8.self)
        let named: [String: Character] = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]
        var character = named[name]
        if name.hasPrefix("#") {
            let digits = name.hasPrefix("#x") ? name.dropFirst(2) : name.dropFirst()
            let number = UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10)
            character = number.flatMap(UnicodeScalar.init).map { Character($0) }
        }
        guard let character else {
            throw fault("&\(name); is not known; write &lt; &gt; &amp; &quot; &apos; or a number")
        }
        advance(end + 1 - position)
        return character
    }
}
