// SPDX-License-Identifier: Apache-2.0

import Configuration
import Testing

@testable import readerd

@Suite struct TOMLDocumentTests {
    private func entries(_ text: String) throws -> [SettingsEntry] {
        try TOMLDocument.entries(of: Array(text.utf8).span).get()
    }

    private func fault(_ octets: [UInt8]) -> TOMLFault? {
        guard case .failure(let fault) = TOMLDocument.entries(of: octets.span) else { return nil }
        return fault
    }

    @Test func everyKindWithItsPlace() throws {
        let text = """
            hci = "hci-socket:0"
            [door]
              pulse-s = 5
            x = 1.5
            y = true
            z = 1979-05-27
            hex = 0x0C5E
            "a.b" = -1
            """
        #expect(
            try entries(text) == [
                SettingsEntry(path: "hci", value: .string("hci-socket:0"), line: 1, column: 1),
                SettingsEntry(path: "door", value: .table, line: 2, column: 2),
                SettingsEntry(path: "door.pulse-s", value: .integer(5), line: 3, column: 3),
                SettingsEntry(path: "door.x", value: .float(1.5), line: 4, column: 1),
                SettingsEntry(path: "door.y", value: .boolean(true), line: 5, column: 1),
                SettingsEntry(path: "door.z", value: .dateTime, line: 6, column: 1),
                SettingsEntry(path: "door.hex", value: .integer(3166), line: 7, column: 1),
                SettingsEntry(path: "door.\"a.b\"", value: .integer(-1), line: 8, column: 1),
            ])
    }

    @Test func elementsHaveTheirArraysPath() throws {
        #expect(
            try entries("m = [\"a\",\n  [1], {k = 2}]") == [
                SettingsEntry(path: "m", value: .array, line: 1, column: 1),
                SettingsEntry(path: "m", index: 0, value: .string("a"), line: 1, column: 6),
                SettingsEntry(path: "m", index: 1, value: .array, line: 2, column: 3),
                SettingsEntry(path: "m[1]", index: 0, value: .integer(1), line: 2, column: 4),
                SettingsEntry(path: "m", index: 2, value: .table, line: 2, column: 8),
                SettingsEntry(path: "m[2].k", value: .integer(2), line: 2, column: 9),
            ])
    }

    @Test func impliedTablesAreListed() throws {
        #expect(
            try entries("[a.b]\nc.d = 1").filter { $0.value == .table }.map(\.path) == ["a", "a.b", "a.b.c"])
    }

    @Test func textMayHoldZerosAndAnyScript() throws {
        #expect(
            try entries("k = \"a\\u0000b\"\n\"ключ\" = 'é'").map(\.value) == [.string("a\u{0}b"), .string("é")])
        #expect(try entries("\"q\\\"\\\\\" = 1").map(\.path) == ["\"q\\\"\\\\\""])
    }

    @Test func nothing() throws {
        #expect(try entries("") == [])
        #expect(try entries("# only a comment") == [])
    }

    @Test func faultsHaveTheirLine() throws {
        let cases = [
            ("a = 1\na = 2\n", 2), ("a = 1\n\n[b]\n[b]\n", 4), ("x = \n", 1), ("x = 1\ny = \"abc\n", 2),
            ("[door\n", 1), ("a = 9223372036854775808", 1), ("a = 1 b = 2", 1), ("a = 1\nb\n", 2), ("a = 01", 1),
            ("a = 1\n\nb = [1, 2\n", 3), ("door = 1\n[door]\n", 2),
        ]
        for (text, line) in cases {
            let fault = try #require(self.fault(Array(text.utf8)), "\(text)")
            #expect(fault.line == line, "\(text)")
            #expect(!fault.message.isEmpty)
        }
    }

    /// toml++ 3.3 asserts what it checks afterwards, of a table's name and of a time; these ended the process.
    @Test(arguments: [
        "[=]", "[+x]", "[.a]", "[ .", "[#", "[[.]]", "[[\n]]", "[\u{0}", "b = 1979-05-27T*7:32:00Z",
        "b = 1979-05-27 x:32:00",
    ])
    func whatTheParserAsserts(_ text: String) throws {
        let fault = try #require(self.fault(Array("a = 1\n\(text)".utf8)), "\(text)")
        #expect(fault.line == 2)
        #expect(!fault.message.isEmpty)
    }

    @Test func octetsThatAreNoText() throws {
        #expect(fault([0x61, 0x3D, 0x31, 0x0A, 0xFF])?.line != nil)
        #expect(fault([0x61, 0x3D, 0x22, 0x01, 0x22])?.line == 1)
        #expect(fault([0x61, 0x3D, 0x22, 0x00, 0x22])?.line == 1)
    }

    @Test func everyTruncationIsReadOrRefused() {
        let text = Array(
            "[door]\npulse-s = 0x1F\nmodes = [\"a\\u00e9\", {k = 'v'}]\n\"q\".d = 1979-05-27T07:32:00Z\n".utf8)
        for count in 0..<text.count {
            switch TOMLDocument.entries(of: text.span.extracting(0..<count)) {
            case .success(let entries): #expect(entries.count <= 11)
            case .failure(let fault): #expect((1...5).contains(fault.line ?? 0), "at \(count)")
            }
        }
    }

    /// toml++ bounds brackets; the depth of dotted keys is bounded here, or the stack would be the limit.
    @Test func depthIsBounded() {
        let dotted = Array(repeating: "a", count: 20_000).joined(separator: ".")
        #expect(fault(Array("x = 1\n\(dotted) = 1".utf8))?.line == 2)
        #expect(fault(Array("[\(dotted)]".utf8))?.message == "more than 64 dots on one line")
        #expect(fault(Array(("a=" + String(repeating: "[", count: 100_000)).utf8))?.line == 1)
        #expect(fault(Array(String(repeating: "{a=", count: 100_000).utf8))?.line == 1)
        // A line of comment may be drawn with dots.
        #expect(fault(Array("  # \(String(repeating: ".", count: 500))\na = 1".utf8)) == nil)
        // The deepest that gets through: a long key in every bracket.
        let key = Array(repeating: "a", count: 65).joined(separator: ".")
        let nested =
            "[\(key)]\n" + String(repeating: "\(key) = [\n{", count: 7) + "x=1" + String(repeating: "}]", count: 7)
        #expect(fault(Array(nested.utf8)) == nil)
    }
}
