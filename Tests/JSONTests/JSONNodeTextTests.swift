// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing

@Suite struct JSONNodeTextTests {
    @Test(arguments: [
        "null", "true", "false", "-1.50e+3", #""a\"b\\c""#, "[]", "{}", #"{"a":[1,{"b":null}],"c":"é"}"#,
    ]) func writtenAsItWas(text: String) throws {
        #expect(try JSONParser.parse(Array(text.utf8)).written == text)
    }

    @Test func spaceIsLeftOut() throws {
        #expect(try JSONParser.parse(Array(" { \"a\" : [ 1 , 2 ] }\n".utf8)).written == #"{"a":[1,2]}"#)
    }

    @Test func members() throws {
        let node = try JSONParser.parse(Array(#"{"a":1}"#.utf8))
        #expect(node["a"]?.content == .number("1"))
        #expect(node["b"] == nil)
        #expect(node["a"]?["a"] == nil)
    }
}
