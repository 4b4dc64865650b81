// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing

/// RFC 8259, with line numbers.
@Suite struct JSONParserTests {
    private func parse(_ text: String) throws -> JSONNode { try JSONParser.parse(Array(text.utf8)) }

    private func fault(_ text: String) -> String? {
        do {
            _ = try parse(text)
            return nil
        } catch let fault as JSONFault {
            return "\(fault.line): \(fault.problem)"
        } catch {
            return "\(error)"
        }
    }

    @Test func valuesOfAllKindsWithTheirLines() throws {
        let node = try parse("{\n \"a\": [true, false,\n null],\r\n\t\"b\" : -1.5e+10, \"c\": \"\"\n}\n")
        guard case .object(let members) = node.content else {
            Issue.record("no object")
            return
        }
        #expect(members.map(\.name) == ["a", "b", "c"])
        #expect(members.map(\.line) == [2, 4, 4])
        #expect(
            members[0].value.content
                == .array([
                    JSONNode(content: .boolean(true), line: 2), JSONNode(content: .boolean(false), line: 2),
                    JSONNode(content: .null, line: 3),
                ]))
        #expect(members[1].value.content == .number("-1.5e+10"))
        #expect(members[2].value.content == .string(""))
    }

    @Test func numbersAreAsTheGrammarHasThem() throws {
        for text in ["0", "-0", "10", "0.5", "1E9", "1e-9", "-120.25"] {
            #expect(try parse(text).content == .number(text))
        }
        for text in ["-", "01", "-01", "1.", ".5", "1e", "1e+", "+1", "0x10", "1.e2"] { #expect(fault(text) != nil) }
    }

    @Test func escapesOfTexts() throws {
        #expect(
            try parse(#""\"\\\/\b\f\n\r\t\u00e9\u20AC\ud83d\ude00é""#).content
                == .string("\"\\/\u{8}\u{c}\n\r\té€😀é"))
        for text in [#""\x""#, #""\u12""#, #""\u12g4""#, #""\ud83d""#, #""\ud83dx""#, #""\ud83d\u0041""#, #""\ude00""#]
        {
            #expect(fault(text) != nil)
        }
        #expect(fault("\"a\nb\"") == "1: octet 10 stands in a text; write it as an escape, \\n for a line's end")
    }

    @Test func octetsThatAreNoUTF8() {
        for octets: [UInt8] in [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] {
            #expect(throws: JSONFault.self) { try JSONParser.parse([0x22] + octets + [0x22]) }
        }
    }

    @Test func everyPrefixOfATextIsAFault() throws {
        let text = #"{"a": [1, {"b": "\u0041\n"}, true, null], "c": -1}"#
        _ = try parse(text)
        for count in 0..<text.utf8.count {
            #expect(throws: JSONFault.self) { try JSONParser.parse(Array(text.utf8.prefix(count))) }
        }
    }

    @Test func faultsSayWhereAndWhat() {
        let cases = [
            ("", "1: the text ends where a value is expected"),
            ("{} x", "1: the JSON value has ended, and more follows"),
            ("{\n\"a\" 1}", "2: \"1\" stands where \":\" is expected after a name"),
            ("{\n\"a\": 1\n\"b\": 2}", "3: a quotation mark stands where \",\" or \"}\" is expected"),
            ("{\"a\": 1,}", "1: \"}\" stands where a name in quotation marks is expected"),
            ("[1,]", "1: \"]\" stands where a value is expected"),
            ("[1 2]", "1: \"2\" stands where \",\" or \"]\" is expected"),
            ("{\"a\": 1,\n\"a\": 2}", "2: \"a\" is given twice in one object; keep one"),
            ("tru", "1: the text ends where true is expected"),
            ("\"a", "1: the text ends within a text; close it with \""),
        ]
        for (text, expected) in cases { #expect(fault(text) == expected) }
    }

    @Test func depthIsBounded() throws {
        let most = JSONParser.maximumDepth
        _ = try parse(String(repeating: "[", count: most) + String(repeating: "]", count: most))
        #expect(
            fault(String(repeating: "[", count: 100_000))
                == "1: lists and objects lie more than 16 deep in each other")
    }
}
